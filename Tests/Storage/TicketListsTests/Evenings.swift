import ScanModel
import Sealing
import Synchronization
import Testing

@testable import TicketLists

/// A list that one answer after the other is added to, by a clock that a test sets.
final class Evenings: Sendable {
  /// Midnight of the first day: 2026-11-21.
  static let midnight = WallTime(seconds: 1_795_219_200)

  let folder: ListFolder
  let keepsDetails: Bool
  private let time = Mutex(Evenings.midnight + .seconds(43_200))

  init(keepsDetails: Bool = true) throws {
    folder = try ListFolder()
    self.keepsDetails = keepsDetails
  }

  var now: WallTime {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// When the show of a day begins, in the evening.
  static func show(_ day: Int64) -> WallTime { midnight + .seconds(86_400 * day + 68_400) }

  /// A day from midnight to midnight.
  static func day(_ day: Int64) -> Range<WallTime> {
    midnight + .seconds(86_400 * day)..<midnight + .seconds(86_400 * (day + 1))
  }

  /// A booking for the show of a day.
  func booking(
    _ code: String, day: Int64? = 0, status: ListedTicket.Status? = .valid, quantity: Int = 2, sale: String? = nil,
    holder: String? = nil, seats: [String] = []
  ) -> ToldTicket {
    ToldTicket(
      code: code, isWholeSale: true, status: status, from: day.map(Self.show), quantity: quantity,
      sale: sale ?? "booking of \(code)", event: "Play", eventID: day.map { "show-\($0)" }, holder: holder, seats: seats
    )
  }

  /// The list as the service has it after a start.
  func list(keepsDetails: Bool? = nil) throws -> StoredTicketList {
    try StoredTicketList(
      folder.place, key: folder.key, keepsDetails: keepsDetails ?? self.keepsDetails, now: { self.now })
  }

  /// Adds an answer of now.
  @discardableResult func merge(
    _ tickets: [ToldTicket], whole: Range<WallTime>? = nil, forgetting end: WallTime? = nil
  ) async throws -> MergedTickets {
    let work = try await list().replacement(of: nil, asOf: now) { TicketKey(Array($0.text.lowercased().utf8)) }
    try await work.add(tickets)
    return try await work.merge(whole: whole, forgetting: end)
  }

  /// Imports a file.
  @discardableResult func load(_ text: String) throws -> TicketImport.Report {
    var settings = folder.settings()
    settings.keepsDetails = keepsDetails
    return try folder.load([UInt8](text.utf8), settings, asOf: now.seconds)
  }

  func find(_ code: String) async throws -> ListedTicket? { try await list().find(Code(code))?.ticket }

  func status(_ code: String) async throws -> ListedTicket.Status? { try await find(code)?.status }

  /// When that was true what the list says of a code.
  func asOf(_ code: String) async throws -> WallTime? {
    guard case .named(_, let told)? = try await list().find(Code(code)) else { return nil }
    return told.asOf
  }

  func reader() throws -> TicketListReader {
    try TicketListReader(folder.place, key: folder.key, keepsDetails: keepsDetails)
  }
}
