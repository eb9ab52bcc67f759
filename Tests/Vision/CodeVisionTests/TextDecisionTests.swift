import Expectations
import ScanTesting
import Testing

@testable import CodeVision

@Suite struct TextDecisionTests {
  @Test func utf8IsItself() {
    for text in ["", "plain", "Il était une fois, un noël", "日本語", "a\u{0}b\u{1D}c\n", "🎟️"] {
      expectEqual(TextDecision.text(Array(text.utf8)), text)
    }
  }

  @Test func marksOfByteOrderAreTakenAtTheirWord() {
    expectEqual(TextDecision.text([0xEF, 0xBB, 0xBF] + Array("é".utf8)), "é")
    expectEqual(TextDecision.text([0xFE, 0xFF, 0x00, 0x41, 0x26, 0x3A]), "A☺")
    expectEqual(TextDecision.text([0xFF, 0xFE, 0x41, 0x00, 0x3A, 0x26]), "A☺")
  }

  @Test func japaneseIsRecognised() {
    // 日本語, 東京 (2), ｱｲｳ, カタカナ 8 in Shift-JIS.
    expectEqual(TextDecision.text([0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA]), "日本語")
    expectEqual(TextDecision.text([0x93, 0x8C, 0x8B, 0x9E, 0x20, 0x32]), "東京 2")
    expectEqual(TextDecision.text([0xB1, 0xB2, 0xB3]), "ｱｲｳ")
    expectEqual(TextDecision.text([0x83, 0x4A, 0x83, 0x5E, 0x83, 0x4A, 0x83, 0x69, 0x38]), "カタカナ8")
  }

  @Test func latinStaysLatin() {
    expectEqual(TextDecision.text([0xE9, 0x74, 0xE9]), "été")
    expectEqual(TextDecision.text([0x4D, 0xFC, 0x6E, 0x63, 0x68, 0x65, 0x6E]), "München")
    // Typographic quotes of Windows.
    expectEqual(TextDecision.text([0x93, 0x48, 0x69, 0x94, 0x20, 0x97, 0x20, 0x80]), "“Hi” — €")
    expectEqual(TextDecision.text([0x49, 0x92, 0x6D, 0x20, 0xE9]), "I’m é")
  }

  @Test func anyBytesAreSomeText() {
    let seed: UInt64 = 20_240_921
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<4_000 {
      let isHigh = Bool.random(using: &numbers)
      let bytes = (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
        UInt8.random(in: isHigh ? 0x40...0xFF : 0...0xFF, using: &numbers)
      }
      let text = TextDecision.text(bytes)
      expectEqual(String(validating: Array(text.utf8), as: UTF8.self), text, "seed \(seed), bytes \(bytes)")
      // Every encoding has at most two bytes a character, or is UTF-8.
      expect(text.unicodeScalars.count * 4 >= bytes.count - 3, "seed \(seed), bytes \(bytes)")
      let plain = bytes.map { $0 & 0x7F }
      expectEqual(Array(TextDecision.text(plain).utf8), plain, "seed \(seed)")
    }
  }
}
