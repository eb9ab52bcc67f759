package import ScanModel

/// The port to where stations of a fleet give each other what lists of tickets have, beside the book: values under places, of which each
/// station writes its own. Nothing of a claim hangs on it, and nothing that it tells is believed unproven.
package protocol ListStore: Sendable {
  /// Writes, whatever was there.
  /// - Parameter end: when the answer is lost, by the clock of `TimeSource.now`.
  nonisolated(nonsending) func put(
    _ place: ListPlace, _ value: [UInt8], until end: MonotonicTime
  ) async throws(ClaimFault)

  /// What was written there last, as the leader knows it; `nil` where nothing was.
  nonisolated(nonsending) func get(_ place: ListPlace, until end: MonotonicTime) async throws(ClaimFault)
    -> StoredListPart?

  /// Now, by the leader's clock.
  nonisolated(nonsending) func now(until end: MonotonicTime) async throws(ClaimFault) -> WallTime
}

/// Where a part of a list lies.
package struct ListPlace: Hashable, Sendable {
  /// What it is a part of.
  package enum Part: Hashable, Sendable {
    /// What the list is, and of which pieces.
    case manifest
    /// Some of its tickets; counted from 0.
    case piece(Int)
  }

  /// The station that gives it, and alone may write there.
  package var station: StationID
  /// What the fleet calls the list: `FleetKey.name(ofListOf:scope:)`, or `name(ofKnowledgeOf:)` for what is no list of tickets.
  package var list: [UInt8]
  package var part: Part

  package init(station: StationID, list: [UInt8], _ part: Part) {
    self.station = station
    self.list = list
    self.part = part
  }

  /// `office.5f0c….m`, `office.5f0c….12`: a name that a stream takes.
  package var description: String {
    let name = list.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    return switch part {
    case .manifest: "\(station).\(name).m"
    case .piece(let number): "\(station).\(name).\(number)"
    }
  }
}

/// What lies in a place.
package struct StoredListPart: Hashable, Sendable {
  package var value: [UInt8]
  /// When the leader took it, by its clock.
  package var time: WallTime

  package init(value: [UInt8], time: WallTime) {
    self.value = value
    self.time = time
  }
}
