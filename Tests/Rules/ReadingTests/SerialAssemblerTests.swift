import Expectations
import ScanModel
import Reading
import ScanTesting
import Testing

private let lane = ReaderID("lane")

private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

/// An assembler whose silence after attach has passed, and what it tells.
private struct Line {
  var machine: SerialAssembler
  var events: [ReaderEvent] = []
  var clock: Int64 = 1000

  init(_ framing: SerialFraming = SerialFraming()) {
    machine = SerialAssembler(reader: lane, framing: framing, attachedAt: at(0))
    events = machine.advance(to: at(500))
  }

  mutating func send(_ text: String) { send([UInt8](text.utf8)) }

  mutating func send(_ bytes: [UInt8]) {
    clock += 1
    events += machine.take(bytes, at: at(clock))
  }

  mutating func wait(_ milliseconds: Int64) {
    clock += milliseconds
    events += machine.advance(to: at(clock))
  }

  var reads: [[UInt8]] { events.compactMap { if case .read(let read) = $0 { read.bytes } else { nil } } }
  var texts: [String] { reads.map { String(decoding: $0, as: UTF8.self) } }
  var discards: [DiscardReason] {
    events.compactMap { if case .discarded(_, let reason, _, _) = $0 { reason } else { nil } }
  }
  var lost: [Int] {
    events.compactMap { if case .discarded(_, _, let characters, _) = $0 { characters } else { nil } }
  }
}

@Suite struct SerialAssemblerTests {
  @Test func eitherHalfOfAnEndEndsAndEmptyReadsAreDropped() {
    var line = Line()
    line.send("ONE\rTWO\nTHREE\r\n\n\rFOUR\r")
    expectEqual(line.texts, ["ONE", "TWO", "THREE", "FOUR"])
    expectEqual(line.events.first, .read(RawRead(reader: lane, bytes: [UInt8]("ONE".utf8), readAt: at(1001))))
    expect(line.discards.isEmpty)
  }

  @Test func onlyTheTerminatorsThatAreNamedEnd() {
    var line = Line(SerialFraming(terminators: [0x03, 0x09], prefix: "\u{2}"))
    line.send("\u{2}A\rB\u{3}\u{2}C\nD\t")
    expectEqual(line.texts, ["A\rB", "C\nD"])
  }

  @Test func controlBytesAndEveryOtherSurvive() {
    var line = Line()
    line.send([0x1D, 0x30, 0x00, 0xFF, 0xFF, 0x7F, 0x80, 0xE9, 0x0D])
    expectEqual(line.reads, [[0x1D, 0x30, 0x00, 0xFF, 0x7F, 0x80, 0xE9]])
  }

  @Test func aDamagedByteSpoilsItsCodeAndNoOther() {
    var line = Line()
    line.send([0x41, 0xFF, 0x00, 0x42, 0x43, 0x0D, 0x44, 0x0D])
    expectEqual(line.reads, [[0x44]])
    expectEqual(line.discards, [.damaged])
    // A damaged end is no end: what follows belongs to the same code.
    line.send([0x45, 0xFF, 0x00, 0x0D, 0x46, 0x0D, 0x47, 0x0D])
    expectEqual(line.reads, [[0x44], [0x47]])
    expectEqual(line.discards, [.damaged, .damaged])
  }

  @Test func aBreakIsDamage() {
    var line = Line()
    line.send([0xFF, 0x00, 0x00])
    line.wait(100)
    line.send([0x41, 0x0D])
    expectEqual(line.discards, [.damaged])
    expectEqual(line.lost, [0])
    expectEqual(line.reads, [[0x41]])
  }

  @Test func aMarkThatIsCutOffIsDamage() {
    var line = Line(SerialFraming(terminators: [], silence: .milliseconds(50)))
    line.send([0x41, 0xFF])
    line.wait(60)
    line.wait(200)
    expect(line.reads.isEmpty)
    expectEqual(line.discards, [.damaged])
    line.send([0x42])
    line.wait(60)
    expectEqual(line.reads, [[0x42]])
    var terminated = Line()
    terminated.send([0xFF, 0x41, 0x42, 0x0D])
    expect(terminated.reads.isEmpty)
    expectEqual(terminated.discards, [.damaged])
  }

  @Test func silenceEndsACodeOnlyWhereItIsSet() {
    var silent = Line(SerialFraming(terminators: [], silence: .milliseconds(80)))
    silent.send("ABC")
    silent.wait(79)
    expect(silent.reads.isEmpty)
    silent.wait(1)
    expectEqual(silent.texts, ["ABC"])
    var ended = Line()
    ended.send("ABC")
    ended.wait(1000)
    ended.send("DEF\r")
    expectEqual(ended.texts, ["ABCDEF"])
    ended.send("HEAD")
    ended.wait(2000)
    ended.send("WHOLE\r")
    expectEqual(ended.texts, ["ABCDEF", "WHOLE"], "a head without end must not lead the next code")
    expectEqual(ended.discards, [.framing])
  }

