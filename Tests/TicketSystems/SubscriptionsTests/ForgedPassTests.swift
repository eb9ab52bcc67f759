import CodeSigning
import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import Subscriptions

/// Passes that nobody has issued, at a gate whose service counts what it is asked.
@Suite struct ForgedPassTests {
  private static let seed: UInt64 = 17
  private static let first = WallTime(seconds: 1_577_836_800), last = WallTime(seconds: 4_102_444_800)

  /// The text that bytes have.
  private static func text(_ bytes: [UInt8]) -> String { SignedPass.prefix + Base32.text(bytes) }

  private static func bytes(_ text: String) throws -> [UInt8] {
    try #require(Base32.bytes(text.utf8.dropFirst(SignedPass.prefix.utf8.count)))
  }

  /// Genuine passes of several members, with ids of all lengths, as bytes.
  private static func genuine(_ random: inout SeededGenerator) throws -> [[UInt8]] {
    try SubscriptionID.lengths.map { length in
      let id = try #require(SubscriptionID(String(repeating: "73", count: 10).prefix(length).description))
      let serial = noise(SignedPass.serialLength, &random)
      return try bytes(
        SignedPass.text(id, notBefore: first, ends: last, serial: serial, by: passKey))
    }
  }

  private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// A forgery of one of the genuine passes.
  private static func forgery(
    of genuine: [[UInt8]], by forger: PassKey, _ number: Int, _ random: inout SeededGenerator
  ) throws -> String {
    var pass = try #require(genuine.randomElement(using: &random))
    let body = pass.count - SignedPass.signatureLength
    switch number % 8 {
    case 0:
      // Some bits are others, anywhere.
      let count = Int.random(in: 1...4, using: &random)
      let bits = (0..<count).map { _ in Int.random(in: 0..<8 * pass.count, using: &random) }
      for bit in Set(bits) { pass[bit / 8] ^= 1 << UInt8(bit % 8) }
      return text(pass)
    case 1:
      // Cut in the middle of a byte, or between two.
      let whole = text(pass)
      return String(whole.prefix(Int.random(in: 0..<whole.count, using: &random)))
    case 2:
      // The beginning of one and the end of another.
      let other = try #require(genuine.randomElement(using: &random))
      let end = other.suffix(Int.random(in: 1..<other.count, using: &random))
      return text(Array(pass.prefix(Int.random(in: 1..<pass.count, using: &random))) + end)
    case 3:
      // Another member's number above the signature of this one.
      let digit = Int.random(in: 21..<body, using: &random)
      pass[digit] = 0x30 + (pass[digit] - 0x30 + UInt8.random(in: 1...9, using: &random)) % 10
      return text(pass)
    case 4:
      // Signed anew by another key, which says so, or names ours.
      if Bool.random(using: &random) {
        pass.replaceSubrange(1..<5, with: try #require(forger.publicKey).id)
      }
      let signed = Array(pass.prefix(body))
      return text(signed + (try #require(forger.signature(of: SignedPass.domain + signed))))
    case 5:
      // Signed by us for something else, or without a word on what it is for.
      let signed = Array(pass.prefix(body))
      let domain = [[], [UInt8]("scangate set-up code 1\0".utf8), [UInt8]("scangate pass 2\0".utf8)]
      return text(signed + (try #require(passKey.signature(of: domain[number / 8 % 3] + signed))))
    case 6:
      // Whole but for the signature, which is invented.
      return text(Array(pass.prefix(body)) + noise(SignedPass.signatureLength, &random))
    default:
      // Invented: all of it, what follows our key's name, or letters that need not be whole bytes.
      let length = Int.random(in: 1...130, using: &random)
      switch number / 8 % 3 {
      case 0: return text(noise(length, &random))
      case 1: return text(Array(pass.prefix(5)) + noise(length, &random))
      default:
        let letters = (0..<length).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".randomElement(using: &random) ?? "A" }
        return SignedPass.prefix + String(letters)
      }
    }
  }

  /// None is admitted, and no request is sent: whoever prints a million of them has not even spent the service's rate.
  @Test func noForgedPassIsAdmittedOrAskedAbout() async throws {
    var random = SeededGenerator(seed: Self.seed)
    let service = try await Service.open(
      .answer(Wire.response("200 OK", Wire.subscription("73737373", ends: Self.last))), codes: .signed)
    let genuine = try Self.genuine(&random)
    let texts = Set(genuine.map { Self.text($0) })
    let forger = PassKey.make()
    let now = SystemTime().wall()
    /// As a gate does it: what examining lets through is asked about.
    func present(_ text: String) async -> String {
      let code = service.system.recognise(Code(text)).code
      guard case .refuse(let reason) = service.system.examine(code, at: now) else {
        return await name(service.attempt(text).answer)
      }
      return "refused \(reason)"
    }
    var count = 0
    let all = extent(landing: 3_000, release: 1_000_000)
    for number in 0..<all {
      var text = try Self.forgery(of: genuine, by: forger, number, &random)
      // Two halves can be a whole one.
      if texts.contains(text) { continue }
      if number % 5 == 0 { text = text.lowercased() }
      let said = await present(text)
      expectEqual(said, "refused notGenuine", "seed \(Self.seed), forgery \(number)")
      count += 1
    }
    expect(count > all * 9 / 10, "\(count)")
    expectEqual(service.asked, [])
    // They were forgeries of passes that it takes, and what counts requests does.
    for pass in genuine {
      expect(
        service.system.examine(service.system.recognise(Code(Self.text(pass))).code, at: now)
          == .proceed(TicketKey(Array(pass.dropLast(SignedPass.signatureLength).dropFirst(21)))))
    }
    await expectEqual(present(Self.text(genuine[0])), "valid")
    expectEqual(service.asked, ["GET /api/v1/apple/subs/73737373"])
    await service.close()
  }
}
