internal import FoundationEssentials
public import ScanModel
public import Sealing

/// What a running service shows while it is set up, for commands that wait: the last steps, in a record.
public struct SetUpDiary: Sendable {
  /// One step.
  public struct Entry: Sendable, Equatable, Codable {
    /// Counts up from 1.
    public var number: UInt64
    /// `SetUpSignal.name`.
    public var signal: String
    /// What happened, without secrets.
    public var words: String
    /// When.
    public var at: WallTime
  }

  private static let name = "setup"
  private static let most = 16
  private let store: SealedRecordStore

  /// Names the store; touches nothing.
  public init(_ store: SealedRecordStore) { self.store = store }

  /// The steps that are kept, the last ones; a diary that cannot be read is empty.
  public func entries() -> [Entry] { (try? store.get(Self.name)).map { Self.read($0) } ?? [] }

  /// Adds a step.
  /// - Parameter words: what happened, without secrets; cut at 400 characters.
  public func add(_ signal: SetUpSignal, _ words: String, at time: WallTime) throws(SealFault) {
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
