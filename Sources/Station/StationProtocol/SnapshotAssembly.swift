package import WireCoding

extension StationSnapshot {
  /// The pieces in which it travels; none where it is longer than any listener takes.
  package var parts: [SnapshotPart] {
    let bytes = bytes
    guard bytes.count <= StationLimits.maximumSnapshot else { return [] }
    let starts = Array(stride(from: 0, to: max(bytes.count, 1), by: StationLimits.maximumPart))
    return starts.enumerated().map { index, start in
      SnapshotPart(
        index: UInt16(truncatingIfNeeded: index), isLast: index == starts.count - 1,
        bytes: Array(bytes[start..<min(start + StationLimits.maximumPart, bytes.count)]))
    }
  }
}

/// Puts the pieces of a snapshot together again.
package struct SnapshotAssembly: Sendable {
  private var bytes: [UInt8] = []
  private var next: UInt16 = 0

  /// Begins with nothing.
  package init() {}

  /// Takes the next piece.
  /// - Returns: the snapshot, with its last piece.
  /// - Throws: where pieces are missing, or too many, or are no snapshot together.
  package mutating func take(_ part: SnapshotPart) throws(WireError) -> StationSnapshot? {
    guard part.index == next else { throw WireError("piece \(part.index) of a snapshot in the place of \(next)") }
    guard bytes.count + part.bytes.count <= StationLimits.maximumSnapshot else {
      throw WireError("a snapshot of more than \(StationLimits.maximumSnapshot) bytes")
    }
    bytes += part.bytes
    guard part.isLast else {
      // A piece of nothing would go on for ever.
      guard !part.bytes.isEmpty, next < .max else { throw WireError("a snapshot of too many pieces") }
      next += 1
      return nil
    }
    let whole = bytes
    self = SnapshotAssembly()
    return try StationSnapshot(bytes: whole)
  }
}
