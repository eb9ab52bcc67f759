internal import ScanModel
package import TicketSystemKit
internal import TicketTransport
internal import WireText

extension TicketSystemDiscovery {
  /// The ticket scanning API: what the server tells of itself, and the events of the key's user.
  package static let eventSchedule = TicketSystemDiscovery(TicketSystemForm(.tickets, secret: .apiKey)) { given in
    do throws(Fault) {
      return .success(try await EventScheduleDiscovery.find(given))
    } catch {
      return .failure(error)
    }
  }
}

private enum EventScheduleDiscovery {
  private static let patience = Duration.seconds(15)
  /// A list that somebody chooses from is not longer.
  private static let mostChoices = 50

  static func find(_ given: TicketSystemDiscovery.Given) async throws(TicketSystemDiscovery.Fault)
    -> TicketSystemDiscovery.Found
  {
    let typed: ServerAddress
    do {
      typed = try ServerAddress(given.address)
    } catch {
      throw .init("That is no address of a server. \(error.description)")
    }
    let key: Secret
    do { key = try Secret(given.secret) } catch { throw .init(error.description) }
    let server = typed.withoutAPI ?? typed
    let client = InstanceClient(typed: server)
    let deadline = SystemTime().now() + patience
    do throws(TransportFault) {
      let found = try await client.discovery(deadline: deadline)
      let api = try Result { () throws(SetupError) in
        try APIPlace.find(found.discovery?.api ?? .absent, typed: server)
      }.mapError { TransportFault(.badAnswer, $0.description) }.get()
      let page = try await events(client, at: api, key, deadline)
      return TicketSystemDiscovery.Found(
        type: EventScheduleSection.type, address: "\(api)", settings: ["apiKey: \(given.credential)"],
        words: ConnectText.lines(found, server, api: api) + [
          ConnectText.line("events", page == nil ? "not told, to this key at least" : "told; the key is good")
        ],
        choices: choices(page))
    } catch {
      throw .init(error.detail)
    }
  }

  /// The events of the key's user; `nil` where the server tells none: gates work without, and the check proves the key.
  private static func events(
    _ client: InstanceClient, at api: ServerAddress, _ key: Secret, _ deadline: MonotonicTime
  ) async throws(TransportFault) -> EventPage? {
    do throws(TransportFault) {
      return try await client.events(at: api, key: key, deadline: deadline)
    } catch {
      if error.reason == .badAnswer || error.reason == .accessDenied { return nil }
      throw error
    }
  }

  private static func choices(_ page: EventPage?) -> [TicketSystemDiscovery.Choice] {
    var choices = [TicketSystemDiscovery.Choice(.all, ticket: "")]
    for event in (page?.events ?? []).prefix(mostChoices) where event.id.utf8.count <= 31 {
      let facts = [event.starts, event.name, event.venue].compactMap(\.self)
      // A text in JSON is one in YAML.
      choices.append(
        .init(
          .named("\(event.id)  \(facts.joined(separator: ", "))"), ticket: "{ events: [\(JSONText.string(event.id))] }")
      )
    }
    return choices
  }
}
