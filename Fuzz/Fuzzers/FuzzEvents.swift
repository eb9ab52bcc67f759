import LinuxIO
import ScanModel
import TicketTransport
import WireText

@testable import EventSchedule

private let key = "Ky7-secret-key"
private let zones = ["UTC", "America/New_York", "Pacific/Auckland", "Australia/Lord_Howe"].map {
  ZoneRules.named($0) ?? .utc
}

/// What a server tells of its events to gates: pages of any length, times, places, types of tickets.
///
/// The input: a byte that chooses a zone, eight for a moment, two for the day that was sold, then the page.
func fuzzEvents(_ input: inout FuzzInput) {
  let zone = input.choice(zones)
  let number = (0..<8).reduce(Int64(0)) { number, _ in number << 8 | Int64(input.byte()) }
  let sold = CivilDay(number: Int64(input.byte()) << 8 | Int64(input.byte()))
  guard let document = try? JSONValue(input.remainder()),
    let page = EventPage(document, hiding: [Redaction(key, shownAs: "[key]")])
  else { return }
  property(page.events.count <= EventPage.mostEvents && page.total ?? 0 >= 0, "a page is bounded")
  var listing = EventListing()
  let venues = Set(page.events.compactMap(\.told.venue))
  try? listing.take(page, venues: venues, host: "a") { _ in true }
  property(
    listing.events.count <= page.events.count && listing.types.count <= EventListing.mostTypes, "a listing is bounded")
  property(
    listing.venues.values.allSatisfy { $0.allSatisfy { listing.events[$0] != nil } }, "a venue's events are told")
  // It comes again: that is the end, or a fault.
  if let next = listing.next {
    property(next == 2, "pages come in order")
    try? listing.take(page, venues: venues, host: "a") { _ in true }
    property(listing.events.count <= page.events.count, "a page that comes again adds nothing")
  }
  property(listing.pages <= 2, "each page is asked for once")

  // Any moment, and those near a beginning.
  for event in page.events.prefix(20) {
    if let known = event.key.number { property(EventID("\(known)") == event.key, "both spellings are one") }
    let near = event.told.starts.map { WallTime(seconds: $0.seconds &+ number % 4_000_000) }
    for now in [WallTime(nanoseconds: number), near ?? WallTime(seconds: 0)] {
      for day in [nil, sold] {
        if let begins = event.told.begins(after: now, sold: day, in: zone) {
          property(begins > now, "what begins is to come")
        }
      }
      let words = event.told.words(at: nil, in: zone, now: now)
      let shown = [words, event.id, event.name, event.venue, event.starts] + event.types.map(\.name)
      for case .some(let text) in shown {
        property(!text.contains(key), "a secret is not shown")
        property(text.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) }, "a text steers no terminal")
        property(text.unicodeScalars.count <= 500, "a text is short")
      }
    }
    for type in event.types {
      let gate = TicketTypes([type.name])
      var line = SaleLine(id: 1, type: type.id, name: nil, isUsed: false)
      property(
        gate.matches(line, called: type.name) == true || !gate.needsNames,
        "a type is known by its name, but for numbers")
      line.type = nil
      property(TicketTypes(["123456789012"]).matches(line, called: type.name) == nil, "a name is no identifier")
    }
  }
}
