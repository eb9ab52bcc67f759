import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit
import TicketTransport
import WireText

@testable import EventSchedule

/// What stations give each other of a server's events: bounded, read whole or not at all, whatever the bytes are.
@Suite struct GivenEventsTests {
  private static let now = WallTime(seconds: 1_800_000_000)

  private static func listing(_ events: [String]) throws -> EventListing {
    var listing = EventListing()
    for (number, start) in stride(from: 0, to: max(events.count, 1), by: 1_000).enumerated() {
      let part = events[start..<min(events.count, start + 1_000)]
      let last = (events.count + 999) / 1_000
      let text =
        #"{"data":[\#(part.joined(separator: ","))],"meta":{"current_page":\#(number + 1),"last_page":\#(max(last, 1))}}"#
      let page = try #require(EventPage(try JSONValue([UInt8](text.utf8)), number: Int64(number + 1)))
      try listing.take(page, venues: [], host: "a.example") { _ in false }
    }
    return listing
  }

  /// An event that begins so many hours from now.
  private static func event(_ id: String, venue: String = "8", name: String = "E", hours: Int64?, zone: String = "UTC")
    -> String
  {
    let starts = hours.map { "\"\((now + .seconds($0 * 3_600)).iso8601Seconds)\"" } ?? "null"
    return
      #"{"id":"\#(id)","venue_id":"\#(venue)","venue":{"name":"Hall"},"name":"\#(name)","starts_at":\#(starts),"duration":3,"timezone":"\#(zone)","tickets":[{"id":"t\#(id)","type":"Stalls","quantity":300,"sold":{"2027-01-15":280}}]}"#
  }

  @Test func whatIsGivenIsReadAsItWas() throws {
    let told = try Self.listing([
      Self.event("1", hours: 1), Self.event("made-up", venue: "hall é", hours: -5_000),
      Self.event("Mzg5Mjgw", hours: nil),
      Self.event("4", hours: 71, zone: "no zone \\u0007"), Self.event("5", hours: 73),
    ])
    let given = GivenEvents(told, at: Self.now)
    expectEqual(given.events.count, 5)
    let read = try GivenEvents(given.bytes)
    expectEqual(read, given)
    expectEqual(read.events[EventID("1")], told.events[EventID("1")])
    expectEqual(read.events[EventID("2")], told.events[EventID("Mzg5Mjgw")])
    // What is no zone is UTC for whoever asks, with it and without.
    expectEqual(read.events[EventID("4")]?.zone, nil)
    expectEqual(read.types[EventID("tmade-up")], "Stalls")
    expectEqual(read.names, ["Stalls"])
    let listing = EventListing(read, venues: [EventID("8")])
    expectEqual(
      Set(listing.venues[EventID("Mzg5Mjg2")] ?? []), [EventID("1"), EventID("2"), EventID("4"), EventID("5")])
    expect(listing.seats.isEmpty && listing.next == nil)
    expectEqual(given.bytes, try GivenEvents(given.bytes).bytes)
  }

  /// Each part takes what it may: all together fit.
  @Test func whateverIsLongItFits() throws {
    let events = (0..<4_200).map { number in
      #"{"id":"\#(number + 1)","venue_id":"8","venue":{"name":"Hall"},"name":"Event \#(number)","starts_at":"\#((Self.now + .seconds(number)).iso8601Seconds)","duration":3,"timezone":"UTC","tickets":[{"id":"a\#(number)","type":"St-\#(100_000 + number)"},{"id":"b\#(number)","type":"Ba-\#(100_000 + number)"}]}"#
    }
    let given = GivenEvents(try Self.listing(events), at: Self.now)
    expect(given.bytes.count <= SharedKnowledge.mostBytes, "\(given.bytes.count)")
    expect(given.events.count > 2_000 && given.names.count > 4_000, "\(given.events.count), \(given.names.count)")
    expectEqual(try GivenEvents(given.bytes), given)
  }

