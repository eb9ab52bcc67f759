import LinuxIO
import ScanModel
import TicketTransport

@testable import EventSchedule

/// What another station of the fleet gives of a server's events. Who gave it is proven before; what it says is not.
func fuzzGiven(_ input: inout FuzzInput) {
  guard let given = try? GivenEvents(input.remainder()) else { return }
  property((try? GivenEvents(given.bytes)) == given, "what is read reads the same again")
  let venues = Set(given.events.values.compactMap(\.venue))
  let listing = EventListing(given, venues: venues)
  property(
    listing.venues.values.allSatisfy { $0.allSatisfy { listing.events[$0] != nil } }, "a venue's events are told")
  property(listing.types.values.allSatisfy { listing.names.contains($0) }, "a type has its name")
  for event in given.events.values.prefix(50) {
    let near = event.starts ?? WallTime(seconds: 1_800_000_000)
    for now in [near, near + .seconds(90_000), WallTime(nanoseconds: .max), WallTime(nanoseconds: .min)] {
      if let begins = event.begins(after: now, in: .utc) { property(begins > now, "what begins is to come") }
      let words = event.words(at: nil, in: .utc, now: now) ?? ""
      property(words.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) }, "a text steers no terminal")
    }
  }
  // What is chosen of it for others is bounded, and can be read.
  let again = GivenEvents(listing, at: WallTime(seconds: 1_800_000_000))
  property(again.bytes.count <= 262_144 && (try? GivenEvents(again.bytes)) == again, "what is given is read")
}