  /// Bytes that waited for a thread that was late look as if silence had come before them.
  @Test func bytesThatWereReadLateProveNoSilence() {
    var line = Line()
    line.send("HE")
    line.clock += 10_000
    line.send("AD\r")
    expectEqual(line.texts, ["HEAD"], "what was never seen to be silent is one code")

    var attached = SerialAssembler(reader: lane, framing: SerialFraming(), attachedAt: at(0))
    expect(attached.take([0x41], at: at(50)).isEmpty)
    expect(attached.take([0x42], at: at(10_000)).isEmpty)
    expect(!attached.isSettled)
    expectEqual(
      attached.take([0x0D], at: at(10_001)),
      [.discarded(reader: lane, reason: .afterAttach, characters: 2, at: at(10_001))])

    var silent = Line(SerialFraming(terminators: [], silence: .milliseconds(80)))
    silent.send("ON")
    silent.clock += 200
    silent.send("ETWO")
    silent.wait(500)
    expect(silent.reads.isEmpty, "one code or two: nobody can tell")
    expectEqual(silent.discards, [.framing])
    expectEqual(silent.lost, [6])
  }

  @Test func bytesThatWereLostSpoilAllThatWasReadWithThem() {
    var line = Line()
    line.send("A\rHE")
    line.events += line.machine.lose([UInt8]("AD\rB\rTA".utf8), at: at(line.clock))
    line.send("IL\rC\r")
    expectEqual(line.texts, ["A", "C"])
    expectEqual(line.discards, [.overflow])
    // The mark of a damaged end is split by the loss.
    line.events += line.machine.lose([0x44, 0xFF, 0x00], at: at(line.clock))
    line.send([0x0D, 0x45, 0x0D, 0x46, 0x0D])
    expectEqual(line.texts, ["A", "C", "F"])
  }

  @Test func framingAndIdentifierAreThoseOfWedges() {
    var line = Line(SerialFraming(prefix: "\u{2}", suffix: "\u{3}"))
    line.send("\u{2}]Q1CODE\u{3}\rCODE\u{3}\r\u{2}CODE\r\u{2}\u{3}\r\u{2}]9xNO\u{3}\r")
    expectEqual(line.texts, ["CODE", "]9xNO"])
    expectEqual(line.discards, [.framing, .framing, .framing])
    guard case .read(let first) = line.events.first else {
      Issue.record("no read")
      return
    }
    expectEqual(first.symbology, AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "1")))
  }

  @Test func noiseWithoutEndIsDrainedAndCounted() {
    var line = Line()
    // Bytes that only continue characters are bytes all the same.
    let block = [UInt8](repeating: 0xA0, count: 4096)
    line.send(block)
    line.send([0x0D])
    expectEqual(line.reads, [block])
    for _ in 0..<256 { line.send(block) }
    line.send("\rOK\r")
    expectEqual(line.discards, [.tooLong])
    expectEqual(line.lost, [256 * 4096])
    expectEqual(line.texts.last, "OK")
  }

  @Test func unplugInTheMiddleTellsWhatWasLost() {
    var line = Line(SerialFraming(terminators: [], silence: .milliseconds(80)))
    line.send("HALF")
    expectEqual(
      line.machine.unplug(at: at(5000)), [.discarded(reader: lane, reason: .unplugged, characters: 4, at: at(5000))],
      "nobody saw the silence before it went")
    expect(line.machine.take([0x41, 0x0D], at: at(5001)).isEmpty)
    expect(line.machine.deadline == nil)
  }

  @Test func problemsAreTold() {
    expect(SerialFraming().problems.isEmpty)
    expectEqual(SerialFraming(terminators: []).problems.count, 1)
    expect(SerialFraming(terminators: [], silence: .milliseconds(100)).problems.isEmpty)
    expectEqual(SerialFraming(prefix: "\r").problems.count, 1)
    expectEqual(SerialFraming(silence: .milliseconds(1)).problems.count, 1)
  }
}

