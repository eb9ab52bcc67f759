import Expectations
import ScanModel
import Reading
import ScanTesting
import Testing

@Suite("Normaliser and accept filter")
struct NormaliserTests {
  private func bytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

  @Test(
    "White space, controls and invisible marks go at both ends only",
    arguments: [
      ("  abc\r\n", "abc"), ("\u{FEFF}abc\u{200B}", "abc"), ("\u{A0}a b\u{3000}", "a b"), ("\u{0}\u{1B}x\u{7F}", "x"),
      ("\u{200F}a\u{200D}b\u{2060}", "a\u{200D}b"), ("a\u{1B}b", "a\u{1B}b"), ("e\u{301}", "e\u{301}"),
    ])
  func trims(raw: String, code: String) {
    expectEqual(Normaliser.normalise(bytes(raw))?.bytes, bytes(code))
  }

  @Test("GS survives, also at an end, and stops the trimming")
  func groupSeparator() {
    expectEqual(Normaliser.normalise(bytes(" \u{1D}01\u{1D}21 \u{1D}\n"))?.text, "\u{1D}01\u{1D}21 \u{1D}")
    expectEqual(Normaliser.normalise(bytes("\u{1D}"))?.text, "\u{1D}")
    expectEqual(Normaliser.normalise(bytes("\u{1D} \n"))?.text, "\u{1D}")
  }

  @Test("Nothing, and what is not UTF-8, is no code")
  func nothing() {
    expect(Normaliser.normalise([]) == nil)
    expect(Normaliser.normalise(bytes(" \t\r\n\u{FEFF}")) == nil)
    for broken: [UInt8] in [[0xFF], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
      expect(Normaliser.normalise(broken) == nil, "\(broken)")
    }
  }

  @Test("Idempotent, and a part of what was read, for any bytes", arguments: [11, 12] as [UInt64])
  func properties(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces =
      [" ", "\u{1D}", "\n", "a", "\u{FEFF}", "ß", "\u{301}", "\u{200B}", "😀", "\u{85}"].map(bytes) + [[0xC3]]
    var codes = 0
    for round in 0..<5_000 {
      var raw: [UInt8] = []
      for _ in 0..<Int.random(in: 0...8, using: &random) { raw += pieces.randomElement(using: &random) ?? [] }
      guard let code = Normaliser.normalise(raw) else { continue }
      codes += 1
      expectEqual(Normaliser.normalise(code.bytes), code, "seed \(seed) round \(round): \(raw)")
      let isPart = raw.indices.contains { raw[$0...].starts(with: code.bytes) }
      expect(isPart && !code.bytes.isEmpty, "seed \(seed) round \(round): \(raw)")
    }
    expect(codes > 1_000)
  }

  @Test("The default takes 8 to 128 printable characters")
  func acceptDefault() {
    let filter = AcceptFilter()
    expectEqual(filter.rejection(of: Code("1234567")), .length(7))
    expect(filter.accepts(Code("12345678")))
    expect(filter.accepts(Code(String(repeating: "ß", count: 128))))
    expectEqual(filter.rejection(of: Code(String(repeating: "x", count: 129))), .length(129))
    expect(filter.accepts(Code("01\u{1D}21 äß€")))
    expectEqual(filter.rejection(of: Code(bytes: [0xFF, 0x61])), .encoding)
    let spoofs: [Unicode.Scalar] = [
      "\u{1B}", "\u{7F}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{200B}", "\u{2028}", "\u{E000}", "\u{E0041}", "\u{FFFF}",
      "\u{0}", "\n",
    ]
    for spoof in spoofs {
      expectEqual(filter.rejection(of: Code("12345678\(Character(spoof))9")), .alphabet(offset: 8), "\(spoof.value)")
    }
  }

  @Test("Alphabets")
  func alphabets() throws {
    expect(AcceptFilter(alphabet: .digits).accepts(Code("12345678")))
    expect(!AcceptFilter(alphabet: .digits).accepts(Code("1234567٣")))
    expect(AcceptFilter(alphabet: .alphanumeric).accepts(Code("abcXYZ09")))
    expect(!AcceptFilter(alphabet: .alphanumeric).accepts(Code("abcXYZ0ä")))
    expect(!AcceptFilter(alphabet: .alphanumeric).accepts(Code("abcXYZ0-")))
    let filter = AcceptFilter(length: 1...64, pattern: try CodePattern("[a-z0-9]{32}"))
    expect(filter.accepts(Code("wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl")))
    expectEqual(filter.rejection(of: Code("wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxL")), .pattern)
  }
}
