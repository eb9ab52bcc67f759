import Expectations
import LibCrypto
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import SignedTickets

/// Tickets that nobody has issued, at a gate whose service redeems whatever it is asked to.
@Suite struct ForgedTicketTests {
  private static let seed: UInt64 = 18
  private static let digits = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// A forgery of one of the genuine tickets.
  private static func forgery(
    of genuine: [String], by forger: Issuer, at now: WallTime, _ number: Int, _ random: inout SeededGenerator
  ) throws -> [UInt8] {
    let text = try #require(genuine.randomElement(using: &random))
    var bytes = [UInt8](text.utf8)
    let parts = text.split(separator: ".").map(String.init)
    let (issued, ends) = (now.seconds - 10, now.seconds + 7_200)
    switch number % 9 {
    case 0:
      // Some bits are others, anywhere.
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let bit = Int.random(in: 0..<8 * bytes.count, using: &random)
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      }
    case 1: bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
    case 2:
      // The signature of one above the payload of another.
      let other = try #require(genuine.randomElement(using: &random)).split(separator: ".")
      bytes = [UInt8]("ed25519.v1.\(parts[2]).\(other[3]).\(parts[4])".utf8)
    case 3:
      // Another digit of base64, and no other length.
      let index = Int.random(in: 11..<bytes.count, using: &random)
      bytes[index] = try #require(digits.randomElement(using: &random))
    case 4:
      // Signed by another key, which says so or names ours.
      let payload = Issuer.payload(jti: "tkt_forged", issued: issued, ends: ends)
      bytes = [UInt8](forger.text(payload, kid: Bool.random(using: &random) ? "dev-ed25519" : nil).utf8)
    case 5:
      // Another seat or ticket above the signature of this one.
      let payload = Issuer.payload(
        jti: "tkt_\(number)", seat: "A-\(Int.random(in: 2...99, using: &random))", issued: issued, ends: ends)
      bytes = [UInt8]("ed25519.v1.\(parts[2]).\(parts[3]).\(Issuer.base64url(payload))".utf8)
    case 6:
      // A signature that is invented, or of nothing: zeros, and numbers beyond the group's order.
      let invented = [noise(64, &random), [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64)]
      bytes = [UInt8]("ed25519.v1.\(parts[2]).\(Issuer.base64url(invented[number / 9 % 3])).\(parts[4])".utf8)
    case 7:
      // The same signature, with the group's order added to its second half: other bytes that once were as good.
      let signature = try #require(Base64URL.bytes(parts[3].utf8))
      bytes = [UInt8](
        "ed25519.v1.\(parts[2]).\(Issuer.base64url(addingOrder(to: signature))).\(parts[4])".utf8)
    default:
      let length = Int.random(in: 1...600, using: &random)
      let invented = (0..<length).map { _ in digits.randomElement(using: &random) ?? 0x41 }
      bytes = [UInt8](SignedTicket.prefix.utf8) + invented
    }
    return bytes
  }

  /// Adds 2^252 + 27742317777372353535851937790883648493 to the number in the last 32 bytes, little endian.
  private static func addingOrder(to signature: [UInt8]) -> [UInt8] {
    let order: [UInt8] =
      [
        0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
      ] + [UInt8](repeating: 0, count: 15) + [0x10]
    var sum = signature
    var carry = 0
    for index in order.indices {
      let total = Int(sum[32 + index]) + Int(order[index]) + carry
      sum[32 + index] = UInt8(truncatingIfNeeded: total)
      carry = total >> 8
    }
    return sum
  }

  /// None is admitted, and no request is sent: whoever prints a million of them has not even spent the service's rate.
  @Test func noForgedTicketIsAdmittedOrAskedAbout() async throws {
    var random = SeededGenerator(seed: Self.seed)
    let door = try await Door.open()
    let now = door.time.wall()
    let genuine = (0..<12).map { Issuer.vector.ticket("tkt_genuine_\($0)", at: now) }
    let texts = Set(genuine.map { [UInt8]($0.utf8) })
    let forger = Issuer.other("forger")
    var count = 0
    let all = extent(landing: 10_000, release: 500_000)
    for number in 0..<all {
      let bytes = try Self.forgery(of: genuine, by: forger, at: now, number, &random)
      // Two halves can be a whole one, and a digit the one that it was.
      if texts.contains(bytes) { continue }
      switch door.system.examine(Code(bytes: bytes), at: now) {
      // A name of no key that was ever told is not judged yet, and opens nothing.
      case .refuse(.notGenuine), .undecided(.unreachable, _): break
      case let other: expect(false, "seed \(Self.seed), forgery \(number): \(other)")
      }
      count += 1
      guard number % 50 == 0 else { continue }
      // Whoever asks without having examined gets no further.
      let outcome = await door.system.attempt(
        AttemptRequest(
          attempt: AttemptID(), scan: ScanID(), code: Code(bytes: bytes), deadline: door.time.now() + .seconds(60))
      ) { _ in }
      expect(!outcome.mayHaveRedeemed, "seed \(Self.seed), forgery \(number)")
    }
    expect(count > all * 9 / 10, "\(count)")
    expectEqual(door.service.redemptions, 0)
    // They were forgeries of tickets that it takes, and what counts requests does.
    for ticket in genuine { await expectEqual(door.present(ticket), "redeemed") }
    expectEqual(door.service.redemptions, genuine.count)
    await door.close()
  }

  /// A name of a key is signed by nobody: whichever it names, the ticket is good by that key or not at all.
  @Test func aNameOfAnotherKeyOpensNothing() async throws {
    let issuers = [Issuer.vector] + (0..<5).map { Issuer.other("k\($0)") }
    let keys = #"{"keys":[\#(issuers.map { $0.jwk() }.joined(separator: ","))]}"#
    let door = try await Door.open(Service(keys: keys))
    for (number, issuer) in issuers.enumerated() {
      for other in issuers where other.kid != issuer.kid {
        let swapped = issuer.ticket("tkt_\(number)", at: door.time.wall(), kid: other.kid)
        await expectEqual(door.present(swapped), "refused notGenuine", "\(issuer.kid) as \(other.kid)")
      }
      await expectEqual(door.present(issuer.ticket("tkt_\(number)", at: door.time.wall())), "redeemed")
    }
    expectEqual(door.service.redemptions, issuers.count)
    await door.close()
  }
}
