internal import TicketLists
internal import WireCoding

/// What a station says of what it gives besides lists of tickets: how old it is, and which pieces are all of it. It is written last.
package struct KnowledgeManifest: Equatable, Sendable {
  /// The most pieces that are given and taken.
  package static let mostPieces = 8
  /// The most bytes.
  package static let mostBytes = mostPieces * SharedListHead.longestPiece
  private static let version: UInt8 = 1

  /// How old it was when this was written, by the clocks of the station that wrote it.
  package var age: Duration
  /// What tells each piece from every other one, in their order.
  package var digests: [[UInt8]]

  package init(age: Duration, digests: [[UInt8]]) {
    self.age = age
    self.digests = digests
  }

  /// Bytes as they are given; `nil` where they are too many.
  static func pieces(of bytes: [UInt8]) -> [[UInt8]]? {
    guard bytes.count <= mostBytes else { return nil }
    return stride(from: 0, to: bytes.count, by: SharedListHead.longestPiece).map {
      Array(bytes[$0..<min(bytes.count, $0 + SharedListHead.longestPiece)])
    }
  }

  package var bytes: [UInt8] {
    var writer = WireWriter()
    writer.put(Self.version)
    writer.put(age)
    writer.putList(digests) { writer, digest in writer.put(bytes: digest) }
    return writer.bytes
  }

  package init(_ bytes: [UInt8]) throws(ListSeal.Fault) {
    guard bytes.first.map({ $0 <= Self.version }) ?? true else { throw .laterVersion }
    do throws(WireError) {
      var reader = WireReader(bytes)
      guard try reader.take() == Self.version else { throw WireError("it is of no version") }
      age = try reader.takeDuration()
      guard age >= .zero else { throw WireError("it is of a time to come") }
      digests = try reader.takeList(limit: Self.mostPieces) { reader throws(WireError) in
        let digest = try reader.takeBytes(limit: ListManifest.digestLength)
        guard digest.count == ListManifest.digestLength else { throw WireError("a piece is not named") }
        return digest
      }
      try reader.end()
    } catch { throw .garbage(error.description) }
  }
}
