import ScanModel
package import WireCoding

extension GatewayMessage {
  /// The packet.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .hello(let version, let heartbeat):
      // The layout of this one stays for ever: it is how ends of different versions find out.
      writer.put(1 as UInt8, version, heartbeat)
    case .plan(let plan):
      writer.put(2 as UInt8)
      writer.put(plan)
    case .play(let gate, let signal):
      writer.put(3 as UInt8, gate.name)
      writer.put(signal)
    case .admit(let gate, let id, let sentAt, let isProvisional):
      writer.put(4 as UInt8, gate.name, id, sentAt.nanoseconds, isProvisional)
    case .beat: writer.put(5 as UInt8)
    case .bye: writer.put(6 as UInt8)
    }
    return writer.bytes
  }

  /// Reads a packet.
  /// - Throws: what is wrong with it.
  package init(bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    switch try reader.take(UInt8.self) {
    case 1:
      self = .hello(version: try reader.take(), heartbeat: try reader.takeDuration())
      // A later version may say more here.
      return
    case 2: self = .plan(try reader.takePlan())
    case 3: self = .play(GateID(try reader.takeText()), try reader.takeSignal())
    case 4:
      self = .admit(
        GateID(try reader.takeText()), id: try reader.take(),
        sentAt: MonotonicTime(nanoseconds: try reader.take()), isProvisional: try reader.takeFlag())
    case 5: self = .beat
    case 6: self = .bye
    case let type: throw WireError("a message of unknown type \(type)")
    }
    try reader.end()
  }
}

extension HolderMessage {
  /// The packet.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .welcome(let version): writer.put(1 as UInt8, version)
    case .refused(let words):
      // The layout of this one stays for ever, too.
      writer.put(2 as UInt8)
      writer.putWords(words)
    case .admitted(let id, let outcome):
      writer.put(3 as UInt8, id)
      writer.put(outcome)
    case .gateState(let gate, let fault):
      writer.put(4 as UInt8, gate.name)
      writer.putOptional(fault) { $0.putWords($1) }
    case .fault(let gate, let device, let words):
      writer.put(5 as UInt8, gate.name, device)
      writer.putWords(words)
    case .recovered(let gate, let device): writer.put(6 as UInt8, gate.name, device)
    case .notice(let words):
      writer.put(7 as UInt8)
      writer.putWords(words)
    case .input(let gate, let name, let isActive, let at):
      writer.put(8 as UInt8, gate.name, name.name, isActive, at.nanoseconds)
    case .beat: writer.put(9 as UInt8)
    }
    return writer.bytes
  }

  /// Reads a packet.
  /// - Throws: what is wrong with it.
  package init(bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    switch try reader.take(UInt8.self) {
    case 1: self = .welcome(version: try reader.take())
    case 2: self = .refused(try reader.takeWords())
    case 3: self = .admitted(try reader.take(), try reader.takeOutcome())
    case 4:
      self = .gateState(
        GateID(try reader.takeText()),
        admissionFault: try reader.takeOptional { (reader) throws(WireError) in try reader.takeWords() })
    case 5: self = .fault(GateID(try reader.takeText()), try reader.takeText(), try reader.takeWords())
    case 6: self = .recovered(GateID(try reader.takeText()), try reader.takeText())
    case 7: self = .notice(try reader.takeWords())
    case 8:
      self = .input(
        GateID(try reader.takeText()), InputName(try reader.takeText()), isActive: try reader.takeFlag(),
        at: MonotonicTime(nanoseconds: try reader.take()))
    case 9: self = .beat
    case let type: throw WireError("a message of unknown type \(type)")
    }
    try reader.end()
  }
}

extension WireWriter {
  fileprivate mutating func putWords(_ words: String) { put(words, limit: HolderLimits.maximumWords) }

  fileprivate mutating func put(_ signal: Signal) {
    put(signal.name)
    switch signal {
    case .refuse(let reason): put(reason.rawValue)
    case .undecided(let reason): put(reason.rawValue)
    case .setUp(let step): put(step.name)
    case .admit, .provisional, .busy, .idle, .offline, .outOfService: break
    }
  }

  fileprivate mutating func put(_ outcome: PulseOutcome) {
    switch outcome {
    case .started(let start, let end): put(0 as UInt8, start.nanoseconds, end.nanoseconds)
    case .noRelay: put(1 as UInt8)
    case .failed(let words):
      put(2 as UInt8)
      putWords(words)
    case .unanswered(let words):
      put(3 as UInt8)
      putWords(words)
    }
  }
}

extension WireReader {
  fileprivate mutating func takeWords() throws(WireError) -> String { try takeText(limit: HolderLimits.maximumWords) }

  fileprivate mutating func takeSignal() throws(WireError) -> Signal {
    switch try takeText() {
    case "admit": return .admit
    case "provisional": return .provisional
    case "refuse": return .refuse(try takeWord())
    case "undecided": return .undecided(try takeWord())
    case "busy": return .busy
    case "idle": return .idle
    case "offline": return .offline
    case "outOfService": return .outOfService
    case "setUp": return .setUp(try takeSetUpSignal())
    default: throw WireError("an unknown signal")
    }
  }

  mutating func takeSetUpSignal() throws(WireError) -> SetUpSignal {
    guard let step = SetUpSignal(name: try takeText()) else { throw WireError("an unknown step of setting up") }
    return step
  }

  fileprivate mutating func takeOutcome() throws(WireError) -> PulseOutcome {
    switch try take(UInt8.self) {
    case 0:
      return .started(
        start: MonotonicTime(nanoseconds: try take()), end: MonotonicTime(nanoseconds: try take()))
    case 1: return .noRelay
    case 2: return .failed(try takeWords())
    case 3: return .unanswered(try takeWords())
    default: throw WireError("an unknown outcome")
    }
  }
}
