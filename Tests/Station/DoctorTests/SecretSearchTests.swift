import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing

@testable import Doctor

/// Secrets are found in whichever form they stand, and nothing else is.
@Suite struct SecretSearchTests {
  private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+/=\"\\ü€")

  private func random(_ count: Int, _ random: inout SeededGenerator) -> String {
    String((0..<count).map { _ in Self.letters.randomElement(using: &random) ?? "a" })
  }

  /// Each way in which a program may have written a text, made by Foundation rather than by what is tested.
  private func written(_ secret: String, _ random: inout SeededGenerator) throws -> [String] {
    let bytes = Data(secret.utf8)
    let json = try JSONSerialization.data(withJSONObject: [secret], options: [.withoutEscapingSlashes])
    let before = Data((0..<Int.random(in: 0..<5, using: &random)).map { _ in UInt8(0x41) })
    return [
      secret, secret.uppercased(), bytes.map { String(format: "%02x", $0) }.joined(),
      bytes.map { String(format: "%02X", $0) }.joined(), (before + bytes + Data("xyz".utf8)).base64EncodedString(),
      (before + bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_"),
      String(decoding: json.dropFirst(2).dropLast(2), as: UTF8.self),
      try #require(secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics)),
    ]
  }

  @Test func everySecretIsFoundInEveryForm() throws {
    for seed in 0..<extent(landing: 150, release: 2_000) {
      var random = SeededGenerator(seed: UInt64(seed))
      let secrets = (0..<Int.random(in: 1..<30, using: &random)).map { _ in
        self.random(Int.random(in: 6..<60, using: &random), &random)
      }
      let search = SecretSearch(secrets.compactMap { KnownSecret(.key, $0) })
      let secret = try #require(secrets.randomElement(using: &random))
      for form in try written(secret, &random) {
        let padding = self.random(Int.random(in: 0..<80, using: &random), &random)
        let text = [UInt8]((padding + form + padding).utf8)
        expect(!search.matches(in: text).isEmpty, "seed \(seed): a form of \(form.utf8.count) bytes")
        let removed = search.removed(from: text)
        expect(search.matches(in: removed).isEmpty, "seed \(seed)")
        expect(!String(decoding: removed, as: UTF8.self).contains(secret), "seed \(seed)")
      }
    }
  }

  @Test func whatIsNoSecretStays() {
    var random = SeededGenerator(seed: 7)
    let search = SecretSearch([KnownSecret(.key, "k3y-of-the-gate"), KnownSecret(.name, "Li")].compactMap(\.self))
    for _ in 0..<200 {
      let text = random.next().description + " List of limits: k3y-of-the-gat"
      expectEqual(String(decoding: search.removed(from: [UInt8](text.utf8)), as: UTF8.self), text)
    }
    expectEqual(
      String(decoding: search.removed(from: [UInt8]("for LI, and li.".utf8)), as: UTF8.self), "for [···], and [···].")
    expectEqual(SecretSearch([]).removed(from: [0x41]), [0x41])
    expectEqual(search.matches(in: []), [])
    expect(KnownSecret(.name, "L") == nil && KnownSecret(.key, "") == nil)
  }

  @Test func secretsThatOverlapAreTakenOutWhole() {
    let search = SecretSearch(["abcdefgh", "efghijkl", "ijklmnop"].compactMap { KnownSecret(.code, $0) })
    expectEqual(
      String(decoding: search.removed(from: [UInt8]("1 abcdefghijklmnop 2".utf8)), as: UTF8.self), "1 [···] 2")
  }

  @Test func aSecretShowsNothingOfItself() throws {
    let secret = try #require(KnownSecret(.key, "hunter2-very-secret"))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] { expect(!text.contains("hunter2"), "\(text.count)") }
  }

  /// An evening's codes, in a log of some size.
  @Test func thousandsOfCodesAreFoundInOneGo() {
    let secrets = (0..<5_000).compactMap { KnownSecret(.code, "TICKET-\(100_000 + $0)") }
    let text = (0..<2_000).map { "gate north admit TICKET-\(104_000 + $0) in\n" }.joined()
    let search = SecretSearch(secrets)
    expectEqual(search.matches(in: [UInt8](text.utf8)).count, 1_000)
  }
}
