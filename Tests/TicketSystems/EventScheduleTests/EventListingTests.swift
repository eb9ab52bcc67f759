@testable import EventSchedule
import Expectations
import ScanModel
import ScanTesting
import Testing
import TicketTransport
import WireText

/// The list of events, however long, hostile or endless: what is kept of it is bounded, and it comes to an end.
@Suite struct EventListingTests {
  private static func page(_ events: [String], number: Int64 = 1, last: Int64) throws -> EventPage? {
    let text =
      #"{"data":[\#(events.joined(separator: ","))],"meta":{"pagination":{"current_page":\#(number),"last_page":\#(last)}}}"#
    return EventPage(try JSONValue([UInt8](text.utf8)), number: number)
  }

  /// Reads what a server tells until it ends, or cannot be relied on.
  private func read(
    venues: Set<EventID> = [], bound: Set<EventID> = [], _ page: (Int64) throws -> EventPage?
  ) throws -> (listing: EventListing, fault: TransportFault?) {
    var listing = EventListing()
    while let number = listing.next {
      let told = try #require(try page(number))
      do throws(TransportFault) {
        try listing.take(told, venues: venues, host: "a.example") { bound.contains($0) }
      } catch {
        return (listing, error)
      }
    }
    return (listing, nil)
  }

  @Test func pagesAreGathered() throws {
    let (listing, fault) = try read(venues: [EventID("8")]) { number in
      try Self.page(
        (0..<100).map { index in
          let id = Int(number) * 100 + index
          return #"{"id":\#(id),"venue_id":"\#(index == 0 ? 8 : 9)","tickets":[{"id":\#(id),"type":"T\#(index % 3)"}]}"#
        }, number: number, last: 3)
    }
    expectEqual(fault, nil)
    expect(listing.events.count == 300 && listing.types.count == 300 && listing.names == ["T0", "T1", "T2"])
    expectEqual(listing.venues[EventID("Mzg5Mjg2")]?.count, 3)
    expectEqual(listing.pages, 3)
  }

  /// How many there are of each type is kept of events that a gate is bound to alone, and of so many.
  @Test func numbersAreKeptOfOurEventsAlone() throws {
    let wrong = [
      #""quantity":-1,"sold":-1"#, #""quantity":"many","sold":"x""#, #""quantity":1e99,"sold":{"a":-1}"#,
      #""quantity":null,"sold":[7]"#,
    ]
    let types = (0..<80).map { #"{"id":"\#($0)","type":"T\#($0)",\#(wrong[$0 % 4])}"# }.joined(separator: ",")
    let (listing, _) = try read(bound: [EventID("1")]) { _ in
      try Self.page([#"{"id":"1","tickets":[\#(types)]}"#, #"{"id":"2","tickets":[\#(types)]}"#], last: 1)
    }
    expectEqual(Array(listing.seats.keys), [EventID("1")])
    let kinds = listing.seats[EventID("1")] ?? []
    expectEqual(kinds.count, EventListing.mostKinds)
    expect(kinds.allSatisfy { $0.quantity == nil })
    let day = try #require(CivilDay(year: 2026, month: 11, day: 27))
    expect(kinds.allSatisfy { $0.sold(on: day) == nil || $0.sold(on: day) == 0 })
    let many = try read(bound: Set((0..<300).map { EventID("\($0)") })) { _ in
      try Self.page((0..<300).map { #"{"id":"\#($0)"}"# }, last: 1)
    }
    expectEqual(many.listing.seats.count, EventListing.mostSeated)
  }

  /// The same page again and again, and an end that moves away.
  @Test func pagesThatComeAgainAreLeft() throws {
    let (listing, fault) = try read { number in
      try Self.page((1...50).map { #"{"id":\#($0)}"# }, number: number, last: number + 1)
    }
    expect(
      fault?.reason == .badAnswer && fault?.detail.contains("the same events") == true, "\(String(describing: fault))")
    expectEqual(listing.pages, 2)
    // An event that came meanwhile pushes one to the next page.
    let shifted = try read { number in
      try Self.page((Int64(0)..<50).map { #"{"id":\#(number * 49 + $0)}"# }, number: number, last: 3)
    }
    expect(shifted.fault == nil && shifted.listing.events.count == 148)
  }

  @Test func aMillionEventsAreLeft() throws {
    for (size, pages) in [(100, EventListing.mostPages), (1_000, 21)] as [(Int64, Int64)] {
      let (listing, fault) = try read(bound: [EventID("5")]) { number in
        try Self.page((0..<size).map { #"{"id":\#(number * size + $0),"name":"N"}"# }, number: number, last: 10_000)
      }
      expect(fault?.reason == .badAnswer)
      expect(listing.pages <= pages && listing.events.count <= EventListing.mostOthers + 1, "\(listing.pages)")
    }
    let wide = try read { _ in try Self.page((0..<5_000).map { #"{"id":\#($0)}"# }, last: 1) }
    expect(wide.fault != nil && wide.listing.events.count <= EventPage.mostEvents)
  }

  /// Those that a gate is bound to are kept before all others.
  @Test func boundEventsAreKept() throws {
    let bound = EventID("19999")
    let (listing, fault) = try read(bound: [bound]) { number in
      try Self.page(
        (Int64(0)..<1_000).map { #"{"id":\#((number - 1) * 1_000 + $0),"name":"N"}"# }, number: number, last: 20)
    }
    expect(fault == nil && listing.events[bound] != nil && listing.events[EventID("19998")] == nil)
  }

  @Test func hugeTextsAreCut() throws {
    let huge = String(repeating: "x", count: 1_000_000)
    let (listing, _) = try read { _ in
      try Self.page(
        [
          #"{"id":1,"name":"\#(huge)","timezone":"\#(huge)","venue":{"name":"\#(huge)"},"tickets":[{"id":2,"type":"\#(huge)"}]}"#,
          #"{"id":"\#(huge)","name":"no identifier"}"#,
        ], last: 1)
    }
    let event = try #require(listing.events[EventID("1")])
    expect(event.name?.count == 200 && event.place?.count == 200 && event.zone == nil)
    expect(listing.events.count == 1 && listing.names.allSatisfy { $0.count == 200 })
  }

  @Test(arguments: [
    "null", "[]", "{}", "7", #"{"data":null}"#, #"{"data":7}"#, #"{"data":{"a":{"id":1}}}"#,
    #"{"data":[null,[],{},7]}"#,
    #"{"data":{"3":{"id":7},"1":{"id":[]}},"meta":[]}"#,
    #"{"data":[{"id":1,"tickets":{"x":1},"venue":[],"venue_id":{}}],"meta":{"last_page":-9}}"#,
    #"{"data":[{"id":1.5},{"id":""},{"id":"a b"}],"meta":{"pagination":[],"last_page":"9223372036854775807"}}"#,
  ]) func whatIsOfAnotherTypeIsMissing(text: String) throws {
    guard let page = EventPage(try JSONValue([UInt8](text.utf8))) else { return }
    var listing = EventListing()
    try? listing.take(page, venues: [], host: "a") { _ in false }
    expect(listing.events.count <= 1)
  }
}
