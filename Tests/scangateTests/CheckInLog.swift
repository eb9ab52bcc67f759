import EventSchedule
import Expectations
import Foundation
import ScanModel
import Testing
import TicketTransport
import VenueServer

/// What a venue has in its log of check-ins.
struct CheckInLog {
  /// One entry; what a shape does not keep is `nil`.
  struct Entry: Equatable {
    var name: String
    var notes: String?
    var action: String?
    var key: String?

    /// The scan that the notes name.
    var scan: String? {
      notes?.split(separator: ";").first { $0.hasPrefix("scan=") }.map { String($0.dropFirst("scan=".count)) }
    }
  }

  /// All of them as they are told, for what must not be in it.
  let text: String
  /// The oldest first.
  let entries: [Entry]

  /// Asks the venue.
  init(of event: Int64, at url: String, key: String) async throws {
    let transport = try HTTPTransport(server: try ServerAddress(url))
    var (text, entries): (String, [Entry]) = ("", [])
    var page = 1
    while true {
      var call = HTTPCall(
        .get, path: "/api/checkins",
        query: [("event_id", "\(event)"), ("per_page", "500"), ("page", "\(page)")],
        credential: ("X-API-Key", "", try Secret(key)))
      call.limits.mostBytes = HTTPCall.Limits.mostOfAll
      let outcome = await transport.send(call, deadline: SystemTime().now() + .seconds(60)) { _ in }
      guard case .answered(let answer) = outcome.result, answer.status == 200 else {
        Issue.record("the log is not told: \(outcome)")
        break
      }
      text += String(decoding: answer.body, as: UTF8.self)
      let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
      let data = try #require(object?["data"] as? [[String: Any]])
      entries += data.map { entry in
        Entry(
          name: entry["attendee_name"] as? String ?? "", notes: entry["notes"] as? String,
          action: entry["action"] as? String, key: entry["idempotency_key"] as? String)
      }
      let pages = (object?["meta"] as? [String: Any])?["pagination"] as? [String: Any]
      guard let last = pages?["total_pages"] as? Int, page < last else { break }
      page += 1
    }
    await transport.close()
    self.text = text
    self.entries = entries.reversed()
  }
}
