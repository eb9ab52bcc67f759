import StationProtocol

/// How many are in the house where stations share a book, in words. Pure.
struct VenueCount: Sendable {
  let fleet: StationSnapshot.Fleet
  let texts: PageTexts

  var words: String {
    let here = String(fleet.inHouseHere)
    let count =
      fleet.inHouse.map { texts("organiser.venue", String($0), here) } ?? texts("organiser.venueUnknown", here)
    return fleet.alone == 0 ? count : "\(count) \(texts("organiser.venueAlone", String(fleet.alone)))"
  }
}
