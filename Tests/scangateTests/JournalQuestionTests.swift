import Expectations
import Foundation
import ScanModel
import Testing

/// "Why was she refused at 19:42?": what the journal answers, and how a ticket is found in it.
@Suite struct JournalQuestionTests {
  private static let evening: Int64 = 1_766_000_000

  @Test func aRefusalTellsWhenWhereAndByWhichRequestTheTicketWasFirstAdmitted() async throws {
    let fixture = try JournalFixture()
    let (admitted, refused) = (try scanID(0xAA, 0xAA, 0xAA, 0xAA), try scanID(0xBB, 0xBB, 0xBB, 0xBB))
    let request = asked("TICKET-0001", scan: admitted, at: WallTime(seconds: Self.evening))
    let use = FirstUse(gate: GateID("north"), at: WallTime(seconds: Self.evening), request: request.attempt)
    try await fixture.write([
      .asked(request), .concluded(conclusion(request, .answered, .admit)),
      .scan(journaled("TICKET-0001", id: admitted, at: Self.evening) { $0.firstUse = use }),
      .scan(
        journaled("TICKET-0001", id: refused, gate: "south", at: Self.evening + 60, verdict: .refuse(.alreadyUsed)) {
          $0.firstUse = use
        }),
      .scan(
        journaled("TICKET-0002", id: try scanID(0xCC, 0xCC, 0xCC), verdict: .refuse(.alreadyUsed)) {
          $0.firstUse = FirstUse(gate: nil, at: WallTime(seconds: Self.evening - 60))
        }),
    ])
    let words = try await fixture.run(["show", "bbbbbbbb"])
    expectEqual(words.status, 0, "\(words.errors)")
    expect(
      words.output.contains(
        "first admitted  2025-12-17 20:33:20.000 at gate north, by request \(request.attempt)"), "\(words.output)")
    let elsewhere = try await fixture.run(["show", "cccccc"])
    expect(elsewhere.output.contains("first admitted  2025-12-17 20:32:20.000 elsewhere"), "\(elsewhere.output)")

    let object = try #require(try await fixture.objects(["show", "bbbbbbbb", "--json"]).first)
    expect(object["first_used_at"] as? String == "2025-12-17T19:33:20.000Z")
    expect(object["first_used_gate"] as? String == "north")
    expect(object["first_used_request"] as? String == request.attempt.description)
    let listed = try await fixture.objects(["list", "--json", "--verdict", "refuse"])
    expectEqual(listed.map { $0["first_used_request"] as? String }, [request.attempt.description, nil])

    // The request leads to the scan that was admitted.
    let first = try await fixture.run(["show", String(request.attempt.description.prefix(8))])
    expect(first.status == 0 && first.output.hasPrefix("Scan \(admitted)"), "\(first.output)\(first.errors)")
  }

  @Test func aWholeCodeFindsItsTicketInEverySpellingAndIsToldNowhere() async throws {
    let fixture = try JournalFixture()
    let whole = "tkq7h2m9wz4rb8xd"
    var facts: [JournalFact] = []
    // More than a look takes at once, before and behind.
    for number in 0..<700 { facts.append(.scan(journaled("another-\(number)-code", at: Self.evening))) }
    facts += [
      .scan(journaled(whole, id: try scanID(1), at: Self.evening + 1)),
      .scan(journaled(whole.uppercased(), id: try scanID(2), at: Self.evening + 2, verdict: .refuse(.alreadyUsed))),
      .scan(journaled("different-b8xd", id: try scanID(3), at: Self.evening + 3)),
    ]
    for number in 0..<700 { facts.append(.scan(journaled("another-\(number)-code", at: Self.evening + 4))) }
    try await fixture.write(facts)
    func found(_ arguments: String...) async throws -> [String] {
      let result = try await fixture.run(["list", "--json"] + arguments)
      expectEqual(result.status, 0, "\(result.errors)")
      expect(!(result.output + result.errors).lowercased().contains(whole))
      return try result.lines.map { line in
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        return String((object["id"] as? String ?? "").prefix(2))
      }
    }
    try await expectEqual(found("--code", whole), ["01", "02"])
    try await expectEqual(found("--code", "TKQ7H2M9wz4rb8xd", "--verdict", "refuse"), ["02"])
    try await expectEqual(found("--code", whole, "--limit", "1"), ["02"])
    try await expectEqual(found("--code", "…b8xd"), ["01", "03"])
    try await expectEqual(found("--code", "b8xd"), ["01", "03"])
    try await expectEqual(found("--code", whole + "0"), [])

    let piped = try await Program.run(
      ["journal", "list", "--code", "-", "--state", fixture.folder.path], input: [UInt8]((whole + "\n").utf8))
    expect(piped.status == 0 && piped.lines.count == 2, "\(piped.output)\(piped.errors)")
    let none = try await fixture.run(["list", "--code", "--" + whole])
    expect(none.status == 0 && none.output.isEmpty && !none.errors.contains(whole), "\(none.errors)")
    let exported = try await fixture.run(["export", "--format", "csv", "--code", whole])
    expectEqual(exported.output.split(whereSeparator: \.isNewline).count, 3)
    try await expectEqual(fixture.run(["list", "--code", " "]).status, 64)
  }

  @Test func withoutTheKeyACodeIsNotLookedFor() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([.scan(journaled("TICKET-0001"))])
    try FileManager.default.removeItem(atPath: fixture.folder.path + "/seal-key")
    let result = try await fixture.run(["list", "--code", "TICKET-0001"])
    expect(result.status == 69 && result.output.isEmpty, "\(result.output)")
    expect(result.errors.contains("the station's key alone") && !result.errors.contains("TICKET"), "\(result.errors)")
  }
}
