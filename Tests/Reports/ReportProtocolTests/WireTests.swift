import Expectations
import ReportProtocol
import ScanModel
import ScanTesting
import Testing
import WireCoding

/// Messages that a seed repeats.
struct RandomMessages {
  private static let letters = Array("abc019 üß漢\u{0}\n\u{202E}א😀")

  var generator: SeededGenerator

  init(seed: Int) { generator = SeededGenerator(seed: UInt64(seed)) }

  mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }
  mutating func number<Number: FixedWidthInteger>() -> Number {
    pick([.min, .max, .random(in: .min ... .max, using: &generator)])
  }
  mutating func text(_ longest: Int = 60) -> String {
    String((0..<below(longest)).map { _ in pick(Self.letters) })
  }
  mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? { below(2) == 0 ? nil : make(&self) }
  mutating func time() -> WallTime? { maybe { WallTime(nanoseconds: $0.number()) } }

  mutating func request() -> ReportRequest {
    switch below(3) {
    case 0: return .hello(version: number(), program: text())
    case 1:
      return .report(
        ReportQuestion(
          from: time(), until: time(), gate: maybe { GateID($0.text()) }, event: maybe { $0.text(900) },
          zone: maybe { $0.text() }, form: pick(ReportQuestion.Form.allCases), language: maybe { $0.text() }))
    default:
      return .page(
        JournalPageQuestion(
          before: maybe { $0.number() }, limit: number(), gate: maybe { GateID($0.text()) },
          verdict: maybe { $0.text() }, from: time(), until: time()))
    }
  }

  mutating func line() -> JournalLine {
    JournalLine(
      place: number(), id: maybe { _ in ScanID() }, gate: GateID(text()), reader: ReaderID(text()),
      at: WallTime(nanoseconds: number()), isTrusted: below(2) == 0, decidedIn: .nanoseconds(number() as Int64),
      verdict: text(), reason: text(), decider: text(), note: text(), event: text(), isAnnulled: below(2) == 0,
      outputFault: text())
  }

  mutating func answer() -> ReportAnswer {
    switch below(9) {
    case 0: return .welcome(version: number())
    case 1: return .refused(text(200))
    case 2: return .waiting(ahead: number())
    case 3: return .progress(scans: number())
    case 4:
      return .file(
        ReportFileHead(
          byteCount: .random(in: 0...UInt32(ReportLimits.maximumFile), using: &generator), scans: number(),
          pages: number()))
    case 5: return .piece((0..<below(200)).map { _ in number() })
    case 6: return .rows((0..<below(ReportLimits.rowsOfPacket + 1)).map { _ in line() })
    case 7: return .end(next: maybe { $0.number() })
    default: return .failed(ReportFault(pick(ReportFault.Kind.allCases), text(200)))
    }
  }

  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(4) {
      let byte: UInt8 = pick([0, 1, 0x7F, 0x80, 0xFF, number()])
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

@Suite struct WireTests {
  @Test(arguments: 0..<extent(landing: 60, release: 600)) func whatIsSentArrives(seed: Int) throws {
    var random = RandomMessages(seed: seed)
    for _ in 0..<20 {
      let request = random.request()
      try expectEqual(ReportRequest(bytes: request.bytes), request, "seed \(seed)")
      let answer = random.answer()
      try expectEqual(ReportAnswer(bytes: answer.bytes), answer, "seed \(seed)")
      expect(answer.bytes.count <= ReportLimits.maximumPacket, "seed \(seed)")
    }
  }

  /// Random bytes and damaged packets are refused, or are messages that are written the same again.
  @Test(arguments: 0..<extent(landing: 100, release: 1_000)) func whateverComesIsRefusedOrRead(seed: Int) throws {
    var random = RandomMessages(seed: seed &+ 50_000)
    for _ in 0..<40 {
      for bytes in [random.damaged(random.request().bytes), (0..<random.below(60)).map { _ in random.number() }] {
        guard let request = try? ReportRequest(bytes: bytes) else { continue }
        try expectEqual(ReportRequest(bytes: request.bytes), request, "seed \(seed)")
      }
      for bytes in [random.damaged(random.answer().bytes), (0..<random.below(60)).map { _ in random.number() }] {
        guard let answer = try? ReportAnswer(bytes: bytes) else { continue }
        try expectEqual(ReportAnswer(bytes: answer.bytes), answer, "seed \(seed)")
      }
    }
  }

  /// The longest rows and pieces that there can be are packets all the same.
  @Test func whatIsLongestFits() throws {
    let long = String(repeating: "漢", count: 10_000)
    let line = JournalLine(
      place: .max, id: ScanID(), gate: GateID(long), reader: ReaderID(long), at: WallTime(nanoseconds: .max),
      verdict: long, reason: long, decider: long, note: long, event: long, outputFault: long)
    let rows = ReportAnswer.rows(Array(repeating: line, count: ReportLimits.maximumRows)).bytes
    expect(rows.count <= ReportLimits.maximumPacket)
    let read = try ReportAnswer(bytes: rows)
    var count = 0
    if case .rows(let found) = read { count = found.count }
    expectEqual(count, ReportLimits.rowsOfPacket)
    let piece = ReportAnswer.piece(Array(repeating: 7, count: 100_000)).bytes
    try expectEqual(ReportAnswer(bytes: piece), .piece(Array(repeating: 7, count: ReportLimits.maximumPiece)))
  }

  /// A later version may say more in its greeting: this one finds out that it is another.
  @Test func aLaterGreetingIsRead() throws {
    let later = ReportRequest.hello(version: 9, program: "x").bytes + [1, 2, 3]
    try expectEqual(ReportRequest(bytes: later), .hello(version: 9, program: "x"))
  }
}
