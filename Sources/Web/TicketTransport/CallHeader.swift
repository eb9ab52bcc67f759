/// A header that one call has of its own. Prints its name and never its value: a value may be a secret.
package struct CallHeader: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Why a header cannot be sent with a call. Never holds its value.
  package enum Fault: Error, Equatable, CustomStringConvertible {
    /// Not a token of 1 to 64 characters (RFC 9110, 5.6.2).
    case invalidName
    /// One that the transport sets itself, or that would change how a request is read: `Host`, `Content-Length`, `Expect`.
    case reserved(name: String)
    /// Empty, longer than 1,024 characters, with blanks around it, or with anything else than printable ASCII.
    case invalidValue(name: String)
    /// A second one of that name.
    case repeated(name: String)
    /// More than `HTTPCall.mostHeaders`.
    case tooMany

    package var description: String {
      switch self {
      case .invalidName: "A header has a name that no header can have."
      case .reserved(let name): "The header \(name) is the transport's own."
      case .invalidValue(let name): "The header \(name) has a value that no header can have."
      case .repeated(let name): "The header \(name) is there twice."
      case .tooMany: "A call has more than \(HTTPCall.mostHeaders) headers of its own."
      }
    }
  }

  /// The name, as it is sent.
  package let name: String
  let value: String

  /// Makes a header.
  /// - Parameters:
  ///   - name: 1 to 64 characters of a token, in any case; none of those that the transport sets.
  ///   - value: 1 to 1,024 printable ASCII characters; blanks only between them.
  /// - Throws: `Fault` where it cannot be sent.
  package init(_ name: String, _ value: String) throws(Fault) {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(\.isOfToken) else { throw .invalidName }
    let folded = name.lowercased()
    guard !Self.reserved.contains(folded), !folded.hasPrefix("proxy-"), !folded.hasPrefix("sec-") else {
      throw .reserved(name: name)
    }
    guard (1...1_024).contains(value.utf8.count), value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
      value.first != " ", value.last != " "
    else { throw .invalidValue(name: name) }
    self.name = name
    self.value = value
  }

  /// What the transport or its HTTP client sets, what a credential is for, and what changes the form of request or answer.
  private static let reserved: Set<String> = [
    "accept", "accept-encoding", "authorization", "cache-control", "connection", "content-encoding", "content-length",
    "content-type", "cookie", "expect", "host", "keep-alive", "range", "te", "trailer", "transfer-encoding", "upgrade",
    "user-agent",
  ]

  package var description: String { name }
  package var debugDescription: String { name }
  package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension UInt8 {
  /// A character of a token (RFC 9110, 5.6.2).
  fileprivate var isOfToken: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
