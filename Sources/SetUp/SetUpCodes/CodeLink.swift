internal import WireText
internal import ScanModel

/// The kiosk service's codes that are links: `<address>/activate?kioskId=…&code=…`, where the address is that of a page, and
/// often none at all.
enum CodeLink {
  static func form(_ bytes: [UInt8]) -> SetUpForm {
    let small = bytes.map(\.lowercased)
    if small.starts(with: "nova-tv:".utf8) { return .foreign }
    guard let (page, query) = parts(small) else { return .plain }
    if page.ends(with: "/admin/tv-activate") { return .foreign }
    guard page.ends(with: "/activate"), query.contains(where: { $0.name.elementsEqual("code".utf8) }) else {
      return .plain
    }
    return .link
  }

  /// Reads what has the form of a link.
  static func read(_ code: Code) throws(Refusal) -> ToldActivation {
    guard let (page, query) = parts(code.bytes) else { throw Refusal(damaged: "its address") }
    func value(_ name: String) throws(Refusal) -> String? {
      let found = query.filter { $0.name.map(\.lowercased) == [UInt8](name.utf8) }
      guard let first = found.first else { return nil }
      guard found.count == 1, let bytes = PercentCoding.decode(first.value),
        let text = String(validating: bytes, as: UTF8.self)
      else { throw Refusal(damaged: "its \(name)") }
      return text
    }
    guard let text = try value("code"), ActivationText.isCode(text) else { throw Refusal(damaged: "its code") }
    var kiosk = try value("kioskid").flatMap { $0.isEmpty ? nil : $0 }
    // What a scanner's caps lock has turned is turned back.
    if query.contains(where: { $0.name.elementsEqual("CODE".utf8) }) { kiosk = kiosk.map(ActivationText.turned) }
    if let kiosk, !ActivationText.isKioskID(kiosk) { throw Refusal(damaged: "its kiosk's identifier") }
    return ToldActivation(
      code: ActivationCode(code: text.uppercased(), kioskID: kiosk, isLinked: true), server: server(of: page),
      expires: nil)
  }

  /// Host and port that `text` means, read leniently and for comparing only: whatever it is, it is not spoken to.
  static func hostAndPort(_ text: String) -> String {
    var bytes = text.utf8.map(\.lowercased)[...]
    var port = 443
    if let end = NamedServer.schemeEnd(of: bytes) {
      if bytes[..<end].elementsEqual("http".utf8) { port = 80 }
      bytes = bytes[(end + 3)...]
    }
    let authority = bytes.prefix { $0 != UInt8(ascii: "/") }
    let name = String(decoding: authority, as: UTF8.self)
    // Behind the bracket, where there is one, a colon begins the port.
    let tail = authority.lastIndex(of: UInt8(ascii: "]")).map { authority[$0...] } ?? authority
    return tail.contains(UInt8(ascii: ":")) ? name : "\(name):\(port)"
  }

  private typealias Parameter = (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)

  private static func parts(_ bytes: [UInt8]) -> (page: ArraySlice<UInt8>, query: [Parameter])? {
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }), let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
      return nil
    }
    var page = bytes[..<mark]
    if page.last == UInt8(ascii: "/") { page.removeLast() }
    let query = bytes[(mark + 1)...].prefix { $0 != UInt8(ascii: "#") }
    return (
      page,
      query.split(separator: UInt8(ascii: "&")).map {
        let name = $0.prefix { $0 != UInt8(ascii: "=") }
        return (name, $0.dropFirst(name.count + 1))
      }
    )
  }

  /// The address without the page's path: that is not the path of what stations speak to.
  private static func server(of page: ArraySlice<UInt8>) -> String? {
    let scheme = NamedServer.schemeEnd(of: page).map { page[..<($0 + 3)] } ?? page.prefix(0)
    var rest = page.dropFirst(scheme.count)
    if scheme.isEmpty, rest.starts(with: "//".utf8) { rest = rest.dropFirst(2) }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") }
    return authority.isEmpty ? nil : String(decoding: scheme + authority, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
