import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Alerts

/// What alerts outlive a process.
@Suite struct StateTests {
  private let folder = "\(temporaryRoot)/alerts-\(UUID().uuidString)"
  private var file: String { "\(folder)/alerts.json" }

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private static func random(_ seed: Int) -> AlertState {
    var random = SeededGenerator(seed: UInt64(seed))
    func text(_ random: inout SeededGenerator) -> String {
      String(
        (0..<Int.random(in: 0..<30, using: &random)).map { _ in
          Array("ab \"\\\n\u{0}\u{202E}漢,").randomElement(using: &random) ?? "a"
        })
    }
    func key(_ random: inout SeededGenerator) -> AlertKey {
      AlertKey(AlertCondition.allCases.randomElement(using: &random) ?? .disk, text(&random))
    }
    var state = AlertState()
    state.conflicts = .random(in: 0...UInt64(Int64.max), using: &random)
    for _ in 0..<Int.random(in: 0..<20, using: &random) {
      var entry = AlertBook.Entry(
        words: AlertWords(text(&random), text(&random)),
        since: WallTime(seconds: .random(in: -1_000_000_000...9_000_000_000, using: &random)))
      entry.isOpen = random.chance(50)
      entry.wasOpen = true
      entry.returns = .random(in: 0...1_000, using: &random)
      state.entries[key(&random)] = entry
    }
    for _ in 0..<Int.random(in: 0...AlertQueue.most, using: &random) {
      let message = AlertMessage(
        key: key(&random), title: text(&random), body: text(&random),
        priority: AlertMessage.Priority.allCases.randomElement(using: &random) ?? .high, tags: text(&random))
      state.waiting.append((message, .random(in: 0...4, using: &random)))
    }
    return state
  }

  @Test(arguments: 0..<extent(landing: 40, release: 400))
  func isReadAsItWasWritten(seed: Int) throws {
    let state = Self.random(seed)
    try state.write(to: file)
    try expectEqual(AlertState.read(file), state, "seed \(seed)")
  }

  @Test func nothingIsThereAtFirst() throws {
    try expectEqual(AlertState.read("\(folder)/nothing.json"), nil)
  }

  @Test func whatIsDamagedSaysWhatBecomesOfIt() throws {
    for text in [
      "", "{}", "{\"version\":2,\"alerts\":[],\"waiting\":[]}", "[1]", "{\"version\":1,\"alerts\":[", "\u{FF}",
    ] {
      try Data(text.utf8).write(to: URL(filePath: file))
      do {
        _ = try AlertState.read(file)
        expect(false, "\(text) was read")
      } catch {
        expect(error.description.contains(file) && error.description.contains("told again"), "\(error)")
      }
    }
    // Of what is not understood the rest is.
    let text =
      "{\"version\":1,\"alerts\":[1,{\"condition\":\"nosuch\"},{}],\"waiting\":[null,{\"condition\":\"disk\"}]}"
    try Data(text.utf8).write(to: URL(filePath: file))
    try expectEqual(AlertState.read(file), AlertState())
  }

  /// Whatever stands there.
  @Test(arguments: 0..<extent(landing: 40, release: 400))
  func damageEndsNothing(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    try Self.random(seed).write(to: file)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
    for _ in 0..<20 where !bytes.isEmpty {
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: .min ... .max, using: &random)
      if random.chance(10) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      try Data(bytes).write(to: URL(filePath: file))
      guard let state = try? AlertState.read(file) else { continue }
      expect(state.waiting.count <= AlertQueue.most, "seed \(seed)")
      expect(state.entries.values.allSatisfy { (0...1_000).contains($0.returns) }, "seed \(seed)")
    }
  }
}
