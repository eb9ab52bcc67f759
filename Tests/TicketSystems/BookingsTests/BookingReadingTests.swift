import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing
import WireText

@testable import Bookings

/// What the service tells of a booking, field by field.
@Suite struct BookingReadingTests {
  private static let good = [
    "booking":
      "{\"id\":\"b-1\",\"validationCode\":\"ab12cd34\",\"status\":\"confirmed\",\"customerName\":\"Ada Byron\"}",
    "show": "{\"id\":\"s-1\",\"title\":\"Hamilton\",\"date\":\"2026-05-02\",\"time\":\"19:30:00\"}", "seatCount": "4",
  ]

  private func read(_ members: [String: String]) throws -> Booking {
    let text = "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    return try Booking(try JSONValue([UInt8](text.utf8)), seats: "seatCount", in: try zone())
  }

  private func fault(_ change: (inout [String: String]) -> Void) throws -> Booking.Fault? {
    var members = Self.good
    change(&members)
    do {
      _ = try read(members)
      return nil
    } catch let fault as Booking.Fault {
      return fault
    }
  }

  @Test func aWholeBookingIsRead() throws {
    let booking = try read(Self.good)
    expectEqual(booking.code.text, "AB12CD34")
    expectEqual(
      booking.ticket,
      ListedTicket(
        status: .valid, from: try london("2026-05-02T19:30"), quantity: 4, sale: "b-1", event: "Hamilton",
        eventID: "s-1",
        holder: "Ada Byron"))
  }

  @Test(arguments: [
    ("confirmed", ListedTicket.Status?.some(.valid)), ("CONFIRMED", .valid), ("pending", .unpaid),
    ("cancelled", .cancelled),
    ("canceled", .cancelled), ("expired", .expired), ("paid", nil), ("", nil), ("confirmed ", nil),
  ])
  func aStatusIsOneOfFour(word: String, status: ListedTicket.Status?) { expectEqual(Booking.status(word), status) }

  @Test(arguments: ["\"4\"", "4", "1", "1000"])
  func seatsAreCountedAsNumberOrText(count: String) throws {
    var members = Self.good
    members["seatCount"] = count
    try expectEqual("\(read(members).ticket.quantity)", count.filter { $0 != "\"" })
  }

  @Test(arguments: ["19:30", "19:30:00", "19:30:00.000"])
  func aTimeMayBeShort(time: String) throws {
    var members = Self.good
    members["show"] = Self.good["show"]?.replacingOccurrences(of: "19:30:00", with: time)
    try expectEqual(read(members).ticket.from, try london("2026-05-02T19:30"))
  }

  /// Each is refused with words, and with the code as far as that can be read.
  @Test(arguments: [
    ("booking", "null"), ("booking", "[]"), ("booking", "{}"), ("booking", "\"b\""), ("show", "null"), ("show", "[]"),
    ("show", "{}"), ("seatCount", "null"), ("seatCount", "-1"), ("seatCount", "0"), ("seatCount", "1001"),
    ("seatCount", "4.5"),
    ("seatCount", "[]"), ("seatCount", "{}"), ("seatCount", "true"), ("seatCount", "99999999999999999999"),
    ("seatCount", "\"\""),
  ])
  func whatIsNoBookingIsToldInWords(member: String, value: String) throws {
    let found = try #require(try fault { $0[member] = value })
    expect(!found.words.isEmpty && !found.words.contains("AB12") && !found.words.contains("ab12"), "\(found)")
    expectEqual(found.code?.text, member == "booking" ? nil : "AB12CD34")
    let missing = try #require(try fault { $0[member] = nil })
    expect(!missing.words.isEmpty)
  }

  @Test(arguments: [
    "0000-00-00", "2026-00-10", "2026-02-30", "2026-5-2", "02.05.2026", "2026-05-02T19:30:00.000Z", "1970-01-01",
    "9999-12-31", "",
    "2026-05-022",
  ])
  func aDateThatIsNoneIsToldInWords(date: String) throws {
    let found = try fault { $0["show"] = Self.good["show"]?.replacingOccurrences(of: "2026-05-02", with: date) }
    expectEqual(found, .init(words: "has a date that cannot be read", code: Code("AB12CD34")))
  }

  @Test(arguments: [
    "24:00:00", "19:60:00", "19:30:60", "-1:30:00", "7:30", "19", "", "19:30:00 PM", "٠٧:٣٠", "19:30:00:00",
  ])
  func aTimeThatIsNoneIsToldInWords(time: String) throws {
    let found = try fault { $0["show"] = Self.good["show"]?.replacingOccurrences(of: "19:30:00", with: time) }
    expectEqual(found, .init(words: "has a time of day that cannot be read", code: Code("AB12CD34")))
  }

  @Test(arguments: ["PROCESSING", "ERROR", "", "ABC", "b-1|1767000000", "{}"])
  func aCodeThatIsNoneIsNotRepeated(code: String) throws {
    let found = try fault { $0["booking"] = Self.good["booking"]?.replacingOccurrences(of: "ab12cd34", with: code) }
    expectEqual(found, .init(words: "has a code of another form", code: nil))
  }

  @Test func textsAreCleaned() throws {
    var members = Self.good
    members["show"] = Self.good["show"]?.replacingOccurrences(of: "Hamilton", with: "Ham\\u001b[2Jil\\u202eton")
    members["booking"] = Self.good["booking"]?.replacingOccurrences(of: "Ada Byron", with: "\\u0007Ada\\nByron")
    let ticket = try read(members).ticket
    expectEqual(ticket.event, "Ham [2Jilton")
    expectEqual(ticket.holder, "Ada Byron")
  }

  /// Bytes in any order: nothing traps, and what is read is within its bounds.
  @Test func whateverIsToldNothingTraps() throws {
    let seed = UInt64(7_005)
    var random = SeededGenerator(seed: seed)
    let good = "{" + Self.good.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    let pieces = [
      "null", "[]", "{}", "-9223372036854775808", "1e999", "\"\"", "\"9999-12-31\"", "\"24:00:00\"", "true",
    ]
    let zone = try zone()
    for _ in 0..<extent(landing: 2_000, release: 20_000) {
      var bytes = [UInt8](good.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        if random.chance(50) {
          bytes[at] = .random(in: 0x20...0x7E, using: &random)
        } else {
          bytes.replaceSubrange(
            at..<min(bytes.count, at + Int.random(in: 0...12, using: &random)),
            with: (pieces.randomElement(using: &random) ?? "").utf8)
        }
      }
      guard let document = try? JSONValue(bytes), let booking = try? Booking(document, seats: "seatCount", in: zone)
      else {
        continue
      }
      expect((1...1_000).contains(booking.ticket.quantity), "seed \(seed)")
      expect(BookingCode.fault(of: booking.code) == nil, "seed \(seed)")
    }
  }
}
