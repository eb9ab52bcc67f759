internal import LinuxIO
internal import ScanModel
internal import TicketTransport
internal import WireText

/// A booking as the service tells it, by the list or by a check, judged field by field: what lacks one that counts is none.
struct Booking: Sendable, Equatable {
  /// Why a document is no booking that can be gone by: in words, without its code.
  struct Fault: Error, Equatable {
    /// The words, after "it".
    var words: String
    /// Its code, where that can be read: whoever has it is not turned away for it.
    var code: Code?
  }

  /// More seats than this has no booking.
  static let mostSeats: Int64 = 1_000
  /// Years in which there are shows.
  private static let years: ClosedRange<Int64> = 2_000...2_200

  /// Its code, in the own form.
  var code: Code
  /// What a list keeps of it; its status may be one that is not known.
  var ticket: ListedTicket
  /// Whether its status is one that we know.
  var hasKnownStatus: Bool
  /// The day of the show, as the service writes it.
  var day: CivilDay

  /// Reads `{booking, show, seatCount}`, or what a check answers: `{booking, show, seats}`.
  /// - Parameter seats: the name of the member that counts the seats.
  /// - Throws: the first thing that keeps it from being one.
  init(_ document: JSONValue, seats name: String, in zone: ZoneRules) throws(Fault) {
    guard let booking = document["booking"], case .object = booking else { throw Fault(words: "has no booking") }
    guard let text = booking["validationCode"]?.string else { throw Fault(words: "has no code") }
    let presented = Code(text)
    guard BookingCode.fault(of: presented) == nil else { throw Fault(words: "has a code of another form") }
    let code = BookingCode.ownForm(of: presented)
    func fault(_ words: String) -> Fault { Fault(words: words, code: code) }
    guard let show = document["show"], case .object = show else { throw fault("has no show") }
    guard let id = show["id"]?.identifier else { throw fault("does not tell which show it is for") }
    guard let day = show["date"]?.string.flatMap(Self.day) else { throw fault("has a date that cannot be read") }
    guard let second = show["time"]?.string.flatMap(Self.second) else {
      throw fault("has a time of day that cannot be read")
    }
    guard let count = document[name]?.integer, (1...Self.mostSeats).contains(count) else {
      throw fault("does not tell how many seats it has")
    }
    guard let word = booking["status"]?.string else { throw fault("has no status") }
    self.code = code
    self.day = day
    let status = Self.status(word)
    hasKnownStatus = status != nil
    ticket = ListedTicket(
      status: status ?? .unconfirmed, from: ShowTime.moment(of: day, second: second, in: zone), quantity: Int(count),
      sale: booking["id"]?.identifier, event: show["title"]?.string.flatMap { StaffText.clean($0) }, eventID: id,
      holder: booking["customerName"]?.string.flatMap { StaffText.clean($0) })
  }

  /// A booking's state by the service's word; `nil` for one that we do not know.
  static func status(_ word: String) -> ListedTicket.Status? {
    switch word.lowercased() {
    case "confirmed": .valid
    case "pending": .unpaid
    case "cancelled", "canceled": .cancelled
    case "expired": .expired
    default: nil
    }
  }

  /// `YYYY-MM-DD`, or a timestamp of that midnight.
  private static func day(_ text: String) -> CivilDay? {
    guard text.utf8.count == 10 || text.dropFirst(10).hasPrefix("T00:00:00"), let day = CivilDay(iso8601: text),
      years.contains(day.year)
    else { return nil }
    return day
  }

  /// `HH:MM:SS` or `HH:MM`, with or without a fraction.
  private static func second(_ text: String) -> Int64? {
    let whole = text.prefix { $0 != "." }
    let parts = whole.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let numbers = parts.compactMap { Int64($0) }
    let second = numbers.count == 3 ? numbers[2] : 0
    guard numbers.count == parts.count, numbers[0] <= 23, numbers[1] <= 59, second <= 59 else { return nil }
    return numbers[0] * 3_600 + numbers[1] * 60 + second
  }
}
