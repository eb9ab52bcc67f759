import EventSchedule
import Expectations
import ScanTesting
import Testing
import WireText

/// How a server wants to look, and what becomes of it.
@Suite struct BrandingTests {
  private func read(_ text: String) throws -> Branding? { Branding(try JSONValue([UInt8](text.utf8))) }

  @Test func theDocumentsForm() throws {
    let branding = try #require(
      try read(
        """
        {"logo_url":"https://your-domain.com/logo.png","wordmark_url":"/wordmark.png","primary_hex":"#007AFF",\
        "secondary_hex":"#8E8E93","accent_hex":"#34C759","text_hex":"#000000","bg_hex":"#FFF","button_radius":10,\
        "legal_footer":"© 2025 Your Organization"}
        """))
    expectEqual(branding.primary.ground.description, "#007AFF")
    // White on this blue has 4.0:1.
    expectEqual(branding.primary.text, .black)
    expectEqual(branding.page, Branding.Pair(.white, .black))
    expectEqual(branding.buttonRadius, 10)
    expectEqual(branding.legalFooter, "© 2025 Your Organization")
    expectEqual(branding.logo, .told("https://your-domain.com/logo.png"))
    expectEqual(branding.wordmark, .told("/wordmark.png"))
  }

  @Test func theRealServersForm() throws {
    let branding = try #require(
      try read(
        """
        {"logoUrl":"https://example.com/logo.png","logoAlt":"Example Logo","colors":{"primary":"#123456","secondary":"#654321",\
        "tertiary":"#abcdef","onPrimary":"#0F0F0F","onSecondary":"#FFFFFF","onTertiary":"#222222"},"defaultLanguage":"fr"}
        """))
    expectEqual(branding.primary.ground.description, "#123456")
    // Nearly black on dark blue cannot be read.
    expectEqual(branding.primary.text, .white)
    expectEqual(branding.secondary.text, .white)
    expectEqual(branding.accent.ground.description, "#ABCDEF")
    expectEqual(branding.accent.text.description, "#222222")
    expectEqual(branding.logoText, "Example Logo")
    expectEqual(branding.buttonRadius, Branding.usual.buttonRadius)
  }

  @Test(arguments: ["[]", "{}", "null", #"{"error":"x"}"#, "7"])
  func whatSaysNothingIsNone(text: String) throws { try expectEqual(read(text), nil) }

  @Test(
    arguments: [
      ("#fff", "#FFFFFF"), ("#1a2B3c", "#1A2B3C"), ("#12345", nil), ("#1234", nil), ("123456", nil), ("", nil),
      ("#", nil),
      ("#gggggg", nil), ("#12345678", nil), ("red", nil), ("#１２３", nil), ("rgb(1,2,3)", nil), (" #fff", nil),
    ] as [(String, String?)])
  func aColourHasThreeOrSixDigits(text: String, colour: String?) {
    expectEqual(BrandColour(text)?.description, colour)
  }

  @Test(arguments: [
    #"{"primary_hex":7,"colors":[],"button_radius":"10","legal_footer":{},"logo_url":null}"#,
    #"{"colors":{"primary":null,"onPrimary":[]},"button_radius":null}"#, #"{"colors":"blue"}"#,
  ])
  func wrongTypesAreTheUsualLook(text: String) throws { try expectEqual(read(text), .usual) }

  @Test(arguments: [
    ("-1", 0), ("0", 0), ("31.9", 31), ("33", 32), ("1e300", 32), ("1e999", 8), ("-0", 0), ("true", 8),
  ])
  func cornersAreBounded(number: String, radius: Int) throws {
    try expectEqual(read(#"{"button_radius":\#(number)}"#)?.buttonRadius, radius)
  }

  @Test func aFooterIsShort() throws {
    let footer = try #require(
      try read(#"{"legal_footer":"\u001b[2J\u202e\#(String(repeating: "é", count: 500))"}"#)?.legalFooter)
    expectEqual(footer.unicodeScalars.count, 200)
    expect(!footer.contains("\u{1b}") && !footer.contains("\u{202e}"))
  }

  @Test func contrastIsThatOfTheStandard() {
    expect(abs(BrandColour.black.contrast(to: .white) - 21) < 0.000_1)
    expect(abs(BrandColour.white.contrast(to: .white) - 1) < 0.000_1)
    // Known of the standard's own examples: 4.48 fails, 4.54 does not.
    for (grey, contrast) in [(0x77, 4.478), (0x76, 4.542)] as [(UInt8, Double)] {
      let colour = BrandColour(red: grey, green: grey, blue: grey)
      expect(abs(colour.contrast(to: .white) - contrast) < 0.001, "\(colour.contrast(to: .white))")
    }
  }

  @Test(arguments: 0..<UInt64(4)) func everyTextCanBeRead(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func colour() -> BrandColour {
      BrandColour(
        red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
        blue: .random(in: 0...255, using: &random))
    }
    for _ in 0..<extent(landing: 500, release: 20_000) {
      let (ground, text) = (colour(), colour())
      let pair = Branding.Pair(ground, text)
      expect(pair.text.contrast(to: ground) >= BrandColour.readable, "seed \(seed): \(text) on \(ground)")
      expect(
        pair.text == text || text.contrast(to: ground) < BrandColour.readable, "seed \(seed): \(text) on \(ground)")
      expectEqual(BrandColour(ground.description), ground)
      let branding = try #require(try read(#"{"primary_hex":"\#(ground)","bg_hex":"\#(text)"}"#))
      for pair in [branding.page, branding.primary] {
        expect(pair.text.contrast(to: pair.ground) >= BrandColour.readable, "seed \(seed)")
      }
      try expectEqual(read(branding.json), branding, "seed \(seed)")
    }
  }
}
