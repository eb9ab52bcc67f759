internal import Calls
internal import ScanModel
internal import TicketTransport

extension EventScheduleClient {
  /// Lists the events that the key's user owns (`GET /api/events`). Redeems nothing; repeated as `sales`, and nobody waits for it.
  /// - Throws: why there is no page.
  func events(page: Int64, deadline: MonotonicTime) async throws(TransportFault) -> EventPage {
    let secrets = redactions()
    return try await read(
      "/events", [("page", String(page)), ("per_page", "50")], hiding: nil, .harmlessCall, deadline,
      urgency: .background
    ) { EventPage($0, number: page, hiding: secrets) }
  }
}
