/// Writes a black and white PNG (ISO/IEC 15948) without compression: the smallest thing that every program can show. Nothing here
/// reads one.
enum PlainPNG {
  /// - Parameters:
  ///   - width: in pixels.
  ///   - rows: eight pixels a byte, the leftmost in the highest bit; 1 is white.
  static func bytes(width: Int, rows: [[UInt8]]) -> [UInt8] {
    var header = number(UInt32(truncatingIfNeeded: width)) + number(UInt32(truncatingIfNeeded: rows.count))
    header += [1, 0, 0, 0, 0]  // one bit, grey, and the only methods that there are
    // Each row begins with its filter, which is none.
    let pixels: [UInt8] = rows.flatMap { row -> [UInt8] in [0] + row }
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
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(value >> (24 - 8 * UInt32($0)) & 0xFF) }
  }
}
