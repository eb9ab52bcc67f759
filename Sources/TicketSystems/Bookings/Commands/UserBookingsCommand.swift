internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// `scangate booking bookings`
struct UserBookingsCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "bookings", abstract: "List the bookings of who is signed in.",
    discussion: "They are one buyer's, and no list for a door. Codes have their last characters here.")
  static let session = BoxOfficeSession.needed

  private static let path = "/api/user/bookings"

  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    let document = try await ask(office)
    guard let elements = document.list("bookings", "data") else {
      throw DeskFault.unavailable("\(office.host) answered GET \(Self.path) with something that is no list.")
    }
    let read = elements.compactMap { BoxBooking($0, hiding: office.secrets) }
    guard !read.isEmpty || elements.isEmpty else {
      throw DeskFault.unavailable(
        "\(office.host) answered GET \(Self.path) with \(elements.count) bookings, none of which has an id.")
    }
    // What is a buyer's by account and by address is told twice.
    var known: Set<String> = []
    let bookings = read.filter { known.insert($0.id).inserted }
    var table = DeskTable(heads: BoxBooking.heads)
    let lines = office.isJSON ? [] : table.lines(bookings.map(\.cells))
    if let heads = lines.first { office.out(heads) }
    for (index, booking) in bookings.enumerated() {
      // Whichever field of it repeats the code.
      let shown = booking.code.map { office.hiding([Redaction($0.text, shownAs: $0.shortened)]) } ?? office
      if office.isJSON { shown.out(booking.json) } else if index + 1 < lines.count { shown.out(lines[index + 1]) }
    }
    if read.count < elements.count {
      office.tell("\(elements.count - read.count) could not be read: they have no id.")
    }
    let doubled = BoxBooking.doubled(bookings)
    if !doubled.isEmpty {
      office.tell(
        "\(doubled.count) codes are of several bookings each (\(doubled.prefix(5).map(\.shortened).joined(separator: ", "))): at a door "
          + "neither admits.")
    }
  }

  /// As who is signed in; services that do not look at that want the address.
  private func ask(_ office: BoxOffice) async throws(DeskFault) -> JSONValue {
    do throws(DeskFault) {
      return try await office.read(Self.path, Self.path)
    } catch {
      guard case .refused(400, let words) = error, let email = office.session?.email else { throw error }
      let document = try await office.read(Self.path, Self.path, [("email", email)])
      office.tell("\(words) It was asked by the address, as it wants.")
      return document
    }
  }
}
