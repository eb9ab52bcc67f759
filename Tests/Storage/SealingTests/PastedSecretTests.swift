import Expectations
import Testing

@testable import Sealing

@Suite struct PastedSecretTests {
  @Test(arguments: [
    "key", " key ", "key\n", "\r\n\tkey\r\n", "\u{feff}key", "\u{a0}key\u{a0}", "\u{200b}key\u{200b}\n",
    "\u{2060}\u{3000}key\u{2028}", "key\u{0}\u{0}", "\u{200e}key\u{200f}\u{85}",
  ]) func whatPastingAddsIsNoPartOfIt(pasted: String) throws {
    try expectEqual(PastedSecret([UInt8](pasted.utf8)).text, "key")
  }

  /// Terminals mark the beginning and the end of a paste.
  @Test(arguments: [
    "\u{1b}[200~key\u{1b}[201~", "\u{1b}[200~ key\n\u{1b}[201~", " \u{1b}[200~\u{feff}key\u{1b}[201~\n",
    "\u{1b}[200~key",
    "key\n\u{1b}[201~",
  ]) func theMarksOfAPasteAreNoPartOfIt(pasted: String) throws {
    try expectEqual(PastedSecret([UInt8](pasted.utf8)).text, "key")
  }

  /// What a key for HTTP can be, and what the service takes.
  @Test func everyVisibleCharacterOfASCIIIsTaken() throws {
    let all = [UInt8](0x21...0x7E)
    try expectEqual(PastedSecret(all).text, String(decoding: all, as: UTF8.self))
  }

  @Test(
    arguments: [
      ("", .empty), (" \n\u{200b}\u{feff}", .empty), ("\u{1b}[200~\u{1b}[201~", .empty),
      ("a\nb", .unfit(.lineBreak, position: 2)),
      ("a\r\nb", .unfit(.lineBreak, position: 2)), ("a\u{2028}b", .unfit(.lineBreak, position: 2)),
      (" ab\u{7}c", .unfit(.invisible, position: 3)), ("a\u{200b}b", .unfit(.invisible, position: 2)),
      ("a\u{0}b", .unfit(.invisible, position: 2)), ("a\u{1b}[201~b", .unfit(.invisible, position: 2)),
      ("abc def", .unfit(.blank, position: 4)), ("a\tb", .unfit(.blank, position: 2)),
      ("a\u{a0}b", .unfit(.blank, position: 2)),
      ("köy", .unfit(.notASCII, position: 2)), ("ke\u{301}y", .unfit(.notASCII, position: 3)),
      (String(repeating: "a", count: 4_097), .tooLong), (String(repeating: "ü", count: 2_049), .tooLong),
    ] as [(String, PastedSecret.Fault)]) func whatCannotBeOneIsRefused(pasted: String, fault: PastedSecret.Fault)
  {
    #expect(throws: fault) { try PastedSecret([UInt8](pasted.utf8)) }
  }

  @Test func theLongestAndNoText() throws {
    try expectEqual(PastedSecret([UInt8](repeating: 0x61, count: 4_096) + [0x0A]).text.utf8.count, 4_096)
    #expect(throws: PastedSecret.Fault.noText) { try PastedSecret([0x61, 0xFF]) }
    #expect(throws: PastedSecret.Fault.noText) { try PastedSecret([0xED, 0xA0, 0x80]) }
  }

  @Test func theWordsNameThePlaceAndTheKindAndNothingOfTheSecret() {
    for (pasted, words) in [
      ("hunter2 hunter3", "a blank at position 8"), ("hunter2\nhunter3", "a line break at position 8"),
      ("hunter2ühunter3", "a character that is not ASCII at position 8"),
      ("hunter2\u{7}hunter3", "an invisible character at position 8"),
    ] {
      do throws(PastedSecret.Fault) {
        _ = try PastedSecret([UInt8](pasted.utf8))
        Issue.record("taken")
      } catch {
        expect(error.description.contains(words))
        expect(!"\(error) \(String(reflecting: error))".contains("hunter"))
        expect(!error.description.contains("ü"))
      }
    }
  }

  @Test func nothingShowsIt() throws {
    let secret = try PastedSecret([UInt8]("hunter2".utf8))
    var dumped = ""
    dump([secret], to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), String(describing: Optional(secret)), dumped] {
      expect(!text.contains("hunter2"))
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
      ["a", "\n", "\u{a0}", "\u{200b}", "\u{feff}", "ü", "\u{0}", "\u{1b}[200~", "\u{1b}[201~"].map { [UInt8]($0.utf8) }
      + [[0xFF]]
    for _ in 0..<5_000 {
      let bytes = (0..<random(12)).flatMap { _ in pieces[Int(random(UInt64(pieces.count)))] }
      guard let secret = try? PastedSecret(bytes) else { continue }
      expect(!secret.text.isEmpty)
      expect(secret.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
      expectEqual((try? PastedSecret([UInt8](secret.text.utf8))), secret)
    }
  }
}
