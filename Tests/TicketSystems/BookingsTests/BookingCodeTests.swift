import Expectations
import Reading
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit

@testable import Bookings

/// What is presented, and what of it is a booking's own code.
@Suite struct BookingCodeTests {
  @Test(arguments: [
    ("0A1B2C3D", "0A1B2C3D"), ("LML-0A1B2C3D", "0A1B2C3D"), ("lml-0a1b2c3d", "0A1B2C3D"),
    ("  Lml-0a1b2c3d\t", "0A1B2C3D"), ("LML- 0a1b2c3d", "0A1B2C3D"), ("abcdef", "ABCDEF"),
    ("ABCDEFGH12345678", "ABCDEFGH12345678"),
  ])
  func theOwnFormIsTheBareCodeInCapitals(presented: String, own: String) {
    let code = BookingCode.ownForm(of: Code(presented))
    expectEqual(code.text, own)
    expectEqual(BookingCode.ownForm(of: code), code)
    expectEqual(BookingCode.fault(of: Code(presented)), nil)
    expectEqual(TicketSystemTypeForm.own(presented), own)
  }

  @Test(arguments: [
    ("PROCESSING", BookingCode.Fault.unfinished), ("processing", .unfinished), ("LML-PROCESSING", .unfinished),
    ("ERROR", .unfinished), ("LML-ERROR", .unfinished), ("", .unfinished), ("LML-", .unfinished), ("   ", .unfinished),
    ("{\"bookingId\":\"b-1\",\"timestamp\":\"2026-05-02T18:00:00Z\",\"checksum\":\"0A1B2C3D\"}", .unverifiable),
    ("{ \"timestamp\": 1, \"bookingId\": \"b-1\" }", .unverifiable), ("b-1|1767000000", .unverifiable),
    ("8f14e45f|1767000000.25", .unverifiable), ("ORDER:1:HAMILTON:2025-09-15:A12,A13", .unverifiable),
    ("order:1:x", .unverifiable), ("ABCDE", .foreign), ("ABCDEFGH123456789", .foreign), ("ABC-DEF1", .foreign),
    ("ÄBCDEF", .foreign), ("{\"id\":1}", .foreign), ("|1767000000", .foreign), ("ABCDEF|", .foreign),
    ("https://lastminutelive.com/b/1", .foreign), ("LML-LML-ABCDEF", .foreign),
  ])
  func whatIsNoCodeIsUnreadableInWords(presented: String, fault: BookingCode.Fault) async throws {
    expectEqual(BookingCode.fault(of: Code(presented)), fault)
    let stage = try await Stage.open()
    let system = stage.system()
    let own = system.recognise(Code(presented)).code
    expectEqual(system.examine(own, at: stage.time.wall()), .refuse(.unreadable))
    expectEqual(system.refusalWords(for: own), fault.words)
    if !own.bytes.isEmpty {
      expect(BookingsSection.accept.accepts(own), "a gate must not refuse it before it can be told why")
    }
    let outcome = await stage.attempt(presented)
    expectEqual(outcome.answer, .refused(.unreadable, detail: fault.words))
    expect(outcome.isRemembered && stage.service.requests.isEmpty, "nobody is asked about it")
    await stage.close()
  }

  /// Whatever is shown, its own form stays the same, and has no small letter where it is a code.
  @Test func recognisingTwiceChangesNothing() {
    let seed = UInt64(7_001)
    var random = SeededGenerator(seed: seed)
    let letters = Array("abzAZ059 -|:{}\"LMlm\t")
    for _ in 0..<extent(landing: 3_000, release: 30_000) {
      let text =
        (random.chance(30) ? "LML-" : "")
        + String((0..<Int.random(in: 0...20, using: &random)).map { _ in letters.randomElement(using: &random) ?? "A" })
      let own = BookingCode.ownForm(of: Code(text))
      expectEqual(BookingCode.ownForm(of: own), own, "seed \(seed): \(text)")
      if BookingCode.fault(of: own) == nil {
        expect((6...16).contains(own.bytes.count), "seed \(seed): \(text)")
        expectEqual(own.text, own.text.uppercased(), "seed \(seed): \(text)")
      }
    }
  }
}

/// What the type makes of a code without a connection.
private enum TicketSystemTypeForm {
  static func own(_ text: String) -> String { TicketSystemType.bookings.recognise(Code(text)).text }
}
