internal import WireText
internal import ScanModel
internal import TicketTransport

/// Takes the secret out of a ticket's URL. Printed and mailed tickets hold `https://…/ticket/view/{event}/{secret}`,
/// under any host and base path; wallet passes hold the bare secret. The URL is read, never fetched.
enum TicketURL {
  /// A longer text is no event's identifier: a secret that stands in its place is not taken for one.
  private static let longestEvent = 31

  /// The secret in `code`, as `read` has it.
  static func secret(in code: Code) -> Code { read(code).code }

  /// The secret in `code`, its case kept, and the event before it; `code` itself if it is no ticket URL or its secret cannot be read.
  static func read(_ code: Code) -> RecognisedCode {
    let bytes = code.bytes[...]
    let bare = RecognisedCode(code)
    guard let rest = afterScheme(bytes) else { return bare }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    // A user name before the host, or a backslash, is there to make a URL look like another one.
    guard !authority.isEmpty, !rest.contains(UInt8(ascii: "\\")), !authority.contains(UInt8(ascii: "@")) else {
      return bare
    }
    var path = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if path.last == UInt8(ascii: "/") { path = path.dropLast() }
    let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).suffix(5)
    // The part before "ticket" is at least the empty one in front of the path's first slash.
    guard parts.count == 5 else { return bare }
    let tail = Array(parts.dropFirst())
    guard tail[0].elementsEqual("ticket".utf8), tail[1].elementsEqual("view".utf8), !tail[2].isEmpty,
      let secret = PercentCoding.decode(tail[3]), isPlain(secret)
    else { return bare }
    return RecognisedCode(Code(bytes: secret), event: event(tail[2]))
  }

  private static func event(_ part: ArraySlice<UInt8>) -> String? {
    guard let event = PercentCoding.decode(part), event.count <= longestEvent,
      event.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return String(decoding: event, as: UTF8.self)
  }

  private static func afterScheme(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for scheme in ["https://", "http://"] {
      let start = bytes.prefix(scheme.utf8.count)
      if start.count == scheme.utf8.count, zip(start, scheme.utf8).allSatisfy({ $0 | ($0.isCapital ? 0x20 : 0) == $1 })
      {
        return bytes[start.endIndex...]
      }
    }
    return nil
  }

  /// Whether decoding gave one path part's text without blanks and control characters. A slash could make it a URL again.
  private static func isPlain(_ secret: [UInt8]) -> Bool {
    guard let text = String(validating: secret, as: UTF8.self), !text.isEmpty, !secret.contains(UInt8(ascii: "/"))
    else {
      return false
    }
    return text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isWhitespace }
  }
}

extension UInt8 {
  fileprivate var isCapital: Bool { (0x41...0x5A).contains(self) }
}
