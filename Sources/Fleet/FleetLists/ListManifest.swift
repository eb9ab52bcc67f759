internal import LibCrypto
internal import ScanModel
package import TicketLists
internal import WireCoding

/// What a station says of a list that it gives: what the list is, how old, and which pieces are all of it. It is written last, and again
/// whenever the list was fetched anew.
package struct ListManifest: Equatable, Sendable {
  static let digestLength = 8
  private static let longestText = 255

  package var head: SharedListHead
  /// How old the newest of the list was when this was written, by the clocks of the station that wrote it. A list's own times are compared with
  /// each other alone, and never with another machine's clock.
  package var age: Duration
  /// What tells each piece from every other one, in their order.
  package var digests: [[UInt8]]

  package init(head: SharedListHead, age: Duration, digests: [[UInt8]]) {
    self.head = head
    self.age = age
    self.digests = digests
  }

  /// What tells a piece from every other one.
  package static func digest(of piece: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: piece).prefix(digestLength)) }

  var bytes: [UInt8] {
    var writer = WireWriter()
    writer.put(age)
    writer.put(head.asOf.nanoseconds)
    switch head.whole {
    case .own: writer.put(1 as UInt8)
    case .at(let time):
      writer.put(2 as UInt8)
      writer.put(time.nanoseconds)
    case .never: writer.put(3 as UInt8)
    }
    writer.put(UInt32(clamping: head.count))
    writer.put(UInt16(clamping: head.codeBits))
    writer.put(head.codeLooks, limit: Self.longestText)
    writer.put(UInt8(clamping: head.bits))
    writer.putList(digests) { writer, digest in for byte in digest { writer.put(byte) } }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes)
    age = try reader.takeDuration()
    guard age >= .zero else { throw WireError("a list is of a time to come") }
    let asOf = WallTime(nanoseconds: try reader.take())
    let whole: SharedListHead.Whole =
      switch try reader.take(UInt8.self) {
      case 1: .own
      case 2: .at(WallTime(nanoseconds: try reader.take()))
      case 3: .never
      case let other: throw WireError("\(other) is no word for how much a list has")
      }
    let count = Int(try reader.take(UInt32.self))
    let codeBits = Int(try reader.take(UInt16.self))
    let looks = try reader.takeText(limit: Self.longestText)
    let bits = Int(try reader.take(UInt8.self))
    guard bits <= SharedListHead.mostBits else { throw WireError("a list has too many pieces") }
    digests = try reader.takeList(limit: 1 << bits) { reader throws(WireError) in
      var digest: [UInt8] = []
      for _ in 0..<Self.digestLength { digest.append(try reader.take()) }
      return digest
    }
    try reader.end()
    guard digests.count == 1 << bits else { throw WireError("a list lacks pieces") }
    head = SharedListHead(asOf: asOf, whole: whole, count: count, codeBits: codeBits, codeLooks: looks, bits: bits)
  }
}
