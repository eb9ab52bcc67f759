internal import WireText
internal import ScanModel
internal import TicketTransport

/// What a JSON web token (RFC 7519) says of itself. Nothing is verified: whoever has made it can have written anything, so
/// it is good for a warning and for nothing else. A text that is no such token is just opaque.
enum WebToken {
  /// No time beyond this one (the year 10000) is meant seriously; milliseconds taken for seconds lie there.
  private static let farthest: Int64 = 253_402_300_800

  /// When it ends (`exp`); `nil` where it does not say, or is no such token.
  static func expires(_ text: String) -> WallTime? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = decode(parts[1]), let claims = try? JSONValue(bytes),
      case .number(let digits)? = claims["exp"], let seconds = Double(digits), seconds > 0,
      seconds < Double(farthest)
    else { return nil }
    return WallTime(seconds: Int64(seconds))
  }

  /// Base64url without padding (RFC 4648, 5), strictly.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard !text.isEmpty, text.count <= ControlToken.longest, text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in text {
      let value: UInt8
      switch byte {
      case 0x41...0x5A: value = byte - 0x41
      case 0x61...0x7A: value = byte - 0x61 + 26
      case 0x30...0x39: value = byte - 0x30 + 52
      case UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "_"): value = 63
      default: return nil
      }
      buffer = (buffer << 6 | UInt32(value)) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return bytes
  }
}
