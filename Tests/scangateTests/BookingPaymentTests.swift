import Expectations
import Foundation
import Synchronization
import Testing

/// `scangate booking reserve|confirm|bookings`, at services of both shapes.
@Suite struct BookingPaymentTests {
  typealias Service = BookingService

  private static let checkout = "POST /api/seat-checkout"
  private static let seats = "GET /api/shows/\(Service.show)/seats"
  private static let success = "GET /api/checkout/success?session_id=\(Service.session)"

  private func reserved(
    _ shape: Service.Shape, saysYes: Bool = false, hidesCode: Bool = true,
    _ change: (inout Service.State) -> Void = { _ in }, _ body: (BookingBench) async throws -> Void
  ) async throws {
    try await BookingBench.open(shape, saysYes: saysYes, hidesCode: hidesCode, change) { bench in
      await expectStatus(bench.run("reserve", Service.show, "F-12", "F-13"), 0)
      try await body(bench)
    }
  }

  // MARK: Reserving

  @Test(arguments: Service.Shape.allCases) func reserve(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      await bench.signIn()
      let result = await bench.run("reserve", Service.show, "F-12", "s13", "--qr", "--json")
      expectStatus(result, 0)
      // Read before, sent once, read back.
      expectEqual(bench.lines(after: 1), [Self.seats, Self.checkout, Self.seats])
      let body = try bench.body(of: Self.checkout)
      expectEqual(body["showId"] as? String, Service.show)
      expectEqual(body["specificSeatIds"] as? [String], ["s12", "s13"])
      expectEqual(body["mobile"] as? Bool, true)
      expect(bench.server.requests.last { $0.hasPrefix(Self.checkout) }?.contains(bench.service.token) == true)
      let told = try #require(result.objects.first)
      expectEqual(told["session"] as? String, Service.session)
      expectEqual(told["asked"] as? [String], ["F-12", "F-13"])
      expectEqual(told["reserved"] as? [String], ["F-12", "F-13"])
      expectEqual(told["url"] as? String, Service.page)
      let amount = told["amount"] as? [String: Any]
      expectEqual(amount?["unit"] as? String, shape == .real ? "pence" : nil)
      expectEqual(amount?["amount"] as? Int, shape == .real ? 9_100 : nil)
      expectEqual(bench.terminal.drawn.withLock { $0 }, [Service.page])
    }
  }

  /// Whatever it may be called: before anything is sent.
  @Test(arguments: Service.Shape.allCases) func seatsThatCannotBe(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      for (seats, words) in [
        (["s12", "s12"], "is there twice"), (["s12", "F12"], "is there twice"), (["F-12", "f-12"], "is there twice"),
        (["s99"], "no seat of this show"), (["F-12", "H-1"], "no seat of this show"), (["G-1"], "G-1 is sold"),
      ] {
        let result = await bench.run(["reserve", Service.show] + seats)
        expectStatus(result, 64)
        expect(result.errors.contains(words) && result.errors.contains("Nothing was sent"), "\(result.errors)")
      }
      expect(bench.lines().allSatisfy { $0 == Self.seats }, "\(bench.lines())")
    }
  }

  /// A seat of another show among them, one that is told twice, one below nothing, and two of one name.
  @Test func seatsThatTheServiceTellsWrongly() async throws {
    let rows =
      #"[{"id":"a","row":"A","number":1,"price":5,"status":"available","showId":"other"},"#
      + #"{"id":"b","row":"B","number":1,"price":5,"status":"available"},{"id":"b","row":"B","number":1,"price":5,"status":"available"},"#
      + #"{"id":"c","row":"C","number":1,"price":-5,"status":"available"},{"row":"X"},"#
      + #"{"id":"d","row":"D","number":1,"section":"Stalls","status":"available"},{"id":"e","row":"D","number":1,"section":"Circle","status":"available"},"#
      + #"{"id":"f","row":"F","number":1,"price":5,"status":"perhaps"}]"#
    try await BookingBench.open(.document, { $0.instead[Self.seats] = .some(.init(200, rows)) }) { bench in
      for (seat, words) in [
        ("a", "no seat"), ("A-1", "no seat"), ("b", "say which"), ("c", "a price that is none"), ("D-1", "say which"),
        ("f", "nobody knows"),
      ] {
        let result = await bench.run("reserve", Service.show, seat)
        expectStatus(result, 64)
        expect(result.errors.contains(words), "\(seat): \(result.errors)")
      }
      expect(bench.lines().allSatisfy { $0 == Self.seats })
      let seats = await bench.run("seats", Service.show)
      for note in ["1 could not be read", "1 are of another show", "1 are told twice", "1 have a price that is none"] {
        expect(seats.errors.contains(note), "\(note): \(seats.errors)")
      }
    }
  }

  /// The answer says how many were asked for: what counts is what is reserved then.
  @Test(arguments: Service.Shape.allCases) func fewerThanWereAskedFor(shape: Service.Shape) async throws {
    try await BookingBench.open(shape, { $0.loses = ["s14"] }) { bench in
      let result = await bench.run("reserve", Service.show, "F-13", "F-14", "F-15", "--qr")
      expectStatus(result, 1)
      expect(result.errors.contains("2 of 3 seats are reserved: not F-14"), "\(result.errors)")
      expect(result.output.contains("2: F-13 F-15"), "\(result.output)")
      expect(bench.terminal.drawn.withLock { $0.isEmpty })
    }
  }

  @Test(arguments: Service.Shape.allCases) func aReservationWhoseAnswerIsLost(shape: Service.Shape) async throws {
    try await BookingBench.open(shape, { $0.instead[Self.checkout] = .some(nil) }) { bench in
      let result = await bench.run("reserve", Service.show, "F-12")
      expectStatus(result, 76)
      expectEqual(bench.lines().count { $0 == Self.checkout }, 1)
      expect(result.errors.contains("was not sent again"), "\(result.errors)")
      expect(result.errors.contains("scangate booking seats \(Service.show)"), "\(result.errors)")
    }
  }

  /// Reserved, and not read back: how many is not known.
  @Test func seatsThatCannotBeReadBack() async throws {
    try await BookingBench.open(.real) { bench in
      let asked = Mutex(0)
      let service = bench.service
      let server = try await DeskServer.start { request in
        if request.line == Self.seats,
          asked.withLock({
            $0 += 1; return $0
          }) > 1
        {
          return .init(400, #"{"error":"x"}"#)
        }
        return service.answer(request)
      }
      let result = await bench.terminal.run(["reserve", Service.show, "F-12", "--qr", "--server", server.address])
      expectStatus(result, 76)
      expect(result.errors.contains("is not known"), "\(result.errors)")
      expect(bench.terminal.drawn.withLock { $0.isEmpty })
      await server.end()
    }
  }

  @Test(arguments: [
    "http://checkout.stripe.com/c/pay/cs_test_1", "https://checkout.stripe.com.evil.example/pay",
    "https://checkout.stripe.com@evil.example/", "https://evil.example/?checkout.stripe.com", "javascript:alert(1)", "",
    "https://evilstripe.com/x", "https://checkout.stripe.com:8443/x",
  ])
  func aPageAtAnotherHostIsNotShown(page: String) async throws {
    try await BookingBench.open(.real, { $0.page = page }) { bench in
      let result = await bench.run("reserve", Service.show, "F-12", "--qr")
      expectStatus(result, 69)
      expect(result.errors.contains("The seats are reserved"), "\(result.errors)")
      expect(page.isEmpty || !(result.output + result.errors).contains(page), "\(result.output)")
      expect(bench.terminal.drawn.withLock { $0.isEmpty })
    }
  }

  // MARK: Confirming

  @Test(arguments: Service.Shape.allCases) func confirm(shape: Service.Shape) async throws {
    try await reserved(shape, saysYes: true, { $0.payment = "paid" }) { bench in
      let before = bench.lines().count
      let result = await bench.run("confirm", Service.session)
      expectStatus(result, 0)
      expectEqual(bench.lines(after: before), [Self.success])
      expect(result.errors.contains("Has the customer paid for F-12 F-13"), "\(result.errors)")
      expect(result.output.contains("The Tempest") && result.output.contains("F-12 F-13"), "\(result.output)")
      expect(result.output.contains("£91.00 (9100 p)"), "\(result.output)")
      expect(result.output.contains("Code") && result.output.contains("…ZX4B"), "\(result.output)")
      let json = await bench.run("confirm", Service.session, "--json", "--yes")
      expectEqual(json.objects.first?["code"] as? String, "…ZX4B")
      await expectStatus(bench.run("confirm", Service.session, "--yes", "--qr"), 0)
      expectEqual(bench.terminal.drawn.withLock { $0 }, [Service.code])
    }
  }

  @Test func theWholeCodeWhereItIsAskedFor() async throws {
    try await reserved(.real, hidesCode: false, { $0.payment = "paid" }) { bench in
      let result = await bench.run("confirm", Service.session, "--yes", "--show-code", "--json")
      expectEqual(result.objects.first?["code"] as? String, Service.code)
    }
  }

  /// To ask makes a booking: only for what was begun here, is not over, and was said to be paid.
  @Test(arguments: Service.Shape.allCases) func whatIsNotAskedFor(shape: Service.Shape) async throws {
    try await reserved(shape) { bench in
      let before = bench.lines().count
      await expectStatus(bench.run("confirm", Service.session), 64)
      await expectStatus(bench.run("confirm", "cs_test_of_somebody_else", "--yes"), 64)
      await expectStatus(bench.run("confirm", "../x", "--yes"), 64)
      // Begun here, at another server.
      let other = try await DeskServer.start { bench.service.answer($0) }
      let elsewhere = await bench.terminal.run(["confirm", Service.session, "--yes", "--server", other.address])
      expectStatus(elsewhere, 64)
      expect(other.lines.isEmpty)
      await other.end()
      expectEqual(bench.lines().count, before)
    }
  }

  @Test(arguments: ["2020-01-01T00:00:00.000Z", "1500000000", "1500000000000"])
  func whatHasEndedIsNotAskedFor(end: String) async throws {
    try await BookingBench.open(.real, { $0.ends = end }) { bench in
      await expectStatus(bench.run("reserve", Service.show, "F-12"), 0)
      let before = bench.lines().count
      let result = await bench.run("confirm", Service.session, "--yes")
      expectStatus(result, 1)
      expect(result.errors.contains("The payment ended at 20"), "\(result.errors)")
      expectEqual(bench.lines().count, before)
    }
  }

  @Test(arguments: [("PROCESSING", 75), ("ERROR", 1), ("unpaid", 1), ("no_payment_required", 1), ("Paid", 1)])
  func whatIsNotPaid(payment: String, status: Int32) async throws {
    for shape in Service.Shape.allCases {
      try await reserved(shape, { $0.payment = payment }) { bench in
        let result = await bench.run("confirm", Service.session, "--yes", "--qr")
        expectStatus(result, status)
        expectEqual(result.output, "")
        expect(bench.terminal.drawn.withLock { $0.isEmpty })
      }
    }
  }

  @Test(arguments: [
    #"{"payment_status":"paid"}"#, #"{"payment_status":"paid","verification_code":"x"}"#,
    #"{"payment_status":"paid","verification_code":"AAAAAAAA","show_details":{"booking":{"validation_code":"BBBBBBBB"}}}"#,
    "<html>", "{}",
  ])
  func anAnswerThatTellsNoBooking(body: String) async throws {
    let type = body.hasPrefix("<") ? "text/html" : "application/json"
    try await reserved(
      .real, { $0.instead["GET /api/checkout/success"] = .some(.init(200, body, type: type)) }
    ) { bench in
      let before = bench.lines().count
      let result = await bench.run("confirm", Service.session, "--yes")
      expectStatus(result, body == "{}" ? 1 : 76)
      expectEqual(bench.lines().count, before + 1)
      expectEqual(result.output, "")
    }
  }

  // MARK: Bookings

  @Test(arguments: Service.Shape.allCases, [false, true])
  func bookings(shape: Service.Shape, byAddress: Bool) async throws {
    try await BookingBench.open(shape, { $0.asksForAddress = byAddress }) { bench in
      await bench.signIn()
      let result = await bench.run("bookings")
      expectStatus(result, 0)
      // Told twice by the real one, printed once.
      expectEqual(result.lines.count, 2)
      expect(result.lines[1].contains("The Tempest") && result.lines[1].contains("2026-12-01"), "\(result.output)")
      expect(result.lines[1].contains("…ZX4B"), "\(result.output)")
      expect(result.lines[1].contains(shape == .document && !byAddress ? "£91" : "£91.00 (9100 p)"), "\(result.output)")
      expectEqual(bench.lines(after: 1).count, byAddress ? 2 : 1)
      expectEqual(result.errors.contains("by the address"), byAddress, "\(result.errors)")
      expect(!result.errors.contains("neither"), "\(result.errors)")
      let json = await bench.run("bookings", "--json")
      let amount = json.objects.first?["amount"] as? [String: Any]
      expectEqual(amount?["unit"] as? String, shape == .document && !byAddress ? "pounds" : "pence")
    }
  }

  @Test func twoBookingsWithOneCode() async throws {
    let rows = (1...3).map { #"{"id":"b\#($0)","validationCode":"\#(Service.code)","status":"confirmed"}"# }
    try await BookingBench.open(
      .real, { $0.instead["GET /api/user/bookings"] = .some(.init(200, "[\(rows.joined(separator: ","))]")) }
    ) { bench in
      await bench.signIn()
      let result = await bench.run("bookings")
      expectStatus(result, 0)
      expectEqual(result.lines.count, 4)
      expect(result.errors.contains("(…ZX4B): at a door neither admits"), "\(result.errors)")
    }
  }

  @Test func fiftyThousandBookings() async throws {
    let count = extent(landing: 5_000, release: 50_000)
    let rows = (1...count).map { #"{"id":"b\#($0)","showTitle":"x","totalAmount":1,"qrCode":"CODE\#($0)"}"# }
    try await BookingBench.open(
      .document, { $0.instead["GET /api/user/bookings"] = .some(.init(200, "[\(rows.joined(separator: ","))]")) }
    ) { bench in
      await bench.signIn()
      let result = await bench.run("bookings", "--json")
      expectStatus(result, 0)
      expectEqual(result.lines.count, count)
    }
  }
}
