import Expectations
import Foundation
import LinuxIO
import ReportClient
import ReportProtocol
import ScanModel
import ScanTesting
import Testing

@Suite struct ServerTests {
  private static let start: Int64 = 1_792_864_800

  private static func facts(_ count: Int, seed: Int = 7) -> [JournalFact] {
    var generator = SeededGenerator(seed: UInt64(seed))
    return (0..<count).map { number in
      let verdict: Verdict =
        [.admit, .admit, .refuse(.alreadyUsed), .undecided(.unreachable)][Int.random(in: 0..<4, using: &generator)]
      return journaled(number, at: start + Int64(number), verdict: verdict)
    }
  }

  /// What is made has what the journal has, and neither codes nor names.
  @Test func aReportOfAJournal() async throws {
    let bench = try ReportBench()
    let facts = Self.facts(500)
    try await bench.write(facts)
    try bench.serve()
    let csv = try await bench.client.report(ReportQuestion(form: .csv))
    expectEqual(csv.head.scans, 500)
    let text = String(decoding: csv.bytes, as: UTF8.self)
    let admitted = facts.count { if case .scan(let scan) = $0 { scan.verdict == .admit } else { false } }
    expect(text.contains("total,,,,,,,admitted,,,,,,\(admitted)\r\n"))
    for secret in ["SECRET", "Groß"] { expect(!text.contains(secret)) }
    let pdf = try await bench.client.report(ReportQuestion(zone: "Europe/Berlin", form: .pdf))
    expectEqual(Array(pdf.bytes.prefix(5)), Array("%PDF-".utf8))
    expect(pdf.head.pages >= 5)
  }

  @Test func aReportIsNarrowed() async throws {
    let bench = try ReportBench()
    try await bench.write(Self.facts(300))
    try bench.serve()
    let south = try await bench.client.report(ReportQuestion(gate: GateID("south"), form: .csv))
    expectEqual(south.head.scans, 100)
    let gala = try await bench.client.report(ReportQuestion(event: "Gala", form: .csv))
    expectEqual(gala.head.scans, 150)
    let minute = try await bench.client.report(
      ReportQuestion(from: WallTime(seconds: Self.start), until: WallTime(seconds: Self.start + 60), form: .csv))
    expectEqual(minute.head.scans, 60)
    let none = try await bench.client.report(ReportQuestion(from: WallTime(seconds: Self.start + 9_999), form: .pdf))
    expectEqual(none.head.pages, 1)
  }

  /// All pages together are the journal, newest first, each scan once.
  @Test func pagesAreTheWholeJournal() async throws {
    let bench = try ReportBench()
    try await bench.write(Self.facts(450))
    try bench.serve()
    var rows: [JournalLine] = []
    var question = JournalPageQuestion(limit: 70)
    repeat {
      let page = try await bench.client.page(question)
      expect(page.rows.count <= 70)
      rows += page.rows
      question.before = page.next
    } while question.before != nil
    expectEqual(rows.count, 450)
    expectEqual(rows.map(\.place), rows.map(\.place).sorted(by: >))
    expectEqual(Set(rows.map(\.id)).count, 450)
    let refused = try await bench.client.page(
      JournalPageQuestion(limit: 200, gate: GateID("south"), verdict: "refuse"))
    expectEqual(refused.rows, Array(rows.filter { $0.gate.name == "south" && $0.verdict == "refuse" }.prefix(200)))
  }

  @Test func whoMayNotAskIsToldSo() async throws {
    let bench = try ReportBench()
    try await bench.write(Self.facts(1))
    try bench.serve(users: [4_000_000])
    await Self.fails(bench.client, ReportQuestion(form: .csv), .refused)
  }

  @Test func whatMakesNoSenseIsToldSo() async throws {
    let bench = try ReportBench()
    try await bench.write(Self.facts(1))
    try bench.serve()
    await Self.fails(bench.client, ReportQuestion(zone: "Nowhere/Land", form: .csv), .fault(.question))
    await Self.fails(
      bench.client,
      ReportQuestion(from: WallTime(seconds: 5), until: WallTime(seconds: 5), form: .csv), .fault(.question))
  }

  @Test func noJournalIsToldSo() async throws {
    let bench = try ReportBench()
    try bench.serve()
    await Self.fails(bench.client, ReportQuestion(form: .csv), .fault(.journal))
  }

  @Test func nobodyIsToldSo() async throws {
    let bench = try ReportBench()
    await Self.fails(bench.client, ReportQuestion(form: .csv), .nobody)
  }

  /// Who says nothing, who asks and takes nothing, and who sends rubbish end nobody's report.
  @Test func whoHangsEndsNothing() async throws {
    let bench = try ReportBench()
    try await bench.write(Self.facts(2_000))
    try bench.serve()
    let silent = try PacketSocket(connectingTo: bench.socket)
    let hanging = try PacketSocket(connectingTo: bench.socket)
    expect(hanging.send(ReportRequest.hello(version: ReportLimits.version, program: "hangs").bytes))
    expect(hanging.send(ReportRequest.report(ReportQuestion(form: .pdf)).bytes))
    let rubbish = try PacketSocket(connectingTo: bench.socket)
    expect(rubbish.send([9, 9, 9]))
    let report = try await bench.client.report(ReportQuestion(form: .csv))
    expectEqual(report.head.scans, 2_000)
    expect(silent.number >= 0)
  }

  /// Who asks on and takes nothing is let go, and what waits for it is bounded.
  @Test func whoAsksOnAndOnIsAnsweredOnce() async throws {
    let bench = try ReportBench()
    try bench.serve()
    let socket = try PacketSocket(connectingTo: bench.socket)
    var sent = 0
    while sent < 200, socket.send([9, 9, 9]) { sent += 1 }
    var answers = 0
    await until {
      while case .packet = socket.receive(limit: ReportLimits.maximumPacket) { answers += 1 }
      return socket.receive(limit: ReportLimits.maximumPacket) == .end
    }
    expectEqual(answers, 1)
  }

  /// Another version parts with words.
  @Test func anotherVersionIsRefused() async throws {
    let bench = try ReportBench()
    try bench.serve()
    let socket = try PacketSocket(connectingTo: bench.socket)
    expect(socket.send(ReportRequest.hello(version: 99, program: "later").bytes))
    var answer: ReportAnswer?
    await until {
      if case .packet(let bytes) = socket.receive(limit: ReportLimits.maximumPacket) {
        answer = try? ReportAnswer(bytes: bytes)
      }
      return answer != nil
    }
    var words = ""
    if case .refused(let said) = answer { words = said }
    expect(words.contains("version 99"), "\(words)")
  }

  /// Reports that are asked for at once are made one after the other, each whole.
  @Test func manyAreServedInTurn() async throws {
    let bench = try ReportBench()
    try await bench.write(Self.facts(3_000))
    try bench.serve()
    let client = bench.client
    let scans = try await withThrowingTaskGroup(of: UInt64.self) { group in
      for _ in 0..<4 { group.addTask { try await client.report(ReportQuestion(form: .csv)).head.scans } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    expectEqual(scans, [3_000, 3_000, 3_000, 3_000])
  }

  private static func fails(_ client: ReportClient, _ question: ReportQuestion, _ kind: ReportAbsence.Kind) async {
    do throws(ReportAbsence) {
      _ = try await client.report(question)
      expect(false, "it was made")
    } catch {
      expectEqual(error.kind, kind, "\(error.description)")
    }
  }
}
