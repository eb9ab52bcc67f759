internal import LinuxIO
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

extension DeskClient {
  /// The object in an answer: bare, or as `data`.
  static func single(_ document: JSONValue) -> JSONValue? {
    if case .object? = document["data"] { return document["data"] }
    if case .object(let members) = document, !members.isEmpty, members["id"] != nil { return document }
    return nil
  }

  /// Hands over the elements of a list, page by page.
  /// - Parameter body: called with each page; `false` where no more is wanted.
  /// - Returns: how the list ended; `nil` where no more was wanted.
  @discardableResult func list(
    _ path: String, _ query: [(name: String, value: String)] = [], each body: ([JSONValue]) -> Bool
  ) async throws(DeskFault) -> PageWalk.End? {
    var walk = PageWalk()
    while true {
      let document = try await read(path, query + [("page", String(walk.page))])
      guard let (elements, end) = walk.take(document) else {
        throw .unavailable("\(host) answered GET /api\(path) with something that is no list. Check the address.")
      }
      guard body(elements) else { return nil }
      if let end { return end }
    }
  }

  /// One of them, by its own call or else by the list.
  func show(_ resource: DeskResource, _ id: String) async throws(DeskFault) -> JSONValue {
    do throws(DeskFault) {
      if let found = Self.single(try await read(resource.path(id))) { return found }
      throw .unavailable("\(host) answered GET /api\(resource.path(id)) with something that is no \(resource.one).")
    } catch {
      guard case .noWay = error else { throw error }
    }
    var found: JSONValue?
    try await list("/\(resource.path)", [("per_page", "500")]) { elements in
      found = elements.first { $0["id"]?.identifier.map { PublicID.areSame($0, id) } ?? false }
      return found == nil
    }
    if let found { return found }
    throw .refused(
      status: 404,
      "\(host) lists no \(resource.one) \(StaffText.clean(id) ?? "") for our key. It lists what the key's user owns: another one may still be there."
    )
  }

  /// The zone of the clocks by which the server reads and shows an event's times, where it tells none: that of the event's schedule.
  /// - Returns: `nil` where the event tells its zone or its times do, and where no schedule tells one to our key.
  func scheduleZone(of event: JSONValue) async throws(DeskFault) -> String? {
    guard event["timezone"]?.isVoid ?? true, DeskTime.isBare(event["starts_at"]) else { return nil }
    let names = (event["schedules"]?.elements ?? []).map { $0["subdomain"]?.identifier }
    for name in (names + [event["venue_subdomain"]?.identifier]).prefix(Self.mostSchedules) {
      guard let name else { continue }
      if let zone = try await scheduleZone(name) { return zone }
    }
    return nil
  }

  /// The zone of a schedule; `nil` where it tells none to our key, or there is no such call.
  func scheduleZone(_ subdomain: String) async throws(DeskFault) -> String? {
    do throws(DeskFault) {
      let told = Self.single(try await read("/schedules/\(PercentCoding.encode(subdomain))"))?["timezone"]?.string
      return told.flatMap { ZoneRules.named($0) == nil ? nil : $0 }
    } catch {
      switch error {
      case .noWay, .refused: return nil
      case .unavailable, .unclear: throw error
      }
    }
  }

  /// An event stands in few.
  private static let mostSchedules = 8
}
