import EventSchedule
import Expectations
import Foundation
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Sealing
import Testing
import TicketSystemKit

@testable import Gateway

/// Putting a station together, beside one that works.
@Suite(.timeLimit(.minutes(1))) struct StationMakingTests {
  private let folder: String

  init() throws {
    var template = Array((temporaryRoot + "/scangate-making-XXXXXX").utf8CString)
    folder = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  private func configuration(gates: [String]) throws -> StationConfiguration {
    let readers = gates.map { "  \($0): { type: wedge, match: { vendor: \"0c2e\", serial: none-\($0) } }" }.joined(
      separator: "\n")
    let entries = gates.map { "  \($0): { readers: [\($0)], ticketSystem: main }" }.joined(separator: "\n")
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems: { main: { type: eventschedule, url: "http://127.0.0.1:9", apiKey: main } }
      readers:
      \(readers)
      gates:
      \(entries)
      """
    return try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "bench.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
  }

  private func make(
    _ configuration: StationConfiguration, credentials: CredentialResolver
  ) async throws -> ConfiguredStation {
    try await ConfiguredStation.make(
      configuration, outputs: .own, credentials: credentials, memory: StationMemory(dependencies: .inMemory()),
      events: EventHub()
    ) { _, _ in }
  }

  /// The names of this process's threads.
  private static func threads() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { task in
      // One may end between the list and the look at it.
      try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
    }
  }

  /// A command that was stopped in mid-write holds the folder: whoever is at a gate meanwhile must not wait for it.
  @Test func aFolderThatIsHeldHoldsNobodyElse() async throws {
    let store = CredentialStore(keys: SealKeySource(state: folder, given: nil))
    try store.set("main", PastedSecret([UInt8]("a-key-of-some-length".utf8)))
    let (asked, ask) = AsyncStream.makeStream(of: Void.self)
    let credentials = CredentialResolver { name throws(SetupError) in
      ask.yield()
      do throws(SealFault) {
        return try store.get(name)?.text ?? ""
      } catch {
        throw SetupError(error.description)
      }
    }
    let configuration = try configuration(gates: ["north"])
    let held = try OwnedDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
    expectEqual(flock(held.number, LOCK_EX), 0)
    // One more than there are threads for everything else.
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    let makings = (0..<count).map { _ in Task { try await make(configuration, credentials: credentials) } }
    var askings = asked.makeAsyncIterator()
    for _ in 0..<count { await askings.next() }
    // All wait for the folder, and here something goes on.
    expectEqual(flock(held.number, LOCK_UN), 0)
    for making in makings { try await making.value.discard() }
  }

  /// A reload that fails is tried again and again: nothing is left of it.
  @Test func whatIsNotPutTogetherLeavesNoThread() async throws {
    var bad = try configuration(gates: ["lost-one", "lost-two"])
    bad.gates[1].ticketSystem = TicketSystemID("none")
    for _ in 0..<extent(landing: 8, release: 10_000) {
      do {
        _ = try await make(
          bad, credentials: CredentialResolver { _ throws(SetupError) in "a-key-of-some-length" })
        Issue.record("it was put together")
      } catch is SetupError {}
    }
    // A thread ends after it was told to, and only its entry says when.
    try await until { try !Self.threads().contains { $0.hasPrefix("out lost-") } }
  }

  @Test func aStationThatIsDiscardedLeavesNoThread() async throws {
    try await make(
      configuration(gates: ["left-one"]),
      credentials: CredentialResolver { _ throws(SetupError) in "a-key-of-some-length" }
    ).discard()
    try await until { try !Self.threads().contains("out left-one") }
  }
}
