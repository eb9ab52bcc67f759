import Testing

@testable import Sealing

@Suite struct PastedSecretTests {
  @Test(arguments: [
    "key", " key ", "key\n", "\r\n\tkey\r\n", "\u{feff}key", "\u{a0}key\u{a0}", "\u{200b}key\u{200b}\n",
    "\u{2060}\u{3000}key\u{2028}", "key\u{0}\u{0}", "\u{200e}key\u{200f}\u{85}",
  ]) func whatPastingAddsIsNoPartOfIt(pasted: String) throws {
    #expect(try PastedSecret([UInt8](pasted.utf8)).text == "key")
  }

  @Test func whatIsInsideStays() throws {
    #expect(try PastedSecret([UInt8]("a b ü \u{a0}c".utf8)).text == "a b ü \u{a0}c")
  }

  @Test(
    arguments: [
      ("", .empty), (" \n\u{200b}\u{feff}", .empty), ("a\nb", .invisibleCharacter(position: 2)),
      (" ab\u{7}c", .invisibleCharacter(position: 3)), ("a\u{200b}b", .invisibleCharacter(position: 2)),
      ("a\u{0}b", .invisibleCharacter(position: 2)), ("\u{1b}[200~key\u{1b}[201~", .invisibleCharacter(position: 1)),
      (String(repeating: "a", count: 4_097), .tooLong), (String(repeating: "ü", count: 2_049), .tooLong),
    ] as [(String, PastedSecret.Fault)]) func whatCannotBeOneIsRefused(pasted: String, fault: PastedSecret.Fault)
  {
    #expect(throws: fault) { try PastedSecret([UInt8](pasted.utf8)) }
  }

  @Test func theLongestAndNoText() throws {
    #expect(try PastedSecret([UInt8](repeating: 0x61, count: 4_096) + [0x0A]).text.utf8.count == 4_096)
    #expect(throws: PastedSecret.Fault.noText) { try PastedSecret([0x61, 0xFF]) }
    #expect(throws: PastedSecret.Fault.noText) { try PastedSecret([0xED, 0xA0, 0x80]) }
  }

  @Test func nothingShowsIt() throws {
    let secret = try PastedSecret([UInt8]("hunter2".utf8))
    var dumped = ""
    dump([secret], to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), String(describing: Optional(secret)), dumped] {
      #expect(!text.contains("hunter2"))
    }
  }

  /// Whatever comes, the same comes out when it is pasted again, and nothing traps.
  @Test func randomBytesAreASecretOrRefused() {
    var state: UInt64 = 0x5EA1
    func random(_ limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
    let pieces: [[UInt8]] =
      ["a", "\n", "\u{a0}", "\u{200b}", "\u{feff}", "ü", "\u{0}"].map { [UInt8]($0.utf8) } + [[0xFF]]
    for _ in 0..<5_000 {
      let bytes = (0..<random(12)).flatMap { _ in pieces[Int(random(UInt64(pieces.count)))] }
      guard let secret = try? PastedSecret(bytes) else { continue }
      #expect(!secret.text.isEmpty)
      #expect((try? PastedSecret([UInt8](secret.text.utf8))) == secret)
    }
  }
}