@Suite struct SerialAssemblerPropertyTests {
  /// However the bytes are cut into reads, the same is told.
  @Test(arguments: 0..<40) func anySplitGivesTheSame(round: Int) {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let alphabet: [UInt8] = [0x41, 0x42, 0x1D, 0x0D, 0x0D, 0x0A, 0xFF, 0xFF, 0x00, 0x5D, 0x51, 0x31, 0x02]
    let framing = SerialFraming(prefix: random.chance(30) ? "\u{2}" : "")
    for _ in 0..<30 {
      var bytes = (0..<Int.random(in: 0...200, using: &random)).compactMap { _ in alphabet.randomElement(using: &random)
      }
      if random.chance(20) { bytes += [UInt8](repeating: 0x43, count: Int.random(in: 4000...4200, using: &random)) }
      bytes += [0x0D]
      var whole = Line(framing)
      whole.events += whole.machine.take(bytes, at: at(2000))
      var parts = Line(framing)
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...(random.chance(50) ? 3 : 500), using: &random))
        parts.events += parts.machine.take(part, at: at(2000))
        rest = rest.dropFirst(part.count)
      }
      expectEqual(whole.events, parts.events, "seed \(seed)")
    }
  }

  /// Codes `<n…>` are sent; the line is damaged, bytes are lost, it is unplugged and attached in the middle, the reading
  /// thread is late, at random. Whatever is read is a whole code, once and in order; what no trouble touched is read.
  @Test(arguments: 0..<40) func noReadEverComesFromAPartOfACode(round: Int) {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var clock: Int64 = 1000
      var machine = SerialAssembler(reader: lane, framing: SerialFraming(), attachedAt: at(clock))
      var events: [ReaderEvent] = []
      var expected: [[UInt8]] = []
      // Clean: an end has been seen since the last trouble, so the next code must be read.
      var clean = false
      for number in 0..<20 {
        let code = [UInt8]("<\(number)\(String(repeating: "x", count: Int.random(in: 0...8, using: &random)))>".utf8)
        if random.chance(30) {
          clock += 150
          events += machine.advance(to: at(clock))
          clean = true
        }
        var isWhole = clean
        for byte in code + [0x0D] {
          clock += random.chance(2) ? 5000 : Int64.random(in: 0...40, using: &random)
          if clock % 7 == 0, let deadline = machine.deadline, deadline > at(clock) {
            events += machine.advance(to: at(clock))
          }
          switch Int.random(in: 0..<150, using: &random) {
          case 0:
            events += machine.take([0xFF, 0x00, byte], at: at(clock))
            (isWhole, clean) = (false, false)
            continue
          case 1:
            events += machine.lose([byte], at: at(clock))
            (isWhole, clean) = (false, false)
            continue
          case 2:
            events += machine.unplug(at: at(clock))
            machine = SerialAssembler(reader: lane, framing: SerialFraming(), attachedAt: at(clock))
            (isWhole, clean) = (false, false)
          default: break
          }
          events += machine.take([byte], at: at(clock))
          if byte == 0x0D { clean = true }
        }
        if isWhole { expected.append(code) }
      }
      let reads = events.compactMap { event -> [UInt8]? in
        if case .read(let read) = event { read.bytes } else { nil }
      }
      expectEqual(reads, expected, "seed \(seed)")
    }
  }

  /// Whatever comes in whatever order: nothing traps, and no read holds an end or is longer than allowed.
  @Test(arguments: 0..<20) func garbageYieldsOnlyWhatStoodBetweenEnds(round: Int) {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let silence: Duration? = random.chance(50) ? .milliseconds(50) : nil
    var machine = SerialAssembler(
      reader: lane, framing: SerialFraming(silence: silence, splitAIM: false), attachedAt: at(0))
    // The pieces of undamaged data between two ends or silences; only those may be read.
    var pieces: Set<[UInt8]> = []
    var piece: [UInt8] = []
    var events: [ReaderEvent] = []
    for _ in 0..<3000 {
      let time = MonotonicTime(
        nanoseconds: Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...40, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        events += machine.advance(to: time)
        pieces.insert(piece)
        if !machine.isDiscarding && machine.deadline == nil { piece = [] }
      case 1: events += machine.lose([UInt8.random(in: 0...255, using: &random)], at: time)
      default:
        // Without FF, so that this test needs no decoder of its own.
        let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...254, using: &random) }
        for byte in bytes {
          if byte == 0x0D || byte == 0x0A {
            pieces.insert(piece)
            piece = []
          } else {
            piece.append(byte)
          }
        }
        events += machine.take(bytes, at: time)
      }
    }
    for case .read(let read) in events {
      expect(read.bytes.count <= 4096 && !read.bytes.contains(0x0D) && !read.bytes.contains(0x0A), "seed \(seed)")
      expect(pieces.contains(read.bytes), "seed \(seed)")
    }
    expect(events.contains { if case .read = $0 { true } else { false } }, "seed \(seed)")
  }
}
