internal import Calls
internal import ScanModel
internal import TicketTransport

extension EventScheduleClient {
  /// Lists the events that the key's user owns (`GET /api/events`). Redeems nothing, and nobody waits for it. The first page is asked for
  /// once; the others as those of a whole list.
  /// - Throws: why there is no page.
  func events(page: Int64, deadline: MonotonicTime) async throws(TransportFault) -> EventPage {
    let secrets = redactions()
    let isFirst = page == 1
    return try await read(
      "/events", [("page", String(page)), ("per_page", "100")], isFirst ? .once : .wholeList,
      isFirst ? .background : .bulk,
      mostBytes: 4 << 20, waitsForBudget: !isFirst, deadline: deadline
    ) { EventPage.read($0, number: page, host: host, hiding: secrets, words: words) }
  }
}