  /// Thousands are told: those of now come first, and all of it fits.
  @Test func whatIsTooMuchIsLeftOutFromTheOldest() throws {
    let later = (0..<900).map { Self.event("\($0 + 9_000)", hours: Int64($0) + 80) }
    let events =
      later
      + (0..<4_000).map {
        Self.event("\($0 + 1)", name: "Event with a longer name, number \($0)", hours: 20 - Int64($0))
      }
    let given = GivenEvents(try Self.listing(events), at: Self.now)
    expect(given.bytes.count <= SharedKnowledge.mostBytes, "\(given.bytes.count)")
    expect((1_000..<4_000).contains(given.events.count), "\(given.events.count)")
    let newest = (1...given.events.count).allSatisfy { given.events[EventID("\($0)")] != nil }
    expect(newest)
    expectEqual(try GivenEvents(given.bytes), given)
  }

  @Test func aLaterVersionIsNamedSo() throws {
    var bytes = GivenEvents(try Self.listing([]), at: Self.now).bytes
    expectEqual(try GivenEvents(bytes).events, [:])
    bytes[0] = GivenEvents.version + 1
    #expect(throws: SharedKnowledge.Fault.laterVersion) { try GivenEvents(bytes) }
    for bytes in [[], [0], [1], [UInt8](repeating: 1, count: SharedKnowledge.mostBytes + 1)] as [[UInt8]] {
      #expect(throws: SharedKnowledge.Fault.self) { try GivenEvents(bytes) }
    }
  }

  /// Texts that steer a terminal, identifiers that are none, times of no event: whoever gives them is not taken.
  @Test func whatNobodyGivesIsRefused() throws {
    let name = "PLAINNAME"
    let given = GivenEvents(try Self.listing([Self.event("1", name: name, hours: 1)]), at: Self.now).bytes
    let place = try #require(given.indices.first { given[$0...].starts(with: name.utf8) })
    for wrong in [0x1B, 0x07, 0xFF] as [UInt8] {
      var bytes = given
      bytes[place + 2] = wrong
      guard case .unreadable = #expect(throws: SharedKnowledge.Fault.self, performing: { try GivenEvents(bytes) })
      else {
        return unexpected("\(wrong) is taken")
      }
    }
  }

  /// Whatever becomes of the bytes: they are read as something bounded that can be asked anything, or refused.
  @Test func damage() throws {
    for seed in 0..<UInt64(extent(landing: 400, release: 20_000)) {
      var random = SeededGenerator(seed: seed)
      let events = (0..<Int.random(in: 0...6, using: &random)).map { number in
        let zones = ["UTC", "Europe/Berlin", "nowhere", String(repeating: "z", count: 65)]
        let ids = ["\(number + 1)", "id-\(number)", String(repeating: "i", count: 256)]
        return Self.event(
          ids.randomElement(using: &random) ?? "", venue: ids.randomElement(using: &random) ?? "",
          name: String(repeating: "é", count: .random(in: 0...250, using: &random)),
          hours: random.chance(20) ? nil : .random(in: -2_000_000...200, using: &random),
          zone: zones.randomElement(using: &random) ?? "")
      }
      let given = GivenEvents(try Self.listing(events), at: Self.now)
      var bytes = given.bytes
      expectEqual(try GivenEvents(bytes), given, "seed \(seed)")
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        switch Int.random(in: 0...3, using: &random) {
        case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
        case 1: bytes.append(.random(in: 0...255, using: &random))
        case 2: bytes.remove(at: Int.random(in: 0..<bytes.count, using: &random))
        default: bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
      }
      guard let read = try? GivenEvents(bytes) else { continue }
      expectEqual(try GivenEvents(read.bytes), read, "seed \(seed)")
      for event in read.events.values {
        _ = event.begins(after: Self.now, in: .utc)
        expect(event.words(at: nil, in: .utc)?.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) } ?? true)
      }
    }
  }
}
