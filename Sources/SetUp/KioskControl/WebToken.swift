internal import FoundationEssentials
internal import WireText
internal import ScanModel

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
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    let usual = String(decoding: text, as: UTF8.self)
    guard !usual.contains(where: { "+/=".contains($0) }) else { return nil }
    let coded = usual.replacing("-", with: "+").replacing("_", with: "/") + padding
    return Data(base64Encoded: coded).map { [UInt8]($0) }
  }
}
