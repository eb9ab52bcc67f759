import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// Answers in the coding `deflate`: RFC 1951 in the wrapping of RFC 1950, as RFC 9110 has it.
@Suite struct DeflatedAnswerTests {
  private static let body = #"{"id":"kiosk-1","name":"Box office east"}"#

  /// `body`, written by zlib: packed with the fixed codes, and stored as it is.
  private static let wrapped: [[UInt8]] = [packed, stored]
  private static let packed: [UInt8] = [
    0x78, 0xDA, 0xAB, 0x56, 0xCA, 0x4C, 0x51, 0xB2, 0x52, 0xCA, 0xCE, 0xCC, 0x2F, 0xCE, 0xD6, 0x35,
    0x54, 0xD2, 0x51, 0xCA, 0x4B, 0xCC, 0x4D, 0x05, 0x0A, 0x38, 0xE5, 0x57, 0x28, 0xE4, 0xA7, 0xA5,
    0x65, 0x26, 0xA7, 0x2A, 0xA4, 0x26, 0x16, 0x97, 0x28, 0xD5, 0x02, 0x00, 0x08, 0x6D, 0x0D, 0x18,
  ]
  private static let stored: [UInt8] = [
    0x78, 0x01, 0x01, 0x29, 0x00, 0xD6, 0xFF, 0x7B, 0x22, 0x69, 0x64, 0x22, 0x3A, 0x22, 0x6B, 0x69,
    0x6F, 0x73, 0x6B, 0x2D, 0x31, 0x22, 0x2C, 0x22, 0x6E, 0x61, 0x6D, 0x65, 0x22, 0x3A, 0x22, 0x42,
    0x6F, 0x78, 0x20, 0x6F, 0x66, 0x66, 0x69, 0x63, 0x65, 0x20, 0x65, 0x61, 0x73, 0x74, 0x22, 0x7D,
    0x08, 0x6D, 0x0D, 0x18,
  ]

  private static func answer(_ packed: [UInt8], isChunked: Bool) -> [UInt8] {
    var head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: deflate\r\n"
    guard isChunked else {
      head += "Content-Length: \(packed.count)\r\n\r\n"
      return [UInt8](head.utf8) + packed
    }
    head += "Transfer-Encoding: chunked\r\n\r\n"
    // Each byte for itself, as far as HTTP goes.
    let chunks = packed.flatMap { byte -> [UInt8] in [0x31, 0x0D, 0x0A, byte, 0x0D, 0x0A] }
    return [UInt8](head.utf8) + chunks + [UInt8]("0\r\n\r\n".utf8)
  }

  @Test(arguments: wrapped.indices, [false, true])
  func aDeflatedConfigurationIsRead(index: Int, isChunked: Bool) async throws {
    let answer = Self.answer(Self.wrapped[index], isChunked: isChunked)
    let service = try await Service.open(ScriptedServer { _, _, connection in connection.send(answer) })
    let configuration = try #require(await service.configuration().value)
    expectEqual(configuration.id, "kiosk-1")
    expectEqual(configuration.name, "Box office east")
    expectEqual(service.requests.count, 1)
    await service.close()
  }

  /// Deflated ones and plain ones, on one connection: what unpacks one is not left over for the next.
  @Test func deflatedAnswersFollowOneAnother() async throws {
    let server = ScriptedServer { number, _, connection in
      connection.send(
        number % 3 == 0
          ? [UInt8](Answers.ok(Self.body).utf8)
          : Self.answer(Self.wrapped[number % 3 - 1], isChunked: number.isMultiple(of: 2)))
    }
    let service = try await Service.open(server)
    for _ in 0..<12 { await expectEqual(service.configuration().value?.name, "Box office east") }
    expectEqual(server.requests.count, 12)
    expectEqual(server.connections, 1)
    await service.close()
  }

  /// A sum that does not fit is no answer.
  @Test func aDamagedSumIsAFault() async throws {
    var damaged = Self.packed
    damaged[damaged.count - 1] ^= 1
    let answer = Self.answer(damaged, isChunked: false)
    let service = try await Service.open(ScriptedServer { _, _, connection in connection.send(answer) })
    expect(await service.configuration().fault != nil)
    await service.close()
  }
}
