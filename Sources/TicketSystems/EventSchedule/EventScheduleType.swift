internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

extension EventScheduleSection {
  /// All that the station knows of this ticket system, but for how it connects.
  static func type(
    connect:
      @escaping @Sendable (
        TicketSystemID, System, ConnectionUse, ListOnBoard?, CredentialResolver, any TimeSource
      ) throws(SetupError) -> TicketSystemConnection
  ) -> TicketSystemType {
    TicketSystemType(
      EventScheduleSection.self,
      example: [
        "url: https://tickets.example.org  # the server", "apiKey: main  # put in by: scangate credential set main",
      ],
      recognise: { TicketURL.secret(in: $0) }, foldedKey: { CodeFolding.key(of: $0) },
      server: { $0.configured.map { "\($0.url)" } }, budget: { $0.rate.limit * $0.rate.share / 100 },
      settingNames: { system in
        system.configured.map {
          .init(address: "\($0.url)", key: $0.key.name, place: system.urlPosition, keyReach: keyReach)
        }
      },
      enrolment: enrolment
    ) { id, system, use, list, credentials, time throws(SetupError) in
      try connect(id, system, use, list, credentials, time)
    }
  }

  /// The server knows no smaller key.
  private static let keyReach = "is a full administrator's: whoever has it sells, refunds and deletes as well"

  private static let enrolment = TicketSystemEnrolment<System, Gate>(
    key: enrolKey, isAwaited: { $0.place == .enrolled },
    enrolled: { written, url, key in
      guard let server = try? ServerAddress(url) else { return nil }
      var system = written ?? System(place: .enrolled, caFile: nil, allowPlainHTTP: false, rate: usualRate)
      system.urlPosition = nil
      system.place = .configured(server, .credential(key))
      return system
    },
    gate: { written, told in
      var gate = written ?? Gate()
      gate.saleTicket = gate.saleTicket ?? told.saleTicket.flatMap { Int(exactly: $0) }
      gate.seat = gate.seat ?? told.seat
      return gate
    }, isNarrow: { $0.saleTicket != nil || !$0.events.isEmpty || $0.venue != nil || !$0.types.isEmpty })
}

extension EventScheduleSection.System {
  /// Server and key; `nil` as long as they are awaited.
  var configured: (url: ServerAddress, key: TicketSystemKey)? {
    if case .configured(let url, let key) = place { (url, key) } else { nil }
  }
}
