package import FleetBook
package import ScanModel

/// A store as the port describes it, without network and clock: compare and set, and what a full disk and a delete mark come to.
package struct ClaimTable<Value: Hashable & Sendable>: Hashable, Sendable {
  /// A value, and where it stands in the order of all writes.
  package struct Row: Hashable, Sendable {
    package var value: Value
    package var revision: ClaimRevision
    package var replaced: ClaimRevision
    package var time: WallTime
  }

  /// What each key has now.
  package private(set) var rows: [ClaimKey: Row] = [:]
  private var marks: [ClaimKey: ClaimRevision] = [:]
  private var last: UInt64 = 0
  /// Whether it takes nothing more.
  package var isFull = false

  package init() {}

  /// Writes where the key's last revision is `revision`, at `time` by the leader's clock.
  package mutating func write(
    _ key: ClaimKey, _ value: Value, at revision: ClaimRevision, time: WallTime
  ) -> Result<ClaimRevision, ClaimFault> {
    guard (marks[key] ?? rows[key]?.revision ?? .none) == revision else { return .failure(.wrongRevision) }
    if isFull { return .failure(.full) }
    last += 1
    marks[key] = nil
    rows[key] = Row(value: value, revision: ClaimRevision(last), replaced: revision, time: time)
    return .success(ClaimRevision(last))
  }

  /// What the key has; `nil` where it was never written.
  package func read(_ key: ClaimKey) -> Result<Row?, ClaimFault> {
    marks[key] == nil ? .success(rows[key]) : .failure(.deleted)
  }

  /// Puts a delete mark there, as no station does.
  package mutating func delete(_ key: ClaimKey) -> ClaimRevision {
    last += 1
    rows[key] = nil
    marks[key] = ClaimRevision(last)
    return ClaimRevision(last)
  }
}
