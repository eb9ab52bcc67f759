import Expectations
import KioskControl
import ScanModel
import ScanTesting
import ScriptedHTTP
import Testing
import TicketTransport

/// Answers that come packed.
@Suite struct PackedAnswerTests {
  private static func answer(_ packed: [UInt8], _ coding: String = "gzip", isChunked: Bool = false) -> [UInt8] {
    var head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: \(coding)\r\n"
    guard isChunked else {
      head += "Content-Length: \(packed.count)\r\n\r\n"
      return [UInt8](head.utf8) + packed
    }
    head += "Transfer-Encoding: chunked\r\n\r\n\(String(packed.count, radix: 16))\r\n"
    return [UInt8](head.utf8) + packed + [UInt8]("\r\n0\r\n\r\n".utf8)
  }

  private func configuration(_ answer: [UInt8]) async throws -> Result<ControlConfiguration, ControlFault> {
    let service = try await Service.open(ScriptedServer { _, _, connection in connection.send(answer) })
    let result = await service.configuration()
    expect(service.requests.allSatisfy { $0.lowercased().contains("accept-encoding: deflate, gzip\r\n") })
    await service.close()
    return result
  }

  @Test(arguments: [false, true]) func aPackedConfigurationIsRead(isChunked: Bool) async throws {
    let packed = Gzip.stored([UInt8](Answers.configuration.utf8))
    let configuration = try await configuration(Self.answer(packed, isChunked: isChunked))
    expectEqual(configuration.value?.name, "Box office east")
  }

  @Test func packedAnswersFollowOneAnother() async throws {
    let body = String(repeating: " ", count: 200_000) + Answers.configuration
    let server = ScriptedServer { number, _, connection in
      connection.send(
        number % 2 == 0 ? [UInt8](Answers.ok(Answers.configuration).utf8) : Self.answer(Gzip.stored([UInt8](body.utf8)))
      )
    }
    let service = try await Service.open(server)
    // The limit is each answer's own.
    for _ in 0..<6 { expect(await service.configuration().value != nil) }
    expectEqual(server.connections, 1)
    await service.close()
  }

  private static let bomb = Gzip.bomb(unpackingTo: extent(landing: 50_000_000, release: 200_000_000))

  @Test(arguments: [false, true]) func aBombIsAFault(isChunked: Bool) async throws {
    let bomb = Self.bomb
    expect(bomb.count < 2_000_000)
    // Small enough to pass for an answer as long as it is packed.
    let fault = try #require(
      try await configuration(Self.answer(Gzip.bomb(unpackingTo: 20_000_000), isChunked: isChunked)).fault)
    expectEqual(fault.kind, .unknown)
    expect(fault.detail.contains("unpacked"), "\(fault)")
    try await expectEqual(configuration(Self.answer(bomb, isChunked: isChunked)).fault?.kind, .unknown)
  }

  @Test func anUnknownCodingIsNotRead() async throws {
    expect(try await configuration(Self.answer(Gzip.stored([UInt8]("{}".utf8)), "br")).value == nil)
  }

  @Test(arguments: [UInt64](1...8)) func damagedPackingNeverTraps(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let whole = Gzip.stored([UInt8](Answers.configuration.utf8))
    let answers = (0..<40).map { _ in
      var packed = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) where !packed.isEmpty {
        let index = random.chance(60) ? Int.random(in: 0..<min(20, packed.count), using: &random) : packed.count - 1
        switch Int.random(in: 0..<4, using: &random) {
        case 0: packed[index] = UInt8.random(in: 0...255, using: &random)
        case 1: packed = Array(packed.prefix(index + 1))
        case 2: packed += [1, 2, 3]
        default: packed += whole
        }
      }
      if random.chance(5) { packed = [] }
      return Self.answer(
        packed, random.chance(50) ? "gzip" : "deflate", isChunked: random.chance(50) && !packed.isEmpty)
    }
    let server = ScriptedServer { number, _, connection in connection.send(answers[(number - 1) % answers.count]) }
    let service = try await Service.open(server)
    for _ in answers {
      // Damage is found, or has hit what does not matter.
      if let configuration = await service.configuration().value { expectEqual(configuration.id, "kiosk-1") }
    }
    await service.close()
  }

  @Test func ticketSystemsAreNotAskedForPackedAnswers() {
    expect(!HTTPTransport.Settings().decompresses)
  }
}

/// Gzip (RFC 1951, 1952) as far as the tests need it.
enum Gzip {
  private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

  /// `bytes`, in stored blocks.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var packed = head
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(60_000)
      rest = rest.dropFirst(block.count)
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      packed += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
    } while !rest.isEmpty
    return packed + little(crc(bytes)) + little(UInt32(bytes.count))
  }

  /// Blanks: one, and copies of it, 258 at a time by 13 bits of the fixed code. Its sum is wrong; nobody gets that far.
  static func bomb(unpackingTo count: Int) -> [UInt8] {
    var packed = head
    var bits: UInt32 = 0
    var used: UInt32 = 0
    func add(_ code: UInt32, _ length: UInt32) {
      // Codes go out with their first bit first.
      for bit in (0..<length).reversed() {
        bits |= (code >> bit & 1) << used
        used += 1
        if used == 8 {
          packed.append(UInt8(bits))
          (bits, used) = (0, 0)
        }
      }
    }
    add(1, 1)
    add(0b10, 2)
    add(0x30 + 0x20, 8)
    for _ in 0..<(count / 258) {
      add(0b1100_0101, 8)
      add(0, 5)
    }
    add(0, 7)
    add(0, 7)
    return packed + little(0) + little(UInt32(count))
  }

  private static func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return ~value
  }
}
