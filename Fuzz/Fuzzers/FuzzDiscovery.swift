import EventSchedule
import ScanModel
import TicketTransport
import WireText

private func isPlain(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{202E}" }
}

/// What a server tells of itself: where its API is, what it can do, how it wants to look, what its events are.
///
/// The input: a byte that says which server was typed, then the document.
func fuzzDiscovery(_ input: inout FuzzInput) {
  let url = input.choice(["https://a.example", "https://a.example:8443/base", "http://127.0.0.1:80", "https://[::1]"])
  guard let typed = try? ServerAddress(url), let document = try? JSONValue(input.remainder()) else { return }

  if let discovery = Discovery(document) {
    property(
      (try? JSONValue([UInt8](discovery.json.utf8))).flatMap(Discovery.init) == discovery, "what is kept reads the same"
    )
    let facts = discovery.versions + discovery.limits + discovery.signInEndpoints
    let texts =
      [discovery.name, discovery.signIn, discovery.oldestApp].compactMap(\.self) + discovery.features
      + facts.flatMap { [$0.name, $0.value] }
    property(texts.allSatisfy(isPlain), "it steers no terminal")
    property(texts.allSatisfy { $0.unicodeScalars.count <= Discovery.longestText }, "what is shown is short")
    property(
      [discovery.features.count, discovery.versions.count, discovery.limits.count].allSatisfy {
        $0 <= Discovery.mostFacts
      }, "lists are bounded")
    if let api = try? APIPlace.find(discovery.api, typed: typed) {
      property(api.isSameServer(as: typed), "a document alone moves the key to no other server")
    }
    if let api = try? APIPlace.find(discovery.api, typed: typed, allowed: "b.example") {
      property(
        api.isSameServer(as: typed) || (api.isSecure && api.host == "b.example" && api.port == 443),
        "a key goes to whom a person has named")
    }
    look(at: discovery.branding, typed)
    let instance = ConnectedInstance(
      name: "main", url: typed, api: typed, credential: "main", ownsCredential: true, caFile: nil,
      discovery: .init(discovery, at: WallTime(seconds: 1)))
    property(ConnectedInstance(name: "main", instance.bytes) == instance, "a record reads the same")
  }

  if let branding = Branding(document) {
    property(
      (try? JSONValue([UInt8](branding.json.utf8))).flatMap(Branding.init) == branding,
      "a look that is kept reads the same")
    for pair in [branding.page, branding.primary, branding.secondary, branding.accent] {
      property(pair.text.contrast(to: pair.ground) >= BrandColour.readable, "every text can be read")
    }
    property((0...32).contains(branding.buttonRadius), "corners are bounded")
    for case .some(let text) in [branding.legalFooter, branding.logoText] {
      property(isPlain(text) && text.unicodeScalars.count <= 200, "a line is plain and short")
    }
    look(at: branding.logo, typed)
    look(at: branding.wordmark, typed)
  }

  if let page = EventPage(document) {
    property(page.events.count <= EventPage.mostEvents && page.total ?? 0 >= 0, "a page is bounded")
    for event in page.events {
      for case .some(let text) in [event.id, event.name, event.starts, event.venue] {
        property(isPlain(text) && text.unicodeScalars.count <= 200, "an event is plain and short")
      }
    }
  }
}

/// An address that a document names.
private func look(at address: Discovery.Address, _ typed: ServerAddress) {
  guard case .told(let text) = address else { return }
  property(text.utf8.count <= Discovery.longestAddress && isPlain(text), "an address is plain and short")
  guard let linked = LinkedAddress(text, of: typed) else { return }
  property(linked.server.isSecure || linked.server.isSameServer(as: typed), "nobody else is asked without TLS")
  property(
    linked.target.hasPrefix("/") && linked.target.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && !linked.target.contains("#"),
    "a target fits a request")
}
