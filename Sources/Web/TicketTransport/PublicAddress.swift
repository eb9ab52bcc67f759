/// Which IP addresses are everybody's: what a stranger's document names must not lead into a network of our own. Pure.
///
/// By IANA's registries of special-purpose addresses (RFC 6890); what they do not know to be global is not.
package enum PublicAddress {
  /// Whether an address of 4 or 16 bytes, in the order of the network, is global and one machine's.
  package static func isPublic(_ bytes: [UInt8]) -> Bool {
    switch bytes.count {
    case 4: !reserved4.contains { $0.holds(bytes) }
    case 16: isPublic6(bytes)
    default: false
    }
  }

  private static func isPublic6(_ bytes: [UInt8]) -> Bool {
    // An IPv4 address by the translators of a network without IPv4 (RFC 6052) or by 6to4 (RFC 3056).
    if translated.holds(bytes) { return isPublic(Array(bytes[12...])) }
    if sixToFour.holds(bytes) { return isPublic(Array(bytes[2..<6])) }
    return global6.holds(bytes) && !reserved6.contains { $0.holds(bytes) }
  }

  private struct Network {
    let bytes: [UInt8]
    let bits: Int

    init(_ bits: Int, _ bytes: UInt8...) {
      self.bytes = bytes
      self.bits = bits
    }

    func holds(_ address: [UInt8]) -> Bool {
      for bit in 0..<bits {
        let place = bit / 8
        let known: UInt8 = place < bytes.count ? bytes[place] : 0
        if (address[place] ^ known) & (0x80 >> UInt8(bit % 8)) != 0 { return false }
      }
      return true
    }
  }

  private static let reserved4 = [
    Network(8, 0), Network(8, 10), Network(10, 100, 64), Network(8, 127), Network(16, 169, 254), Network(12, 172, 16),
    Network(24, 192, 0, 0), Network(24, 192, 0, 2), Network(24, 192, 88, 99), Network(16, 192, 168),
    Network(15, 198, 18), Network(24, 198, 51, 100), Network(24, 203, 0, 113), Network(4, 224), Network(4, 240),
  ]
  private static let translated = Network(96, 0x00, 0x64, 0xFF, 0x9B)
  private static let sixToFour = Network(16, 0x20, 0x02)
  /// All global unicast addresses that were given out; mapped, local, unique local and multicast ones lie outside.
  private static let global6 = Network(3, 0x20)
  private static let reserved6 = [
    Network(23, 0x20, 0x01, 0x00), Network(32, 0x20, 0x01, 0x0D, 0xB8), Network(20, 0x3F, 0xFF, 0x00),
  ]
}
