import HolderProtocol
import ScanModel
import Signalling
import ScanTesting
import SignalOutputs

/// Messages that a seed repeats.
struct RandomMessages {
  private static let letters = Array("abcdefxyz0189-_ üß漢\u{0}\n")

  var generator: SeededGenerator

  init(seed: Int) { generator = SeededGenerator(seed: UInt64(seed)) }

  mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }
  mutating func flag() -> Bool { below(2) == 0 }
  mutating func time() -> MonotonicTime {
    MonotonicTime(nanoseconds: pick([.min, .max, 0, .random(in: .min ... .max, using: &generator)]))
  }

  mutating func text(_ longest: Int = 12) -> String {
    String((0..<below(longest)).map { _ in pick(Self.letters) })
  }

  mutating func signal() -> Signal {
    switch below(9) {
    case 0: .admit
    case 1: .provisional
    case 2: .refuse(pick(RefuseReason.allCases))
    case 3: .undecided(pick(UndecidedReason.allCases))
    case 4: .busy
    case 5: .idle
    case 6: .offline
    case 7: .setUp(pick(SetUpSignal.all))
    default: .outOfService
    }
  }

  mutating func pattern() throws -> SignalPattern {
    var pattern = SignalPattern()
    for _ in 0..<below(4) {
      let count = below(5)
      pattern.outputs[OutputName(text())] =
        if count == 0 {
          .steady
        } else {
          try OutputPattern(
            steps: (0..<2 * count).map { _ in .milliseconds(20 + below(59_000)) },
            repeats: flag() ? nil : 1 + below(1_000))
        }
    }
    return pattern
  }

  mutating func line() -> GPIOLineConfiguration {
    GPIOLineConfiguration(
      chip: text(), line: flag() ? .name(text()) : .offset(.random(in: .min ... .max, using: &generator)),
      isActiveLow: flag(), bias: pick(GPIOLineConfiguration.Bias.allCases),
      drive: pick(GPIOLineConfiguration.Drive.allCases))
  }

  mutating func target() -> OutputTarget {
    switch below(4) {
    case 0: .gpio(line())
    case 1: .led(text())
    case 2: .pwm(PWMConfiguration(chip: text(), channel: UInt32(below(9)), frequency: UInt32(below(30_000))))
    default: .sound(SoundConfiguration(device: text(), frequency: UInt32(below(30_000))))
    }
  }

  mutating func plan() throws -> OutputPlan {
    var gates: [OutputPlan.Gate] = []
    for _ in 0..<below(4) {
      var patterns = SignalPatterns(
        admit: try pattern(), provisional: try pattern(), refuse: try pattern(), undecided: try pattern(),
        busy: try pattern(), idle: try pattern(), offline: try pattern(), outOfService: try pattern())
      for _ in 0..<below(3) { patterns.refuseReasons[pick(RefuseReason.allCases)] = try pattern() }
      for _ in 0..<below(4) { patterns.setUp[pick(SetUpSignal.all)] = try pattern() }
      for _ in 0..<below(3) { patterns.undecidedReasons[pick(UndecidedReason.allCases)] = try pattern() }
      gates.append(
        OutputPlan.Gate(
          id: GateID(text()),
          outputs: (0..<below(5)).map { _ in
            OutputConfiguration(name: OutputName(text()), kind: pick(OutputKind.allCases), target: target())
          },
          inputs: (0..<below(3)).map { _ in
            InputConfiguration(
              name: InputName(text()), line: line(), debounce: .milliseconds(below(500)),
              use: pick(InputUse.allCases))
          },
          timing: try RelayTiming(pulse: .milliseconds(20 + below(9_000)), gap: .milliseconds(below(10_000))),
          safeState: pick(SafeState.allCases), patterns: patterns))
    }
    return OutputPlan(gates: gates)
  }

  mutating func fromGateway() throws -> GatewayMessage {
    switch below(6) {
    case 0:
      .hello(version: .random(in: .min ... .max, using: &generator), heartbeat: .milliseconds(below(10_000)))
    case 1: .plan(try plan())
    case 2: .play(GateID(text()), signal())
    case 3:
      .admit(
        GateID(text()), id: .random(in: .min ... .max, using: &generator), sentAt: time(), isProvisional: flag())
    case 4: .beat
    default: .bye
    }
  }

  mutating func fromHolder() -> HolderMessage {
    switch below(9) {
    case 0: .welcome(version: .random(in: .min ... .max, using: &generator))
    case 1: .refused(text(200))
    case 2:
      .admitted(
        .random(in: .min ... .max, using: &generator),
        pick([
          .started(start: time(), end: time()), .noRelay, .failed(text(100)), .unanswered(text(100)),
        ]))
    case 3: .gateState(GateID(text()), admissionFault: flag() ? nil : text(200))
    case 4: .fault(GateID(text()), text(), text(200))
    case 5: .recovered(GateID(text()), text())
    case 6: .notice(text(300))
    case 7: .input(GateID(text()), InputName(text()), isActive: flag(), at: time())
    default: .beat
    }
  }

  mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(4) {
      let byte: UInt8 = pick([0, 1, 0x7F, 0x80, 0xFF, .random(in: .min ... .max, using: &generator)])
      switch below(4) {
      case 0 where !bytes.isEmpty: bytes[below(bytes.count)] = byte
      case 1 where !bytes.isEmpty: bytes.remove(at: below(bytes.count))
      case 2: bytes.insert(byte, at: below(bytes.count + 1))
      default: bytes = Array(bytes.prefix(below(bytes.count + 1)))
      }
    }
    return bytes
  }
}
