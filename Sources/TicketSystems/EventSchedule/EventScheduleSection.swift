package import Calls
package import Reading
internal import ScanModel
package import TicketSystemKit
package import TicketTransport

/// The section of the ticket system `eventschedule`.
package enum EventScheduleSection: TicketSystemSection {
  /// `ticketSystems.<name>` of this type.
  package struct System: Sendable, Equatable {
    /// Where server and API key are known from.
    package var place: Place
    /// Where the file says the server's address; `nil` where it does not.
    package var urlPosition: SourcePosition?
    /// Certificates to trust instead of the system's.
    package var caFile: FileReference?
    /// Whether plain HTTP may go elsewhere than to loopback.
    package var allowPlainHTTP: Bool
    /// What the server lets this credential ask.
    package var rate: Rate
    /// What the server is told besides.
    package var mirror = EventScheduleSection.noMirror
  }

  /// Where a system's server and API key are known from.
  package enum Place: Sendable, Equatable {
    /// From the file. The API is below the address: `/api/tickets/scan`.
    case configured(ServerAddress, TicketSystemKey)
    /// From a set-up code that was held to the station's scanner, once one was: `enrol`.
    case enrolled
  }

  /// `ticketSystems.<name>.rate`.
  package struct Rate: Sendable, Equatable {
    /// Requests before the server says no.
    package var limit: Int
    /// This station's part of them, in percent.
    package var share: Int
    /// How the server counts.
    package var model: RateBudget.Model
  }

  /// `gates.<name>.ticket` of this type.
  package struct Gate: Sendable, Equatable {
    /// The sale ticket that this gate admits.
    package var saleTicket: Int?
    /// The seat that is checked in.
    package var seat: String?
    /// The events that this gate admits to; all where there are none, or those of `venue`.
    package var events: EventSet
    /// The venue whose events of today this gate admits to, instead.
    package var venue: String?
    /// How long before its event begins a ticket admits; `nil` for as long as one likes.
    package var opens: Duration?
    /// What is done where nobody has told the event.
    package var unknownEvent: UnknownEvent
    /// The types of tickets that this gate takes; all where there are none.
    package var types: [String]
    /// Where the file says that, for words: the key, and its place.
    package var eventsPlace: String?
    package var typesPlace: String?

    package init(
      saleTicket: Int? = nil, seat: String? = nil, events: EventSet = [], venue: String? = nil, opens: Duration? = nil,
      unknownEvent: UnknownEvent = .lookUp, types: [String] = []
    ) {
      self.saleTicket = saleTicket
      self.seat = seat
      self.events = events
      self.venue = venue
      self.opens = opens
      self.unknownEvent = unknownEvent
      self.types = types
    }
  }

  /// What a gate does with a ticket whose event is known by nothing that costs no request.
  package enum UnknownEvent: String, Sendable, CaseIterable {
    /// Looks it up, which redeems nothing; where that tells nothing, the answer decides.
    case lookUp
    /// Redeems it; the answer decides.
    case redeem
    /// Refuses it.
    case refuse
  }

  package static let type = "eventschedule"

  /// Secrets of entries and sales have 32 letters and digits, those of entries that a scan made 24. A ticket's URL is reduced
  /// to its secret before.
  package static var accept: AcceptFilter {
    AcceptFilter(length: 24...32, alphabet: .alphanumeric, pattern: try? CodePattern(".{24}|.{32}"))
  }

  static let url = SchemaKey<ServerAddress>.optional(
    "url", .server(example: "https://tickets.example.org", api: ["tickets", "sales", "checkins", "events"]),
    "The server; the API is below it: `/api/tickets/scan`. Required without `enrol`.")
  static let apiKey = SchemaKey<String>.optional(
    "apiKey", .credential(example: "main"),
    "The name of the credential that holds the API key: `scangate credential set NAME`. This or `apiKeyFile` is required without `enrol`."
  )
  static let apiKeyFile = SchemaKey<String>.optional(
    "apiKeyFile", .path(.secret, example: "/etc/scangate/keys/main.key"),
    "Instead of `apiKey`: the file that holds the API key, alone on its line; readable by the service only.")
  static let enrol = SchemaKey.key(
    enrolKey,
    ValueKind<Bool>(summary: "`true` or `false`", example: "true", show: { $0 ? "true" : "false" }) { node, findings in
      guard let text = node.text(like: "true or false", findings) else { return nil }
      if let value = Bool(text) { return value }
      // Somebody may have put the code itself here: it is not repeated.
      findings.error(
        at: node.position, "\(quoted(node.path)) is neither true nor false",
        "write enrol: true, and hold the set-up code to the station's scanner")
      return nil
    }, default: false,
    "Instead of `url` and a key: both come by a set-up code that is held to the station's scanner; see `setUp`.")
  private static let caFile = SchemaKey<String>.optional(
    "caFile", .path(.certificates, example: "/etc/scangate/venue-ca.pem"),
    "Certificates in PEM. When given, only these are trusted for this server, not the system's.")
  static let usualRate = Rate(limit: 60, share: 100, model: .both)
  static let allowPlainHTTP = SchemaKey.key(
    "allowPlainHTTP", .boolean, default: false,
    "Lets plain HTTP go elsewhere than to loopback: key and codes are then readable in the network.")
  private static let rate = SchemaKey.key(
    "rate", .section(rateSchema, example: "{ share: 50 % }", read: readRate), default: usualRate,
    "What the server lets this key ask.")

  private static let limit = SchemaKey.key(
    "limit", .integer(1...10_000, example: "60"), default: 60, "Requests that the server answers in 60 s.")
  private static let share = SchemaKey.key(
    "share", .percent, default: 100,
    "This station's part of them, where several stations sit behind one address or key.")
  private static let model = SchemaKey.key(
    "model", .choice(RateBudget.Model.self), default: .both,
    "How the server counts: in any 60 s (`window`), since the last pause of 60 s (`pause`), or unknown (`both`).")

  private static let saleTicket = SchemaKey<Int>.optional(
    "saleTicket", .integer(1...999_999_999_999, example: "789"),
    "The sale ticket that this gate admits; without it the server chooses.")
  private static let seat = SchemaKey<String>.optional(
    "seat", .text(upTo: 64, example: "\"12\""), "The seat number that this gate checks in.")

  /// What stands after `events`.
  private enum Events: Sendable {
    case listed([String])
    case venue(String)
  }

  private static let eventNames = ValueKind<[String]>.list(
    of: .text(upTo: 31, example: "Mzg5NzM0"), count: 1...10_000, noun: "events")
  private static let venue = SchemaKey.required(
    "venue", .text(upTo: 31, example: "Mzg5Mjg2"), "The venue whose events of today the gate admits to.")
  private static let venueSchema = SectionSchema("gates.<name>.ticket.events", venue)
  private static let events = SchemaKey<Events>.optional(
    "events",
    ValueKind(
      summary: eventNames.summary + ", or `{ venue: ID }`", example: eventNames.example
    ) { node, findings in
      guard case .mapping = node.content else { return eventNames.parse(node, findings).map { .listed($0) } }
      return SectionReader(node, venueSchema, findings)?.read(venue).map { .venue($0) }
    },
    "The events that this gate admits to, as the ticket system calls them; all without it. A ticket of another one is refused as `wrongEvent`, and not spent where that is known before."
  )
  private static let opens = SchemaKey<Duration>.optional(
    "opens", .age(.seconds(60) ... .seconds(7 * 86_400), example: "2 h"),
    "How long before its event begins a ticket admits; before, it is `tooEarly`. Where no beginning is told, nothing is too early."
  )
  private static let unknownEvent = SchemaKey.key(
    "unknownEvent", .choice(UnknownEvent.self), default: .lookUp,
    "What is done with a ticket of which neither URL nor list tell enough: look it up first (`lookUp`), ask for it and let the answer decide (`redeem`), or refuse it (`refuse`)."
  )
  private static let types = SchemaKey<[String]>.optional(
    "types", .list(of: .text(upTo: 128, example: "VIP"), count: 1...1_000, noun: "types"),
    "The types of tickets that this gate takes, each by its name or its `ticket_id`; all without it. Others are refused as `wrongKind`."
  )

  private static let inlineSecret = "put it in with \"scangate credential set NAME\" and write apiKey: NAME"
  private static let rateSchema = SectionSchema("ticketSystems.<name>.rate", limit, share, model)

  package static let systemSchema = SectionSchema(
    "ticketSystems.<name>",
    url, apiKey, apiKeyFile, enrol, caFile, allowPlainHTTP, rate, mirror,
    refused: [
      "api_key": inlineSecret, "apikey": inlineSecret, "key": inlineSecret, "token": inlineSecret,
      "secret": inlineSecret, "password": inlineSecret,
    ])
  package static let gateSchema = SectionSchema(
    "gates.<name>.ticket", events, opens, unknownEvent, types, saleTicket, seat)

  private static func readRate(_ reader: SectionReader) -> Rate? {
    guard let (limit, share, model) = reader.readAll(limit, share, model) else { return nil }
    if limit * share < 100 {
      reader.findings.error(
        at: reader.position(of: "share"), "\(share) % of \(limit) requests is less than one", "raise share or limit")
      return nil
    }
    return Rate(limit: limit, share: share, model: model)
  }

  package static func readSystem(_ reader: SectionReader) -> System? {
    let place = readPlace(reader)
    let ca = reader.read(caFile)
    let plain = reader.read(allowPlainHTTP)
    let rate = reader.read(rate)
    let mirror = reader.read(mirror)
    guard let place, let plain, let rate, let mirror, mirror.fits(rate, reader) else { return nil }
    return System(
      place: place, urlPosition: reader.keyPosition(of: "url").map { _ in reader.position(of: "url") },
      caFile: ca.map { FileReference(path: $0, role: .certificates, position: reader.position(of: "caFile")) },
      allowPlainHTTP: plain, rate: rate, mirror: mirror)
  }

  package static func readGate(_ reader: SectionReader) -> Gate? {
    var gate = Gate(saleTicket: reader.read(saleTicket), seat: reader.read(seat))
    switch reader.read(events) {
    case .listed(let names): gate.events = EventSet(names)
    case .venue(let venue): gate.venue = venue
    case nil: break
    }
    gate.opens = reader.read(opens)
    gate.types = reader.read(types) ?? []
    func place(of key: String) -> String? {
      reader.keyPosition(of: key).map { _ in "\(reader.node.path).\(key) (\(reader.position(of: key)))" }
    }
    (gate.eventsPlace, gate.typesPlace) = (place(of: "events"), place(of: "types"))
    guard let unknown = reader.read(unknownEvent) else { return nil }
    gate.unknownEvent = unknown
    return gate
  }
}
