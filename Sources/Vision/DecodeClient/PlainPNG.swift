/// Writes PNGs (ISO/IEC 15948) without compression: the smallest thing that every program can show. Nothing here reads one.
package enum PlainPNG {
  /// In black and white.
  /// - Parameters:
  ///   - width: in pixels.
  ///   - rows: eight pixels a byte, the leftmost in the highest bit; 1 is white.
  package static func bytes(width: Int, rows: [[UInt8]]) -> [UInt8] {
    file(width, rows.count, form: [1, 0], rows.flatMap { row -> [UInt8] in [0] + row })
  }

  /// In colours.
  /// - Parameters:
  ///   - width: in pixels; 1 or more.
  ///   - rgba: red, green, blue and how opaque it is, a byte each, row by row; what is no whole row is left out.
  package static func bytes(width: Int, rgba: [UInt8]) -> [UInt8] {
    let row = 4 * width
    let height = rgba.count / row
    var rows: [UInt8] = []
    rows.reserveCapacity((row + 1) * height)
    for start in stride(from: 0, to: row * height, by: row) {
      rows.append(0)
      rows += rgba[start..<start + row]
    }
    return file(width, height, form: [8, 6], rows)
  }

  /// - Parameters:
  ///   - form: bits of a sample, and what the samples are.
  ///   - pixels: each row begins with its filter, which is none.
  private static func file(_ width: Int, _ height: Int, form: [UInt8], _ pixels: [UInt8]) -> [UInt8] {
    let header =
      number(UInt32(truncatingIfNeeded: width)) + number(UInt32(truncatingIfNeeded: height)) + form + [0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("IDAT", stored(pixels)) + chunk("IEND", [])
  }

  /// A zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    let longest = 65_535
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bytes.count, by: longest) {
      let block = bytes[start..<min(start + longest, bytes.count)]
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      stream += [block.endIndex == bytes.count ? 1 : 0, low, high, ~low, ~high] + block
    }
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return stream + number(b << 16 | a)
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = [UInt8](type.utf8) + content
    return number(UInt32(truncatingIfNeeded: content.count)) + body + number(checksum(body))
  }

  /// CRC-32 of annex D.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes { sum = sum >> 8 ^ remainders[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    return ~sum
  }

  private static let remainders = (0..<256 as Range<UInt32>).map { byte in
    (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(value >> (24 - 8 * UInt32($0)) & 0xFF) }
  }
}
