package import Reading
internal import ScanModel
package import TicketSystemKit
package import TicketTransport

/// The section of the ticket system `signedTickets`.
package enum SignedTicketsSection: TicketSystemSection {
  /// `ticketSystems.<name>` of this type.
  package struct System: Sendable, Equatable {
    /// The server; the API and the keys are below it.
    package var url: ServerAddress
    /// Where the file says it.
    package var urlPosition: SourcePosition
    /// The organisation whose tickets admit, as they name it.
    package var org: String
    /// Where the file says it.
    package var orgPosition: SourcePosition
    /// The token that may redeem.
    package var token: CredentialReference
    /// The performances whose tickets admit at gates that name none; `nil` for all.
    package var performances: [String]?
    /// Certificates to trust instead of the system's.
    package var caFile: FileReference?
    /// Whether plain HTTP may go elsewhere than to loopback.
    package var allowPlainHTTP: Bool
  }

  /// `gates.<name>.ticket` of this type.
  package struct Gate: Sendable, Equatable {
    /// The performances that this gate admits to; those of the system where it is `nil`.
    package var performances: [String]?

    package init(performances: [String]? = nil) { self.performances = performances }
  }

  package static let type = "signedTickets"

  /// What its server is to people.
  static let role = "ticket verification server"

  /// A signed ticket.
  package static var accept: AcceptFilter {
    AcceptFilter(length: SignedTicket.lengths, alphabet: .printable, pattern: try? CodePattern("ed25519\\.v1\\..*"))
  }

  private static let url = SchemaKey<ServerAddress>.required(
    "url", .server(example: "https://tickets.example.org"),
    "The server; the API is below it: `/v1/verification/redeem`, and the keys that it signs with: `/v1/verification/jwks`."
  )
  private static let org = SchemaKey<String>.required(
    "org",
    .text(
      "id of an organisation", example: "00000000-0000-0000-0000-000000000001",
      expected: "write the organisation's id as its tickets name it (tenant_id): 1 to 64 characters without blanks"
    ) { (1...64).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } },
    "The organisation whose tickets admit, by its id. Tickets of others are `wrongEvent`. Sent as `X-Org-ID`.")
  private static let token = SchemaKey<String>.required(
    "token", .credential(example: "theatre-redeem"),
    "The name of the credential that holds the token, which needs the scope `tickets.redeem`: `scangate credential set NAME`."
  )
  private static let performance = ValueKind.text(upTo: SignedTicket.longestName, example: "perf_1")
  private static let performances = SchemaKey<[String]>.optional(
    "performances", .list(of: performance, count: 1...100, noun: "performances"),
    "The performances whose tickets admit, by their ids, at gates that name none; all of the organisation's without it."
  )
  private static let caFile = SchemaKey<String>.optional(
    "caFile", .path(.certificates, example: "/etc/scangate/tickets-ca.pem"),
    "Certificates in PEM. When given, only these are trusted for this server, not the system's.")
  private static let allowPlainHTTP = SchemaKey.key(
    "allowPlainHTTP", .boolean, default: false,
    "Lets plain HTTP go elsewhere than to loopback: token and tickets are then readable in the network, and whoever can change what "
      + "the server says there can make tickets.")

  private static let inlineSecret = "put it in with \"scangate credential set NAME\" and write token: NAME"

  package static let systemSchema = SectionSchema(
    "ticketSystems.<name>, type signedTickets", url, org, token, performances, caFile, allowPlainHTTP,
    refused: [
      "accessToken": inlineSecret, "bearer": inlineSecret, "key": inlineSecret, "apiKey": inlineSecret,
      "secret": inlineSecret, "password": inlineSecret,
      "keys": "the keys are fetched from the server's own /v1/verification/jwks: remove it",
      "jwks": "the keys are fetched from the server's own /v1/verification/jwks: remove it",
    ])

  private static let gatePerformances = SchemaKey<[String]>.optional(
    "performances", .list(of: performance, count: 1...100, noun: "performances"),
    "The performances that this gate admits to, by their ids, instead of the ticket system's. Tickets of others are `wrongEvent`."
  )
  package static let gateSchema = SectionSchema("gates.<name>.ticket, type signedTickets", gatePerformances)

  package static func readSystem(_ reader: SectionReader) -> System? {
    let read = reader.readAll(url, org, token, allowPlainHTTP)
    let ca = reader.read(caFile)
    let performances = reader.read(performances)
    guard let (url, org, token, plain) = read, performances != nil || reader.entry("performances") == nil else {
      return nil
    }
    let place = reader.position(of: "url")
    let parts = url.path.split(separator: "/")
    if let version = parts.firstIndex(of: "v1") {
      let base = url.description.dropLast(url.path.count) + parts[..<version].map { "/\($0)" }.joined()
      reader.findings.error(
        at: place, "\(quoted(reader.node.path + ".url")) has a path of the API in it",
        "write the address that the API is below, without that path: \(base)")
      return nil
    }
    checkPlainHTTP(url, isAllowed: plain, shows: "token and tickets", reader)
    return System(
      url: url, urlPosition: place, org: org, orgPosition: reader.position(of: "org"),
      token: CredentialReference(name: token, position: reader.position(of: "token")), performances: performances,
      caFile: ca.map { FileReference(path: $0, role: .certificates, position: reader.position(of: "caFile")) },
      allowPlainHTTP: plain)
  }

  package static func readGate(_ reader: SectionReader) -> Gate? {
    let performances = reader.read(gatePerformances)
    if performances == nil, reader.entry("performances") != nil { return nil }
    return Gate(performances: performances)
  }
}
