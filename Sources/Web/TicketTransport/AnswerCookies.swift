package import ScanModel
internal import WireText

/// The cookies that an answer sets. Bounded, whatever a server sends; prints none of them: a cookie may be a session.
package struct AnswerCookies: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// A cookie that an answer sets, where it has a value that can be sent back.
  package struct Cookie: Sendable, Equatable {
    /// Its value; kept as a key is.
    package var value: Secret
    /// For how long it holds from the answer on, by `Max-Age`, else by `Expires`; `nil` where neither says so. Zero or less takes it
    /// away.
    package var life: Duration?
  }

  /// How many are kept; what comes after them is not.
  package static let most = 16
  /// The longest line, in bytes; a longer one is none.
  package static let longest = 4_096

  /// By names, as they are written; the last one of a name counts.
  private var cookies: [String: Cookie] = [:]

  package init() {}

  /// Takes one `Set-Cookie` line (RFC 6265, 5.2). Where it is meant to go is its user's matter: path and domain are not kept.
  /// - Parameter date: when the answer was made, by the clock that `Expires` goes by.
  package mutating func add(_ line: String, at date: WallTime) {
    guard line.utf8.count <= Self.longest else { return }
    let parts = line.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
    guard let pair = parts.first, let sign = pair.firstIndex(of: "=") else { return }
    let name = String(Self.trimmed(pair[..<sign]))
    var value = Self.trimmed(pair[pair.index(after: sign)...])
    if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
    guard (1...64).contains(name.utf8.count), let secret = try? Secret(String(value)),
      cookies[name] != nil || cookies.count < Self.most
    else { return }
    var life: Duration?
    var hasAge = false
    for part in parts.dropFirst() {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
      guard words.count == 2 else { continue }
      switch words[0].lowercased() {
      case "max-age":
        guard let seconds = Int64(words[1]) else { continue }
        (life, hasAge) = (.seconds(min(max(seconds, 0), 100_000_000)), true)
      case "expires" where !hasAge:
        // Some write it with hyphens.
        let text = words[1].split(separator: "-").joined(separator: " ")
        if let ends = HTTPDate.read(text, now: date) ?? HTTPDate.read(String(words[1]), now: date) {
          life = ends - date
        }
      default: break
      }
    }
    cookies[name] = Cookie(value: secret, life: life)
  }

  /// The cookie of a name; `nil` where none was set that can be sent back.
  package subscript(name: String) -> Cookie? { cookies[name] }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return text
  }

  package var description: String { "\(cookies.count) cookies" }
  package var customMirror: Mirror { Mirror(self, children: ["count": cookies.count]) }
}
