import Expectations
import ScanModel
import Reading
import ScanTesting
import Testing

private let lane = ReaderID("lane")

private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

/// An assembler whose silence after attach has passed, with a pen that types into it.
private struct Pen {
  var machine: WedgeAssembler
  var events: [ReaderEvent] = []
  var clock: Int64 = 1000

  init(_ framing: WedgeFraming = WedgeFraming()) {
    machine = WedgeAssembler(reader: lane, framing: framing, attachedAt: at(0))
    events = machine.advance(to: at(500))
  }

  mutating func type(_ text: String) {
    for character in text.unicodeScalars {
      clock += 1
      let input: WedgeAssembler.Input = character == "\n" ? .terminator : .text([UInt8](String(character).utf8))
      events += machine.take(input, at: at(clock))
    }
  }

  mutating func wait(_ milliseconds: Int64) {
    clock += milliseconds
    events += machine.advance(to: at(clock))
  }

  var reads: [String] {
    events.compactMap { if case .read(let read) = $0 { String(decoding: read.bytes, as: UTF8.self) } else { nil } }
  }
  var discards: [DiscardReason] {
    events.compactMap { if case .discarded(_, let reason, _, _) = $0 { reason } else { nil } }
  }
  var lost: [Int] {
    events.compactMap { if case .discarded(_, _, let characters, _) = $0 { characters } else { nil } }
  }
}

@Test func aTerminatorEndsACodeAndStampsIt() {
  var pen = Pen()
  pen.type("TICKET-1\n\nTICKET-2\n")
  expectEqual(pen.reads, ["TICKET-1", "TICKET-2"])
  expectEqual(pen.events.first, .read(RawRead(reader: lane, bytes: [UInt8]("TICKET-1".utf8), readAt: at(1009))))
}

@Test func silenceEndsACodeOnlyWhereItIsSet() {
  var silent = Pen(WedgeFraming(terminators: [], silence: .milliseconds(80)))
  silent.type("ABC")
  silent.wait(79)
  expect(silent.reads.isEmpty)
  silent.wait(1)
  expectEqual(silent.reads, ["ABC"])
  expectEqual(silent.events, [.read(RawRead(reader: lane, bytes: [65, 66, 67], readAt: at(1083)))])

  var keyed = Pen()
  keyed.type("ABC")
  keyed.wait(1000)
  keyed.type("DEF\n")
  expectEqual(keyed.reads, ["ABCDEF"])
  keyed.type("HEAD")
  keyed.wait(2000)
  keyed.type("WHOLE\n")
  expectEqual(keyed.reads, ["ABCDEF", "WHOLE"], "a head without end must not lead the next code")
  expectEqual(keyed.discards, [.framing])
}

@Test func aGapBetweenStampsEndsACodeWithoutATimer() {
  var pen = Pen(WedgeFraming(terminators: [], silence: .milliseconds(80)))
  pen.type("ONE")
  pen.clock += 90
  pen.type("TWO")
  pen.wait(100)
  expectEqual(pen.reads, ["ONE", "TWO"])
}

@Test func prefixAndSuffixAreRemovedAndDemanded() {
  var pen = Pen(WedgeFraming(prefix: "<<", suffix: ">"))
  pen.type("<<A>\nB>\n<<C\n<<>\n<>\n<<D>\n")
  expectEqual(pen.reads, ["A", "D"])
  expectEqual(pen.discards, [.framing, .framing, .framing, .framing])
  var overlapping = Pen(WedgeFraming(prefix: "xx", suffix: "xx"))
  overlapping.type("xxx\nxxAxx\n")
  expectEqual(overlapping.reads, ["A"])
}

@Test func theAIMIdentifierIsSplitOffAfterThePrefix() throws {
  var pen = Pen(WedgeFraming(prefix: "#"))
  pen.type("#]Q1CODE\n#]9xNO\n#]C0\n")
  let identifier = try #require(AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "1")))
  expectEqual(pen.reads, ["CODE", "]9xNO"])
  expectEqual(pen.discards, [.framing])
  guard case .read(let first) = pen.events.first else {
    Issue.record("no read")
    return
  }
  expectEqual(first.symbology, identifier)
  var plain = Pen(WedgeFraming(splitAIM: false))
  plain.type("]Q1CODE\n")
  expectEqual(plain.reads, ["]Q1CODE"])
}

@Test func tenMegabytesWithoutEndAreDrainedAndCounted() {
  var pen = Pen(WedgeFraming(prefix: "<"))
  let exact = String(repeating: "x", count: 4096)
  pen.type("<" + exact + "\n")
  expectEqual(pen.reads, [exact])
  pen.type("<" + exact + "y\n")
  expectEqual(pen.discards, [.tooLong])
  let block = [UInt8](repeating: UInt8(ascii: "z"), count: 4096)
  for _ in 0..<2560 {
    pen.clock += 1
    pen.events += pen.machine.take(.text(block), at: at(pen.clock))
  }
  pen.type("\n<OK\n")
  expectEqual(pen.lost, [4098, 2560 * 4096])
  expectEqual(pen.reads, [exact, "OK"])
}

@Test func charactersAreCountedNotBytes() {
  var pen = Pen()
  let exact = String(repeating: "€", count: 4096)
  pen.type(exact + "\n")
  expectEqual(pen.reads, [exact])
}

