package import LibCrypto
internal import ScanModel
internal import WireCoding

/// Signs orders for a whole fleet, and reads them.
///
/// One is: version, what it says, and an administrator's signature (Ed25519) over that, the event's name and a beginning that no program
/// signs for a server: whoever connects signs what the server has drawn, and that is text of JSON, which has neither of its two bytes.
package struct FleetOrderSeal: Sendable {
  /// The version that is written and read.
  package static let version: UInt8 = 1
  /// The longest in bytes.
  package static let longest = 512
  private static let begin: [UInt8] = [0xFF, 0x00]

  private let event: String
  private let administrators: [Ed25519.PublicKey]

  /// - Parameters:
  ///   - event: whose stations are meant.
  ///   - administrators: whose word counts.
  package init(event: String, administrators: [Ed25519.PublicKey]) {
    self.event = event
    self.administrators = administrators
  }

  /// Whether anybody's word counts.
  package var believesSomebody: Bool { !administrators.isEmpty }

  /// The bytes of an order; `nil` of one that cannot be said, or where nobody signs.
  /// - Parameter sign: an administrator's signature.
  package func seal(_ order: FleetOrder, by sign: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
    guard order.flaw == nil else { return nil }
    var writer = WireWriter()
    writer.put(Self.version)
    order.put(into: &writer)
    return sign(signed(writer.bytes[...])).map { writer.bytes + $0 }
  }

  /// What such bytes say; whoever made them, they end nothing.
  package func open(_ bytes: [UInt8]) -> FleetOrderReading {
    guard (1...Self.longest).contains(bytes.count) else {
      return .unusable("it has \(bytes.count) bytes, and an order 1 to \(Self.longest)")
    }
    guard bytes[0] <= Self.version else {
      return .unusable("it is of version \(bytes[0]), which this version of scangate does not know")
    }
    guard bytes[0] == Self.version, bytes.count > Ed25519.signatureLength else {
      return .unusable("it is none, or was damaged")
    }
    guard believesSomebody else { return .unusable("fleet.administrators names nobody whose word would count") }
    let body = bytes.dropLast(Ed25519.signatureLength)
    let signature = Array(bytes.suffix(Ed25519.signatureLength))
    let message = signed(body)
    guard administrators.contains(where: { $0.isValidSignature(signature, for: message) }) else {
      return .unusable("nobody of fleet.administrators has signed it for this event")
    }
    var reader = WireReader(body)
    do throws(WireError) {
      _ = try reader.take(UInt8.self)
      let order = try FleetOrder(&reader)
      try reader.end()
      return .known(order)
    } catch { return .unusable("it is signed, and cannot be read (\(error.description))") }
  }

  private func signed(_ body: ArraySlice<UInt8>) -> [UInt8] {
    var writer = WireWriter()
    writer.put("scangate order")
    writer.put(event)
    return Self.begin + writer.bytes + body
  }
}

/// What is read where an order may lie.
package enum FleetOrderReading: Hashable, Sendable {
  /// An order of the fleet's.
  case known(FleetOrder)
  /// None that counts: why.
  case unusable(String)
}
