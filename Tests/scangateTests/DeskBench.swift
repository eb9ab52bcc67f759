import Expectations
import Foundation
import ScanModel
import Testing
import VenueServer

/// An organiser's terminal before a real venue of a shape, whose halls play on the 17th of December 2025 in Berlin.
struct DeskBench: Sendable {
  let shape: ServerShape
  let venue: AskedVenue
  let folder: URL

  /// Opens both for `body`.
  static func open(_ shape: ServerShape, _ body: (DeskBench) async throws -> Void) async throws {
    let now = try Date("2025-12-17T14:30:00Z", strategy: .iso8601)
    let venue = try await AskedVenue.open(
      VenueConfiguration(noLimits: true, failureDelay: .zero, now: { now }, serverShape: shape),
      seed: Seed(random: 7, zone: "Europe/Berlin", halls: true), time: SystemTime())
    let folder = try temporaryFolder()
    do {
      let bench = DeskBench(shape: shape, venue: venue, folder: folder)
      try FileManager.default.createDirectory(
        atPath: bench.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try await body(bench)
    } catch {
      await venue.close()
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    await venue.close()
    try? FileManager.default.removeItem(at: folder)
  }

  var state: String { folder.path + "/state" }
  var key: String { get throws { try #require(venue.seeded.apiKey) } }

  func file(_ name: String) -> String { folder.path + "/" + name }

  /// Runs a command of the desk at the venue.
  @discardableResult func run(_ words: [String]) async throws -> Program.Result {
    try clean(await DeskTerminal.run(words + ["--server", venue.url, "--key", "main"], key: key), words)
  }

  /// Runs the program where it keeps keys of its own.
  func program(_ words: [String], input: String = "") async throws -> Program.Result {
    try clean(
      await Program.run(["eventschedule"] + words + ["--state", state], input: [UInt8](input.utf8)), words)
  }

  /// Whatever is printed, the key is not in it, no code is whole, and nothing steers a terminal.
  private func clean(_ result: Program.Result, _ words: [String]) throws -> Program.Result {
    let all = result.output + result.errors
    expect(try !all.contains(key), "\(words): \(all)")
    expect(!venue.seeded.tickets.contains { all.contains($0.code) }, "\(words): \(all)")
    let lines = all.split(separator: "\n")
    expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) } }, "\(words): \(all)")
    return result
  }

  /// What a command that does not fail tells as JSON.
  func objects(_ words: [String]) async throws -> [[String: Any]] {
    let result = try await run(words + ["--json"])
    expectEqual(result.status, 0, "\(words): \(result.errors)")
    return try result.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  /// The JSON that --data names.
  func data(_ value: Any) throws -> [String] {
    let name = file("data-\(UUID().uuidString).json")
    try JSONSerialization.data(withJSONObject: value).write(to: URL(filePath: name))
    return ["--data", name]
  }

  /// One event, as the list tells it.
  func event(_ name: String) async throws -> [String: Any] {
    try #require(try await objects(["events", "list"]).first { $0["name"] as? String == name })
  }

  func eventID(_ name: String) async throws -> String { try #require(try await event(name)["id"] as? String) }

  /// The number of an event in the venue's books.
  func number(_ event: String) throws -> Int64 {
    try #require(venue.seeded.tickets.first { $0.event == event }).eventID
  }

  /// Sales, by what is in their names.
  func sales(_ text: String) async throws -> [[String: Any]] { try await objects(["tickets", "search", text]) }

  /// The one sale of a holder, as other commands name it.
  func saleID(_ holder: String) async throws -> String {
    let found = try await sales(holder)
    expectEqual(found.count, 1, "\(holder)")
    return "\(try #require(found.first?["id"]))"
  }

  /// What a holder's sale is worth at the venue.
  func status(of holder: String) async throws -> [String] {
    try await venue.server.tickets().filter { $0.holder == holder }.map(\.status.rawValue)
  }

  // MARK: Bad days

  /// The venue does this wrong with whatever the desk asks.
  func misbehave(_ texts: String...) throws { try misbehave(texts) }

  func misbehave(_ texts: [String]) throws {
    venue.server.misbehave(try texts.map { try Misbehaviour("\($0),on=desk") }, clearing: true)
  }

  /// Begins to count what is asked.
  func count() throws { try misbehave("latency=0ms") }

  /// How many requests there were since.
  var counted: Int { venue.server.misbehaviours.first?.hits ?? 0 }
}
