import Expectations
import FleetBook
import LibCrypto
import ScanModel
import ScanTesting
import Testing
import WireCoding

/// Orders for a whole fleet: what an administrator says its stations read, and nobody else's word counts.
@Suite struct FleetOrderTests {
  private let key = Ed25519.PrivateKey()
  private let other = Ed25519.PrivateKey()

  private func seal(_ event: String = "summer", _ keys: Ed25519.PrivateKey...) -> FleetOrderSeal {
    FleetOrderSeal(event: event, administrators: keys.compactMap(\.publicKey))
  }

  private func anyOrder(_ random: inout SeededGenerator) -> FleetOrder {
    let isOn = random.chance(50)
    return FleetOrder(
      number: .random(in: 0 ... .max, using: &random), isMaintenance: isOn,
      who: ["Anna", "Büro", String(repeating: "é", count: 32), "李"].randomElement(using: &random) ?? "Anna",
      why: [isOn ? "fire" : "", "fire drill", "Tür 3 klemmt 🚪", String(repeating: "a", count: 240)]
        .randomElement(using: &random) ?? "fire",
      at: WallTime(nanoseconds: Int64.random(in: 0 ... .max, using: &random)))
  }

  private func bytes(_ order: FleetOrder, _ event: String = "summer") throws -> [UInt8] {
    try #require(seal(event).seal(order, by: { key.signature(for: $0) }))
  }

  @Test func whatOneSaysAnotherReads() throws {
    for number in 0..<UInt64(extent(landing: 300, release: 10_000)) {
      var random = SeededGenerator(seed: number)
      let order = anyOrder(&random)
      let bytes = try bytes(order)
      expect(bytes.count <= FleetOrderSeal.longest, "seed \(number)")
      expectEqual(seal("summer", key).open(bytes), .known(order), "seed \(number)")
      // While one administrator's key follows another.
      expectEqual(seal("summer", other, key).open(bytes), .known(order), "seed \(number)")
    }
  }

  /// Nothing that anybody can write counts but what was signed as it is; and nothing ends the process.
  @Test func whateverIsChangedIsNoOrder() throws {
    let reader = seal("summer", key)
    for number in 0..<UInt64(extent(landing: 2_000, release: 100_000)) {
      var random = SeededGenerator(seed: number)
      let good = try bytes(anyOrder(&random))
      var bytes = good
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      case 2: bytes.insert(.random(in: 0 ... .max, using: &random), at: Int.random(in: bytes.indices, using: &random))
      case 3:
        bytes += (0..<Int.random(in: 1..<600, using: &random)).map { _ in .random(in: 0 ... .max, using: &random) }
      default: bytes = (0..<Int.random(in: 0..<700, using: &random)).map { _ in .random(in: 0...3, using: &random) }
      }
      guard bytes != good else { continue }
      if case .known(let order) = reader.open(bytes) { expect(false, "seed \(number): \(order)") }
    }
  }

  /// Whatever follows the version, signed: what is no order is none, whoever signs it.
  @Test func whatIsSignedAndCannotBeReadIsNoOrder() throws {
    let reader = seal("summer", key)
    var known = 0
    for number in 0..<UInt64(extent(landing: 1_000, release: 50_000)) {
      var random = SeededGenerator(seed: number)
      var writer = WireWriter()
      writer.put("scangate order")
      writer.put("summer")
      var body = Array(try bytes(anyOrder(&random)).dropLast(Ed25519.signatureLength))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        body[Int.random(in: 1..<body.count, using: &random)] = .random(in: 0 ... .max, using: &random)
      }
      if random.chance(20) { body.removeLast(Int.random(in: 0..<body.count, using: &random)) }
      guard let signature = key.signature(for: [0xFF, 0x00] + writer.bytes + body) else { continue }
      if case .known(let order) = reader.open(body + signature) {
        known += 1
        expectEqual(order.flaw, nil, "seed \(number)")
        expect(TerminalText.clean(order.words, limit: 1_000) == order.words, "seed \(number)")
      }
    }
    expect(known > 0)
  }

  @Test func whoseWordDoesNotCount() throws {
    let order = FleetOrder(number: 7, isMaintenance: true, who: "Anna", why: "fire", at: WallTime(seconds: 1))
    let bytes = try bytes(order)
    for (reader, part) in [
      (seal("summer", other), "nobody of fleet.administrators"), (seal("winter", key), "for this event"),
      (seal("summer"), "names nobody"),
    ] {
      guard case .unusable(let words) = reader.open(bytes) else { return expect(false, "it counts") }
      expect(words.contains(part), "\(words)")
    }
    var later = bytes
    later[0] = 2
    guard case .unusable(let words) = seal("summer", key).open(later) else { return expect(false, "it counts") }
    expect(words.contains("version 2"), "\(words)")
    // Nobody has a signature of it by way of a claim.
    let station = try #require(StationID("north"))
    let claims = ClaimSeal(fleet: "summer", station: station, key: key, stations: [:])
    let place = try #require(ClaimKey(.ticket, digest: [UInt8](repeating: 1, count: ClaimKey.digestLength)))
    let claim = try #require(claims.seal(Claim(), for: place, replacing: .none))
    if case .known = seal("summer", key).open(claim) { expect(false, "a claim is an order") }
  }

  @Test func whatCannotBeSaid() {
    func flaw(_ who: String, _ why: String, _ isOn: Bool = true) -> String? {
      FleetOrder(number: 1, isMaintenance: isOn, who: who, why: why, at: WallTime(seconds: 0)).flaw
    }
    expectEqual(flaw("Anna", "fire"), nil)
    expectEqual(flaw("Anna", "", false), nil)
    for (who, why) in [
      ("", "fire"), (" ", "fire"), ("Anna", ""), ("Anna", "  "), ("An\u{1B}na", "fire"), ("Anna", "fi\nre"),
      ("Anna", "\u{202E}erif"), (String(repeating: "a", count: 65), "fire"),
      ("Anna", String(repeating: "é", count: 121)),
    ] { expect(flaw(who, why) != nil, "\(who.debugDescription) \(why.debugDescription)") }
    let order = FleetOrder(number: 1, isMaintenance: true, who: "Anna\u{07}", why: "fire", at: WallTime(seconds: 0))
    expect(seal("summer", key).seal(order, by: { key.signature(for: $0) }) == nil)
  }

  @Test func numbersGrow() {
    let now = WallTime(seconds: 1_800_000_000)
    expectEqual(FleetOrder.number(after: nil, at: now), 1_800_000_000_000_000_000)
    expectEqual(FleetOrder.number(after: 5, at: now), 1_800_000_000_000_000_000)
    // A clock that was ahead once.
    expectEqual(FleetOrder.number(after: 1_900_000_000_000_000_000, at: now), 1_900_000_000_000_000_001)
    expectEqual(FleetOrder.number(after: .max, at: now), nil)
    expectEqual(FleetOrder.number(after: nil, at: WallTime(nanoseconds: -5)), 0)
  }
}
