import StationSetUp
import Expectations
import Foundation
import ScanModel
import ScanTesting
import Sealing
import Testing

@testable import Gateway

/// Setting a station up at its scanner, from the raw read to the gate.
@Suite(.timeLimit(.minutes(1))) struct SetUpTests {
  private static let ticket = Code("good-ticket-1")

  @Test func anActivationCodeBringsTheGateIntoService() async throws {
    try await SetUpBench().run { bench in
      expect(await bench.events.setUp(.armed) != nil)
      bench.present("abc123def456")
      let done = try #require(await bench.events.setUp(.done))
      expectEqual(done.gate, SetUpBench.north)
      expectEqual(done.detail?.contains("North door"), true)
      await expectEqual(bench.events.gate { $0 == .ready }, .ready)
      let sent = try #require(bench.kiosk.requests.first { $0.contains("/activate") })
      expect(sent.hasPrefix("POST "))
      bench.system.script(Self.ticket, .redeem("1"))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.scan()?.verdict, .admit)
      expectEqual(bench.signals.pulses, 1)
      await bench.shows(.done)
      let steps = bench.signals.played.filter { if case .setUp = $0 { true } else { false } }
      expectEqual(steps, [.setUp(.armed), .setUp(.working), .setUp(.done)])
    }
  }

  /// Whoever sees that it is set up holds up a ticket: it is not tried as another code.
  @Test func whatIsShownAfterDoneIsATicket() async throws {
    try await SetUpBench().run { bench in
      _ = await bench.events.setUp(.armed)
      bench.system.script(Self.ticket, .redeem("1"))
      bench.present("abc123def456")
      _ = await bench.events.setUp(.done)
      bench.present("good-ticket-1")
      await expectEqual(bench.events.scan()?.verdict, .admit)
      expectEqual(bench.kiosk.requests.filter { $0.contains("/activate") }.count, 1)
    }
  }

  /// What the service says of the station holds from the first moment.
  @Test func aStationThatIsSwitchedOffOpensNoGateAfterDone() async throws {
    try await SetUpBench().run { bench in
      _ = await bench.events.setUp(.armed)
      bench.kiosk.answer(
        "/api/kiosks/configuration", 200,
        ScriptedKiosk.configuration.replacing(#""status":"active""#, with: #""status":"inactive""#))
      bench.system.script(Self.ticket, .redeem("1"))
      bench.present("abc123def456")
      _ = await bench.events.setUp(.done)
      bench.present("good-ticket-1")
      await expectEqual(bench.events.scan()?.verdict, .undecided(.outOfService))
      expect(bench.system.asked.isEmpty)
    }
  }

  @Test func theSameCodeAfterwardsIsARefusedScan() async throws {
    try await SetUpBench().run { bench in
      _ = await bench.events.setUp(.armed)
      let code =
        #"{"type":"kiosk_activation","id":"assigned-kiosk-id","code":"K3J9QZ","expires":"2099-07-07T21:00:00.000Z"}"#
      bench.present(code)
      _ = await bench.events.setUp(.done)
      _ = await bench.events.gate { $0 == .ready }
      let asked = bench.kiosk.requests.filter { $0.contains("/activate") }.count
      // Still held to the scanner it is no scan; from another hand later it is.
      bench.present(code)
      bench.gate.deliver(RawRead(reader: SetUpBench.left, bytes: [UInt8](code.utf8), readAt: SystemTime().now()))
      await expectEqual(bench.events.scan()?.verdict, .refuse(.unreadable))
      expect(bench.system.asked.isEmpty)
      expectEqual(bench.kiosk.requests.filter { $0.contains("/activate") }.count, asked)
      expectEqual(bench.signals.pulses, 0)
    }
  }

  @Test func aTicketShownToAStationThatAwaitsSetUpOpensNothing() async throws {
    try await SetUpBench(window: "0 s").run { bench in
      _ = await bench.events.gate { if case .notSetUp = $0 { true } else { false } }
      bench.system.script(Self.ticket, .redeem("1"))
      bench.present("good-ticket-1")
      let scan = try #require(await bench.events.scan())
      expectEqual(scan.verdict, .undecided(.outOfService))
      expectEqual(scan.detail?.contains("not activated"), true)
      expect(bench.system.asked.isEmpty)
      expectEqual(bench.kiosk.connections, 0)
    }
  }

  @Test func aCodeThatNamesAnotherServerContactsNobody() async throws {
    let other = ScriptedKiosk()
    let port = try await other.start()
    try await SetUpBench().run { bench in
      _ = await bench.events.setUp(.armed)
      bench.present(
        #"{"type":"kiosk_activation","code":"A1B2C3D4","server":"127.0.0.1:\#(port)","timestamp":4092595200000}"#)
      let refused = try #require(await bench.events.setUp(.refused))
      expectEqual(refused.reason, .untrusted)
      bench.present("https://evil.example/activate?kioskId=1&code=A1B2C3D4")
      await expectEqual(bench.events.setUp(.refused)?.reason, .untrusted)
      expectEqual(other.connections, 0)
      expect(bench.kiosk.requests.allSatisfy { !$0.contains("/activate") })
      await bench.shows(.refused(.untrusted))
    }
    await other.stop()
  }

  @Test(arguments: [
    (404, #"{"success":false,"error":{"code":"INVALID_CODE","message":"no such code"}}"#, SetUpRefusal.wrong),
    (410, #"{"success":false,"error":{"code":"CODE_EXPIRED","message":"too late"}}"#, .expired),
    (409, #"{"success":false,"error":{"code":"CODE_USED","message":"twice"}}"#, .used),
    (200, "<html>welcome</html>", .fault), (200, "{}", .fault),
  ]) func aRefusalIsShownAndTheStationStaysArmed(_ status: Int, _ body: String, _ refusal: SetUpRefusal) async throws {
    try await SetUpBench().run { bench in
      _ = await bench.events.setUp(.armed)
      bench.kiosk.answer("/api/kiosks/activate", status, body)
      bench.present("abc123def456")
      let refused = try #require(await bench.events.setUp(.refused))
      expectEqual(refused.reason, refusal)
      expectEqual(refused.detail?.contains("ABC123DEF456"), false)
      await bench.shows(.refused(refusal))
      // Another code is taken at once.
      bench.kiosk.answer("/api/kiosks/activate", 200, ScriptedKiosk.activated)
      bench.present("ABC123DEF457")
      expect(await bench.events.setUp(.done) != nil)
    }
  }

  @Test func afterTooManyWrongCodesNoneIsTaken() async throws {
    try await SetUpBench().run { bench in
      _ = await bench.events.setUp(.armed)
      bench.kiosk.answer(
        "/api/kiosks/activate", 404, #"{"success":false,"error":{"code":"INVALID_CODE","message":"no"}}"#)
      for number in 1...5 {
        bench.present("WRONG\(number)")
        await expectEqual(bench.events.setUp(.refused)?.reason, .wrong)
      }
      let asked = bench.kiosk.requests.filter { $0.contains("/activate") }.count
      bench.present("ABC123DEF456")
      await expectEqual(bench.events.setUp(.refused)?.reason, .lockedOut)
      let locked = await bench.events.setUp(.disarmed)
      expectEqual(locked?.detail?.hasPrefix("Too many set-up codes were refused: none is taken for "), true)
      expectEqual(bench.kiosk.requests.filter { $0.contains("/activate") }.count, asked)
      // Whoever orders codes to be taken ends it.
      expect(bench.setUp.arm(minutes: 5))
      let over = await bench.events.setUp(.armed)
      expectEqual(over?.detail, "The lock-out is over: set-up codes are taken again. Hold one to the scanner.")
    }
  }

  @Test func anActivationOutlivesARestart() async throws {
    let first = try await SetUpBench()
    try await first.run { bench in
      _ = await bench.events.setUp(.armed)
      bench.present("ABC123DEF456")
      _ = await bench.events.setUp(.done)
    }
    try await SetUpBench(folder: first.folder, kiosk: first.kiosk).run { bench in
      await expectEqual(bench.events.gate { $0 == .ready }, .ready)
      bench.system.script(Self.ticket, .redeem("1"))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.scan()?.verdict, .admit)
    }
  }

  @Test func aServiceThatForgetsTheTokenLeavesTheGateOpenAndUnarmed() async throws {
    let first = try await SetUpBench()
    try await first.run { bench in
      _ = await bench.events.setUp(.armed)
      bench.present("ABC123DEF456")
      _ = await bench.events.setUp(.done)
    }
    let refusal = #"{"success":false,"error":{"code":"INVALID_TOKEN","message":"expired"}}"#
    for path in ["/api/kiosks/configuration", "/api/kiosks/assigned-kiosk-id/status", "/api/kiosks/validate-token"] {
      first.kiosk.answer(path, 401, refusal)
    }
    try await SetUpBench(folder: first.folder, kiosk: first.kiosk).run { bench in
      expect(await bench.events.control(.tokenRefused) != nil)
      bench.system.script(Self.ticket, .redeem("1"))
      bench.present("good-ticket-1")
      await expectEqual(bench.events.scan()?.verdict, .admit)
      expect(bench.signals.played.allSatisfy { $0 != .setUp(.armed) })
    }
  }

  @Test func theServiceTakesTheGateOutOfServiceAndGivesItBack() async throws {
    let inactive = ScriptedKiosk.configuration.replacing(#""status":"active""#, with: #""status":"inactive""#)
    let first = try await SetUpBench()
    try await first.run { bench in
      _ = await bench.events.setUp(.armed)
      bench.kiosk.answer("/api/kiosks/configuration", 200, inactive)
      bench.present("ABC123DEF456")
      _ = await bench.events.setUp(.done)
      expect(await bench.events.gate { if case .closed = $0 { true } else { false } } != nil)
      bench.present("good-ticket-1")
      await expectEqual(bench.events.scan()?.verdict, .undecided(.outOfService))
      expect(bench.system.asked.isEmpty)
    }
    first.kiosk.answer("/api/kiosks/configuration", 200, ScriptedKiosk.configuration)
    try await SetUpBench(folder: first.folder, kiosk: first.kiosk).run { bench in
      await expectEqual(bench.events.gate { $0 == .ready }, .ready)
    }
  }

  @Test func aStateThatNobodyCanReadGivesNoGateBack() async throws {
    let first = try await SetUpBench()
    try await first.run { bench in
      _ = await bench.events.setUp(.armed)
      bench.kiosk.answer(
        "/api/kiosks/configuration", 200, ScriptedKiosk.configuration.replacing("active\"", with: "maintenance\""))
      bench.present("ABC123DEF456")
      expect(await bench.events.gate { if case .closed = $0 { true } else { false } } != nil)
    }
    first.kiosk.answer(
      "/api/kiosks/configuration", 200, #"{"success":true,"data":{"name":"South door","status":"on"}}"#)
    try await SetUpBench(folder: first.folder, kiosk: first.kiosk).run { bench in
      expect(await bench.events.control(.configured) != nil)
      bench.present("good-ticket-1")
      await expectEqual(bench.events.scan()?.verdict, .undecided(.outOfService))
    }
  }

  /// A disk that is not read at the start: nobody knows what the station is, and nothing is taken. When it is read, what was left of
  /// the time after the start still counts.
  @Test func aRecordThatCannotBeReadAtTheStartArmsNothingUntilItCan() async throws {
    let first = try await SetUpBench()
    let record = first.folder + "/records/control.sealed"
    try await first.run { _ in _ = await first.events.setUp(.armed) }
    let damaged = try #require(FileHandle(forWritingAtPath: record))
    try damaged.truncate(atOffset: 30)
    try damaged.close()
    try await SetUpBench(folder: first.folder, kiosk: first.kiosk).run { bench in
      _ = await bench.events.gate { if case .notSetUp = $0 { true } else { false } }
      bench.present("abc123def456")
      await expectEqual(bench.events.scan()?.verdict, .undecided(.outOfService))
      expect(bench.kiosk.requests.allSatisfy { !$0.contains("/activate") })
      expectEqual(unlink(record), 0)
      expect(await bench.events.setUp(.armed) != nil)
      bench.present("abc123def457")
      expect(await bench.events.setUp(.done) != nil)
    }
  }
}
