internal import FoundationEssentials
package import ScanModel
package import Sealing

/// What a running service shows while it is set up, for commands that wait: the last steps, in a record.
package struct SetUpDiary: Sendable {
  /// One step.
  package struct Entry: Sendable, Equatable, Codable {
    /// Counts up from 1.
    package var number: UInt64
    /// `SetUpSignal.name`.
    package var signal: String
    /// What happened, without secrets.
    package var words: String
    /// When.
    package var at: WallTime
  }

  private static let name = "setup"
  private static let most = 16
  private let store: SealedRecordStore

  /// Names the store; touches nothing.
  package init(_ store: SealedRecordStore) { self.store = store }

  /// The steps that are kept, the last ones; a diary that cannot be read is empty.
  package func entries() -> [Entry] { (try? store.get(Self.name)).map { Self.read($0) } ?? [] }

  /// Adds a step.
  /// - Parameter words: what happened, without secrets; cut at 400 characters.
  package func add(_ signal: SetUpSignal, _ words: String, at time: WallTime) throws(SealFault) {
    try store.update(Self.name, replacingDamaged: true) { bytes in
      var entries = bytes.map { Self.read($0) } ?? []
      let number = (entries.last?.number ?? 0) &+ 1
      entries.append(
        Entry(number: number, signal: signal.name, words: TerminalText.clean(words, limit: 400), at: time))
      return (try? JSONEncoder().encode(Array(entries.suffix(Self.most)))).map { [UInt8]($0) } ?? bytes
    }
  }

  private static func read(_ bytes: [UInt8]?) -> [Entry] {
    bytes.flatMap { try? JSONDecoder().decode([Entry].self, from: Data($0)) } ?? []
  }
}
