package import LinuxIO
package import Reading
internal import ScanModel
package import TicketSystemKit
package import TicketTransport

/// The section of the ticket system `bookings`.
package enum BookingsSection: TicketSystemSection {
  /// `ticketSystems.<name>` of this type.
  package struct System: Sendable, Equatable {
    /// The server; the API is below it.
    package var url: ServerAddress
    /// Where the file says it.
    package var urlPosition: SourcePosition
    /// Whose shows.
    package var venue: Venue
    /// Who is signed in for list and check; `nil` where the list comes from files alone.
    package var staff: Staff?
    /// The website that requests say they come from; `nil` for the server's own address.
    package var origin: ServerAddress?
    /// Certificates to trust instead of the system's.
    package var caFile: FileReference?
    /// Whether plain HTTP may go elsewhere than to loopback.
    package var allowPlainHTTP: Bool

    package init(
      url: ServerAddress, urlPosition: SourcePosition, venue: Venue, staff: Staff? = nil, origin: ServerAddress? = nil,
      caFile: FileReference? = nil, allowPlainHTTP: Bool = false
    ) {
      self.url = url
      self.urlPosition = urlPosition
      self.venue = venue
      self.staff = staff
      self.origin = origin
      self.caFile = caFile
      self.allowPlainHTTP = allowPlainHTTP
    }
  }

  /// `ticketSystems.<name>.venue`.
  package struct Venue: Sendable, Equatable {
    /// What the server calls it.
    package var id: String
    /// Its name in addresses; staff signs in with it.
    package var slug: String
    /// Its civil time: the server's dates and times have no zone.
    package var zone: ZoneRules
    /// The zone's IANA name.
    package var zoneName: String

    package init(id: String, slug: String, zone: ZoneRules, zoneName: String) {
      self.id = id
      self.slug = slug
      self.zone = zone
      self.zoneName = zoneName
    }
  }

  /// `ticketSystems.<name>.staff`.
  package struct Staff: Sendable, Equatable {
    /// The account.
    package var email: String
    /// Its password.
    package var password: CredentialReference

    package init(email: String, password: CredentialReference) {
      self.email = email
      self.password = password
    }
  }

  /// `gates.<name>.ticket` of this type.
  package struct Gate: Sendable, Equatable {
    /// Which shows it admits to.
    package var shows: Shows
    /// How long before a show's beginning.
    package var opens: Duration
    /// How long after it.
    package var closes: Duration
    /// How many persons a scan admits.
    package var party: Party

    package init(
      shows: Shows = .tonight, opens: Duration = .seconds(3_600), closes: Duration = .seconds(1_800),
      party: Party = .each
    ) {
      self.shows = shows
      self.opens = opens
      self.closes = closes
      self.party = party
    }
  }

  /// Which shows a gate admits to.
  package enum Shows: Sendable, Equatable {
    /// Each of this day at the venue; what begins before five in the morning is of the evening before.
    case tonight
    /// Those that the server calls so.
    case ids([String])
  }

  /// How many persons a scan admits. The raw values are the words in the file.
  package enum Party: String, Sendable, CaseIterable {
    /// One; a booking is scanned as often as it has seats.
    case each
    /// The whole booking, once: somebody counts.
    case whole
  }

  package static let type = "bookings"

  /// What its server is to people.
  static let role = "booking service"

  /// Whatever can be shown: what is no booking's code is refused in words of its own (`BookingCode.Fault`).
  package static var accept: AcceptFilter { AcceptFilter(length: 1...1_024, alphabet: .printable) }

  /// A booking is for one show: whoever went in on it is in for good, unless people go out and in again.
  package static let scopes = ScopeRule(.once, .untilExit)

  /// An evening: what was fetched in the morning is not tonight's house.
  package static let listAge = Duration.seconds(12 * 3_600)

  /// Its codes are neither signed nor made by a secure generator: how one looks proves nothing.
  package static let mayOpenByForm = false

  private static let url = SchemaKey<ServerAddress>.required(
    "url",
    .server(
      example: "https://then-production.up.railway.app",
      api: ["auth", "venue-auth-new", "venues", "shows", "seat-checkout", "user", "checkout"]),
    "The server; the API is below it: `/api/venues`.")

  private static let venueID = SchemaKey<String>.required(
    "id", .identifier(example: "3f0c2a51-7d1e-4a57-9f0e-6a2b6f2f9d10"), "What the server calls the venue.")
  private static let slug = SchemaKey<String>.required(
    "slug", .slug, "The venue's name in the addresses of the server's pages; staff signs in with it.")
  private static let zone = SchemaKey<(String, ZoneRules)>.required(
    "zone", .zone, "The venue's time zone: the server's dates and times are the venue's own.")
  private static let venueSchema = SectionSchema("ticketSystems.<name>.venue", venueID, slug, zone)
  private static let venue = SchemaKey<Venue>.required(
    "venue", .section(venueSchema, example: "{ id: 3f0c2a51, slug: hamilton, zone: Europe/London }", read: readVenue),
    "Whose shows the gates admit to. The ledger belongs to server and venue.")

  private static let email = SchemaKey<String>.required(
    "email", .email, "The account that may see the venue's door list and check its bookings.")
  private static let password = SchemaKey<String>.required(
    "password", .credential(example: "theatre-door"),
    "The name of the credential that holds its password: `scangate credential set NAME`.")
  private static let staffSchema = SectionSchema(
    "ticketSystems.<name>.staff", email, password, refused: ["token": inlineSecret, "secret": inlineSecret])
  private static let staff = SchemaKey<Staff>.optional(
    "staff", .section(staffSchema, example: "{ email: door@example.org, password: theatre-door }", read: readStaff),
    "Who is signed in for the door list and for checks; without it the list comes from files alone.")

  private static let origin = SchemaKey<ServerAddress>.optional(
    "origin", .server(example: "https://lastminutelive.com"),
    "The website that requests say they come from (`Origin`, `Referer`): the server takes those that it knows. The server's own address without it."
  )
  private static let caFile = SchemaKey<String>.optional(
    "caFile", .path(.certificates, example: "/etc/scangate/theatre-ca.pem"),
    "Certificates in PEM. When given, only these are trusted for this server, not the system's.")
  private static let allowPlainHTTP = SchemaKey.key(
    "allowPlainHTTP", .boolean, default: false,
    "Lets plain HTTP go elsewhere than to loopback: password and codes are then readable in the network.")

  private static let inlineSecret = "put it in with \"scangate credential set NAME\" and write staff.password: NAME"

  package static let systemSchema = SectionSchema(
    "ticketSystems.<name>, type bookings", url, venue, staff, origin, caFile, allowPlainHTTP,
    refused: [
      "password": inlineSecret, "token": inlineSecret, "apiKey": inlineSecret, "key": inlineSecret,
      "secret": inlineSecret, "cookie": inlineSecret, "session": inlineSecret,
      "email": "write it below staff: { email: …, password: NAME }",
      "zone": "write it below venue: { id: …, slug: …, zone: Europe/London }",
    ])

  private static let shows = SchemaKey.key(
    "shows", .shows, default: Shows.tonight,
    "Which shows the gate admits to: each of this day at the venue (`tonight`; 0:00 to 5:00 belongs to the evening before), or a list of their ids."
  )
  private static let opens = SchemaKey.key(
    "opens", .span(.zero ... .seconds(86_400), example: "60 min"), default: .seconds(3_600),
    "How long before a show's beginning it admits; before that a code is `tooEarly`.")
  private static let closes = SchemaKey.key(
    "closes", .span(.zero ... .seconds(86_400), example: "30 min"), default: .seconds(1_800),
    "How long after the beginning it admits; after that a code is `tooLate`.")
  private static let party = SchemaKey.key(
    "party", .choice(Party.self), default: .each,
    "How many persons a scan admits: one, up to the booking's seats (`each`), or the whole booking at once, which somebody counts (`whole`)."
  )
  package static let gateSchema = SectionSchema(
    "gates.<name>.ticket, type bookings", shows, opens, closes, party)

  private static func readVenue(_ reader: SectionReader) -> Venue? {
    guard let (id, slug, zone) = reader.readAll(venueID, slug, zone) else { return nil }
    return Venue(id: ownForm(ofID: id), slug: slug, zone: zone.1, zoneName: zone.0)
  }

  /// A UUID is one however it is written, and the ledger belongs to it: in small letters. Anything else stays as it is.
  private static func ownForm(ofID id: String) -> String {
    let groups = id.split(separator: "-", omittingEmptySubsequences: false)
    let isUUID =
      groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { $0.isASCII && $0.isHexDigit }
    return isUUID ? id.lowercased() : id
  }

  private static func readStaff(_ reader: SectionReader) -> Staff? {
    guard let (email, password) = reader.readAll(email, password) else { return nil }
    return Staff(
      email: email, password: CredentialReference(name: password, position: reader.position(of: "password")))
  }

  package static func readSystem(_ reader: SectionReader) -> System? {
    let read = reader.readAll(url, venue, allowPlainHTTP)
    let staff = reader.read(staff)
    let origin = reader.read(origin)
    let ca = reader.read(caFile)
    if let origin, !origin.path.isEmpty {
      reader.findings.error(
        at: reader.position(of: "origin"), "\(quoted(reader.node.path + ".origin")) has a path",
        "write scheme and host alone: \(origin.description.dropLast(origin.path.count))")
      return nil
    }
    guard let (url, venue, plain) = read, staff != nil || reader.entry("staff") == nil,
      origin != nil || reader.entry("origin") == nil
    else { return nil }
    checkPlainHTTP(url, isAllowed: plain, shows: "password and codes", reader)
    // Whether the file says it with /api, which every request adds, or without: the ledger's address is one.
    return System(
      url: url.withoutAPI ?? url, urlPosition: reader.position(of: "url"), venue: venue, staff: staff, origin: origin,
      caFile: ca.map { FileReference(path: $0, role: .certificates, position: reader.position(of: "caFile")) },
      allowPlainHTTP: plain)
  }

  package static func readGate(_ reader: SectionReader) -> Gate? {
    guard let (shows, opens, closes, party) = reader.readAll(shows, opens, closes, party) else { return nil }
    return Gate(shows: shows, opens: opens, closes: closes, party: party)
  }

  /// The ledger counts persons at one gate and bookings at the other: of a party of four either one would be let in, or five.
  package static func contradiction(_ earlier: Gate?, _ later: Gate?) -> GateContradiction? {
    let (earlier, later) = (earlier ?? Gate(), later ?? Gate())
    guard earlier.party != later.party, earlier.shows.mayOverlap(later.shows) else { return nil }
    return GateContradiction(
      key: "party", words: "is \(later.party.rawValue) here and \(earlier.party.rawValue) there, for the same shows",
      cure: "write the same party for both, or give each the ids of shows of its own")
  }
}

extension BookingsSection.Shows {
  /// Whether a show may be of both.
  fileprivate func mayOverlap(_ other: Self) -> Bool {
    guard case .ids(let one) = self, case .ids(let two) = other else { return true }
    return !Set(one).isDisjoint(with: two)
  }
}
