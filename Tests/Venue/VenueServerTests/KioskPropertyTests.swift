import Expectations
import Foundation
import Testing

@testable import VenueServer

/// What holds whatever comes.
@Suite struct KioskPropertyTests {
  @Test(arguments: 0..<20 as Range<UInt64>) func aTokenIsGoodAsItIsAndUntilItEnds(_ seed: UInt64) async throws {
    var random = SecretSource(number: seed)
    let key = try await VenueServer(VenueConfiguration()).store.read { try VenueSecret.key($0) }
    let other = try await VenueServer(VenueConfiguration()).store.read { try VenueSecret.key($0) }
    let issued = Int64.random(in: 0...4_000_000_000, using: &random)
    let life = Int64.random(in: 1...100_000, using: &random)
    let id = ["gate-2", "é \"\\/\u{202E}", ""].randomElement(using: &random) ?? ""
    let token = KioskToken(kioskID: id, generation: 3, issued: issued, expires: issued + life)
    let text = token.signed(with: key)
    expectEqual(KioskToken(text, key: key, now: issued), token)
    expectEqual(KioskToken(text, key: key, now: issued + life - 1), token)
    expect(KioskToken(text, key: key, now: issued + life) == nil)
    expect(KioskToken(text, key: other, now: issued) == nil)
    expect(KioskToken(text, key: key, now: issued, parties: .nova) == nil)
    let bytes = [UInt8](text.utf8)
    for _ in 0..<60 {
      var changed = bytes
      let place = Int.random(in: 0..<changed.count, using: &random)
      changed[place] ^= UInt8.random(in: 1...127, using: &random)
      expect(KioskToken(String(decoding: changed, as: UTF8.self), key: key, now: issued) == nil)
    }
    for length in [0, 1, 10, bytes.count - 1] {
      expect(KioskToken(String(decoding: bytes[..<length], as: UTF8.self), key: key, now: issued) == nil)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func anyTextIsReadOrRefused(_ seed: UInt64) {
    var random = SecretSource(number: seed)
    let letters = [Character]("AZaz27018-_=+/. é\u{0}{}\":,")
    for _ in 0..<300 {
      let text = String(
        (0..<Int.random(in: 0...40, using: &random)).map { _ in letters.randomElement(using: &random) ?? "A" })
      if let bytes = Base32.bytes(text) { expectEqual(Base32.text(bytes), text.uppercased()) }
      if let bytes = Base64URL.bytes(text[...]) { expectEqual(Base64URL.text(bytes), text) }
      if let request = KioskRequest(json: text) { expectEqual(KioskRequest(json: request.json), request) }
    }
  }

  /// In no window has an address more guesses than it may, and it is never shut out for longer than a window.
  @Test(arguments: 0..<20 as Range<UInt64>) func guessesAreBounded(_ seed: UInt64) {
    var random = SecretSource(number: seed)
    let (most, length) = (Int.random(in: 1...5, using: &random), 60.0)
    var limit = GuessLimit(most: most, length: length)
    var (now, taken) = (0.0, [String: [Double]]())
    for _ in 0..<500 {
      now += Double.random(in: 0...15, using: &random)
      let address = ["a", "b", "c"].randomElement(using: &random) ?? "a"
      if let wait = limit.wait(address, at: now) {
        expect((1...60).contains(wait) && limit.left(address, at: now) == 0)
        expect(limit.wait(address, at: now + Double(wait)) == nil)
        continue
      }
      expect(limit.left(address, at: now) > 0)
      limit.count(address, at: now)
      taken[address, default: []].append(now)
    }
    // Windows follow one another: any stretch of one length touches two of them at most.
    for times in taken.values {
      for time in times { expect(times.count { $0 >= time && $0 < time + length } <= 2 * most) }
    }
  }

  @Test func manyAddressesAreForgottenAgain() {
    var limit = GuessLimit(most: 1, length: 60)
    for number in 0..<5_000 { limit.count("\(number)", at: Double(number)) }
    expect(limit.wait("4999", at: 4_999) == 60 && limit.wait("1", at: 4_999) == nil)
  }

  @Test(arguments: 0..<UInt64(extent(landing: 3, release: 10))) func anyAssignmentIsTakenOrRefusedInWords(
    _ seed: UInt64
  ) async throws {
    var random = SecretSource(number: seed)
    let server = try VenueServer(VenueConfiguration())
    let now = Timestamp(seconds: 0)
    try await server.store.write { try KioskBook(db: $0, now: now).register("x", version: "1") }
    let pieces = [
      "name", "settings", ".", "=", ":=", "[", "]", "{", "\"", "1", "$", "#", "-1", "true", "null", "é", "'", "\0",
      "mode",
    ]
    for _ in 0..<60 {
      let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      do {
        try await server.configureKiosk("x", [text])
      } catch let error as VenueError {
        guard case .unusable = error else {
          Issue.record("\(text): \(error)")
          continue
        }
      }
      let configuration = try await server.kiosk("x").configuration
      expect((try? JSONDecoder().decode(JSON.self, from: Data(configuration.utf8))) != nil, "\(text)")
    }
  }

  @Test func livesAreRead() {
    let good = ["1s": 1, "90s": 90, "15min": 900, "1h": 3_600, "365d": 31_536_000]
    for (text, seconds) in good { expectEqual(VenueConfiguration.life(text), .seconds(seconds)) }
    for text in ["", "0s", "1", "500ms", "1500ms", "366d", "-1h", "1 week", "99999999999999999999h"] {
      expect(VenueConfiguration.life(text) == nil, "\(text)")
    }
  }

  @Test func timesOfAPeerDoNotTrap() {
    for time in [Int64.min, -1, 0, .max] {
      let code = MadeActivationCode(code: "A", id: "", kioskID: nil, server: "", made: time, expires: time)
      expect(code.textWithServer.hasSuffix("}") && code.textWithExpiry.hasSuffix("Z\"}") && !code.expiryTime.isEmpty)
      let enrolment = MadeEnrolment(secret: "A", gate: "", server: "", expires: time)
      expect(enrolment.json.hasSuffix("Z\"}"))
    }
  }
}