@Test func halfACodeAfterAttachNeverPasses() {
  var machine = WedgeAssembler(reader: lane, framing: WedgeFraming(), attachedAt: at(0))
  expectEqual(machine.deadline, at(100))
  expect(machine.take(.text([65]), at: at(90)).isEmpty)
  expect(!machine.isSettled)
  expectEqual(machine.deadline, at(190))
  let ended = machine.take(.terminator, at: at(95))
  expectEqual(ended, [.discarded(reader: lane, reason: .afterAttach, characters: 1, at: at(95))])
  expect(machine.isSettled)
  expect(machine.take(.text([66]), at: at(96)).isEmpty)
  expectEqual(machine.take(.terminator, at: at(97)), [.read(RawRead(reader: lane, bytes: [66], readAt: at(97)))])
}

@Test func unplugInTheMiddleTellsWhatWasLost() {
  var pen = Pen()
  pen.type("HALF")
  expectEqual(
    pen.machine.unplug(at: at(pen.clock)),
    [.discarded(reader: lane, reason: .unplugged, characters: 4, at: at(pen.clock))])
  expect(pen.machine.take(.terminator, at: at(pen.clock + 1)).isEmpty)
  expect(pen.machine.deadline == nil)
  var idle = Pen()
  expect(idle.machine.unplug(at: at(5000)).isEmpty)
}

@Test func aMissingCharacterSpoilsTheWholeCode() {
  var pen = Pen()
  pen.type("AB")
  pen.events += pen.machine.take(.broken, at: at(pen.clock))
  pen.type("CD\nEF\n")
  expectEqual(pen.reads, ["EF"])
  expectEqual(pen.discards, [.framing])
  expectEqual(pen.lost, [4])
}

/// Codes are typed, and the kernel loses events, the device is unplugged and attached in the middle, at random. Each
/// code is `<n>`: whatever is read must be a whole one, once, in order; and what no trouble touched must be read.
@Test(arguments: 0..<40) func noReadEverComesFromAPartOfACode(round: Int) {
  let seed = UInt64.random(in: .min ... .max)
  var random = SeededGenerator(seed: seed)
  for _ in 0..<50 {
    var clock: Int64 = 1000
    var machine = WedgeAssembler(reader: lane, framing: WedgeFraming(), attachedAt: at(clock))
    var events: [ReaderEvent] = []
    var expected: [String] = []
    var allowed: Set<String> = []
    // Clean: everything since the last end reached the machine, and the machine knows that an end was there.
    var clean = false
    for number in 0..<20 {
      let code = "<\(number)\(String(repeating: "x", count: Int.random(in: 0...8, using: &random)))>"
      allowed.insert(code)
      if Int.random(in: 0..<3, using: &random) == 0 {
        clock += 150
        events += machine.advance(to: at(clock))
        clean = true
      }
      var isWhole = clean
      for scalar in (code + "\n").unicodeScalars {
        clock += Int64.random(in: 0...40, using: &random)
        switch Int.random(in: 0..<120, using: &random) {
        case 0:  // lost: this key and the overflow mark in its place
          events += machine.take(.overflow, at: at(clock))
          isWhole = false
          clean = false
          continue
        case 1:  // the device goes and comes back
          events += machine.unplug(at: at(clock))
          machine = WedgeAssembler(reader: lane, framing: WedgeFraming(), attachedAt: at(clock))
          isWhole = false
          clean = false
        case 2: events += machine.take(.activity, at: at(clock))
        default: break
        }
        if scalar == "\n" {
          events += machine.take(.terminator, at: at(clock))
          clean = true
        } else {
          events += machine.take(.text([UInt8](String(scalar).utf8)), at: at(clock))
        }
      }
      if isWhole { expected.append(code) }
    }
    let reads = events.compactMap { event -> String? in
      if case .read(let read) = event { String(decoding: read.bytes, as: UTF8.self) } else { nil }
    }
    expectEqual(reads, expected, "seed \(seed)")
    expect(reads.allSatisfy(allowed.contains), "seed \(seed)")
  }
}

/// Whatever comes in whatever order: time never stands in the way, nothing traps, no read is longer than allowed.
@Test(arguments: 0..<extent(landing: 5, release: 50)) func anyInputIsSurvived(round: Int) {
  let seed = UInt64.random(in: .min ... .max)
  var random = SeededGenerator(seed: seed)
  var machine = WedgeAssembler(
    reader: lane, framing: WedgeFraming(silence: .milliseconds(50), prefix: "p", suffix: "é"), attachedAt: at(0))
  var events: [ReaderEvent] = []
  for _ in 0..<5000 {
    let time = MonotonicTime(
      nanoseconds: Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...40, using: &random))
    switch Int.random(in: 0..<9, using: &random) {
    case 0: events += machine.take(.terminator, at: time)
    case 1: events += machine.take(.overflow, at: time)
    case 2: events += machine.take(.broken, at: time)
    case 3: events += machine.advance(to: time)
    case 4: events += machine.take(.activity, at: time)
    default:
      let count = Int.random(in: 0...400, using: &random)
      events += machine.take(.text((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }), at: time)
    }
  }
  for case .read(let read) in events {
    expect(String(decoding: read.bytes, as: UTF8.self).unicodeScalars.count >= 0)
    expect(read.bytes.count { $0 & 0xC0 != 0x80 } <= 4096, "seed \(seed)")
  }
  expect(machine.deadline.map { $0 >= at(0) } ?? true, "seed \(seed)")
}
