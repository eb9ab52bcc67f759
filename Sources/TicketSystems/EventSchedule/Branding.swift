internal import TicketTransport
package import WireText

/// How a server wants to look: colours, the round of its buttons, a line for its laws, pictures. Pure. Everything in it is within its
/// bounds, and every text can be read on what it stands on.
package struct Branding: Sendable, Equatable {
  /// A colour, and that of text on it.
  package struct Pair: Sendable, Equatable {
    /// What text stands on.
    package var ground: BrandColour
    /// At least 4.5:1 to it.
    package var text: BrandColour

    /// - Parameter text: wanted; what cannot be read becomes black or white.
    package init(_ ground: BrandColour, _ text: BrandColour) {
      self.ground = ground
      self.text = text.text(on: ground)
    }
  }

  /// The page.
  package var page: Pair
  /// The first colour, of buttons.
  package var primary: Pair
  /// The second one.
  package var secondary: Pair
  /// What is to be noticed.
  package var accent: Pair
  /// The radius of a button's corners in points, 0 to 32.
  package var buttonRadius: Int
  /// A line that the law asks for, at most 200 characters.
  package var legalFooter: String?
  /// Where the logo is, as it is told.
  package var logo: Discovery.Address
  /// What stands in the logo's place for whoever cannot see it.
  package var logoText: String?
  /// Where the name's picture is, as it is told.
  package var wordmark: Discovery.Address

  /// What is there where a server says nothing: the real server's own colours.
  package static let usual = Branding(
    page: Pair(.white, .black), primary: Pair(BrandColour(red: 0x1F, green: 0x29, blue: 0x37), .white),
    secondary: Pair(BrandColour(red: 0x11, green: 0x18, blue: 0x27), .white),
    accent: Pair(BrandColour(red: 0x37, green: 0x41, blue: 0x51), .white), buttonRadius: 8, legalFooter: nil,
    logo: .absent, logoText: nil, wordmark: .absent)

  private static let hexKeys = ["primary_hex", "secondary_hex", "accent_hex", "text_hex", "bg_hex"]
  private static let known = Set(
    hexKeys + [
      "logo_url", "logoUrl", "logoAlt", "wordmark_url", "wordmarkUrl", "colors", "button_radius", "buttonRadius",
      "legal_footer", "legalFooter",
    ])
}

extension Branding {
  /// Reads a document in either form; `nil` where it is none: no object, or one that says nothing that is known here.
  package init?(_ document: JSONValue) {
    guard case .object(let members) = document, !Self.known.isDisjoint(with: members.keys) else { return nil }
    let usual = Self.usual
    func colour(_ hex: String, _ names: String...) -> BrandColour? {
      let values = [members[hex]] + names.map { members["colors"]?[$0] }
      return values.lazy.compactMap { $0?.string.flatMap(BrandColour.init) }.first
    }
    /// A ground that is told without its text has the text that can be read on it.
    func pair(_ ground: BrandColour?, _ text: BrandColour?, _ usual: Pair) -> Pair {
      Pair(ground ?? usual.ground, text ?? usual.text)
    }
    page = pair(colour("bg_hex", "background"), colour("text_hex", "onBackground", "on_background"), usual.page)
    primary = pair(
      colour("primary_hex", "primary"), colour("on_primary_hex", "onPrimary", "on_primary"), usual.primary)
    secondary = pair(
      colour("secondary_hex", "secondary"), colour("on_secondary_hex", "onSecondary", "on_secondary"), usual.secondary)
    accent = pair(
      colour("accent_hex", "tertiary", "accent"),
      colour("on_accent_hex", "onTertiary", "on_tertiary", "onAccent", "on_accent"), usual.accent)
    buttonRadius = Self.radius(members["button_radius"] ?? members["buttonRadius"]) ?? usual.buttonRadius
    legalFooter = (members["legal_footer"] ?? members["legalFooter"])?.string.flatMap { StaffText.clean($0) }
    logo = Discovery.address(members, "logo_url", "logoUrl")
    logoText = ["logo_alt", "logoAlt"].lazy.compactMap { members[$0]?.string.flatMap { StaffText.clean($0) } }.first
    wordmark = Discovery.address(members, "wordmark_url", "wordmarkUrl")
  }

  /// The document again, in its first form: it reads the same.
  package var json: String {
    var text = JSONText()
    for (name, pair) in [("primary", primary), ("secondary", secondary), ("accent", accent)] {
      text.add("\(name)_hex", pair.ground.description)
      text.add("on_\(name)_hex", pair.text.description)
    }
    text.add("bg_hex", page.ground.description)
    text.add("text_hex", page.text.description)
    text.add("button_radius", Int64(buttonRadius))
    if let legalFooter { text.add("legal_footer", legalFooter) }
    text.add("logo_url", logo)
    if let logoText { text.add("logo_alt", logoText) }
    text.add("wordmark_url", wordmark)
    return text.text
  }

  /// A radius within its bounds, rounded down; `nil` where it is no number.
  private static func radius(_ value: JSONValue?) -> Int? {
    guard case .number(let text)? = value, let number = Double(text), number.isFinite else { return nil }
    return Int(min(max(number, 0), 32))
  }
}
