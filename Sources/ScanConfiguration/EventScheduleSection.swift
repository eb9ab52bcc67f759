/// The section of the ticket system `eventschedule`.
public enum EventScheduleSection: TicketSystemSection {
  /// `ticketSystems.<name>` of this type.
  public struct System: Sendable, Equatable {
    /// The server; the API is below it: `/api/tickets/scan`.
    public var url: ServerURL
    /// Where the API key is.
    public var key: Key
    /// Certificates to trust instead of the system's.
    public var caFile: FileReference?
    /// Whether plain HTTP may go elsewhere than to loopback.
    public var allowPlainHTTP: Bool
    /// What the server lets this credential ask.
    public var rate: Rate
  }

  /// `ticketSystems.<name>.apiKey` or `.apiKeyFile`: where the API key is.
  public enum Key: Sendable, Equatable {
    /// A credential of the station.
    case credential(CredentialReference)
    /// A file that holds it, alone on its line.
    case file(FileReference)
  }

  /// `ticketSystems.<name>.rate`.
  public struct Rate: Sendable, Equatable {
    /// How the server counts.
    public enum Model: String, Sendable, CaseIterable {
      /// By both models at once: what either forbids is not sent.
      case both
      /// So many requests in any 60 s.
      case window
      /// So many requests since the last pause of 60 s.
      case pause
    }

    /// Requests before the server says no.
    public var limit: Int
    /// This station's part of them, in percent.
    public var share: Int
    /// How the server counts.
    public var model: Model
  }

  /// `gates.<name>.ticket` of this type.
  public struct Gate: Sendable, Equatable {
    /// The sale ticket that this gate admits.
    public var saleTicket: Int?
    /// The seat that is checked in.
    public var seat: String?
  }

  public static let type = "eventschedule"

  private static let url = SchemaKey.required(
    "url", .server(example: "https://tickets.example.org"), "The server; the API is below it: `/api/tickets/scan`.")
  private static let apiKey = SchemaKey<String>.optional(
    "apiKey", .credential(example: "main"),
    "The name of the credential that holds the API key: `scangate credential set NAME`. This or `apiKeyFile` is required."
  )
  private static let apiKeyFile = SchemaKey<String>.optional(
    "apiKeyFile", .path(.secret, example: "/etc/scangate/keys/main.key"),
    "Instead of `apiKey`: the file that holds the API key, alone on its line; readable by the service only.")
  private static let caFile = SchemaKey<String>.optional(
    "caFile", .path(.certificates, example: "/etc/scangate/venue-ca.pem"),
    "Certificates in PEM. When given, only these are trusted for this server, not the system's.")
  private static let allowPlainHTTP = SchemaKey.key(
    "allowPlainHTTP", .boolean, default: false,
    "Lets plain HTTP go elsewhere than to loopback: key and codes are then readable in the network.")
  private static let rate = SchemaKey.key(
    "rate", .section(rateSchema, example: "{ share: 50 % }", read: readRate),
    default: Rate(limit: 60, share: 100, model: .both), "What the server lets this key ask.")

  private static let limit = SchemaKey.key(
    "limit", .integer(1...10_000, example: "60"), default: 60, "Requests that the server answers in 60 s.")
  private static let share = SchemaKey.key(
    "share", .percent, default: 100,
    "This station's part of them, where several stations sit behind one address or key.")
  private static let model = SchemaKey.key(
    "model", .choice(Rate.Model.self), default: .both,
    "How the server counts: in any 60 s (`window`), since the last pause of 60 s (`pause`), or unknown (`both`).")

  private static let saleTicket = SchemaKey<Int>.optional(
    "saleTicket", .integer(1...999_999_999_999, example: "789"),
    "The sale ticket that this gate admits; without it the server chooses.")
  private static let seat = SchemaKey<String>.optional(
    "seat", .text(upTo: 64, example: "\"12\""), "The seat number that this gate checks in.")

  private static let inlineSecret = "put it in with \"scangate credential set NAME\" and write apiKey: NAME"
  private static let rateSchema = SectionSchema(
    "ticketSystems.<name>.rate", keys: [limit.description, share.description, model.description])

  public static let systemSchema = SectionSchema(
    "ticketSystems.<name>",
    keys: [
      url.description, apiKey.description, apiKeyFile.description, caFile.description, allowPlainHTTP.description,
      rate.description,
    ],
    refused: [
      "api_key": inlineSecret, "apikey": inlineSecret, "key": inlineSecret, "token": inlineSecret,
      "secret": inlineSecret, "password": inlineSecret,
    ])
  public static let gateSchema = SectionSchema(
    "gates.<name>.ticket", keys: [saleTicket.description, seat.description])

  private static func readRate(_ reader: SectionReader) -> Rate? {
    let limit = reader.read(limit)
    let share = reader.read(share)
    let model = reader.read(model)
    guard let limit, let share, let model else { return nil }
    if limit * share < 100 {
      reader.findings.error(
        at: reader.position(of: "share"), "\(share) % of \(limit) requests is less than one", "raise share or limit")
      return nil
    }
    return Rate(limit: limit, share: share, model: model)
  }

  public static func readSystem(_ reader: SectionReader) -> System? {
    let url = reader.read(url)
    let key = readKey(reader)
    let ca = reader.read(caFile)
    let plain = reader.read(allowPlainHTTP)
    let rate = reader.read(rate)
    if let url, let plain { checkPlainHTTP(url, isAllowed: plain, reader) }
    guard let url, let key, let plain, let rate else { return nil }
    return System(
      url: url, key: key,
      caFile: ca.map { FileReference(path: $0, role: .certificates, position: reader.position(of: "caFile")) },
      allowPlainHTTP: plain, rate: rate)
  }

  /// Where the key is: exactly one of two places.
  private static func readKey(_ reader: SectionReader) -> Key? {
    let name = reader.read(apiKey)
    let path = reader.read(apiKeyFile)
    switch (reader.keyPosition(of: "apiKey"), reader.keyPosition(of: "apiKeyFile")) {
    case (.some, .some(let second)):
      reader.findings.error(
        at: second, "\(quoted(reader.node.path)) has both apiKey and apiKeyFile",
        "keep one: apiKey names a credential, apiKeyFile a file")
      return nil
    case (nil, nil):
      guard !reader.guesses.contains("apiKey"), !reader.guesses.contains("apiKeyFile") else { return nil }
      reader.findings.error(
        at: reader.node.label, "neither apiKey nor apiKeyFile is in \(quoted(reader.node.path))",
        "put the key in with \"scangate credential set main\" and add apiKey: main")
      return nil
    default: break
    }
    if let name { return .credential(CredentialReference(name: name, position: reader.position(of: "apiKey"))) }
    return path.map { .file(FileReference(path: $0, role: .secret, position: reader.position(of: "apiKeyFile"))) }
  }

  private static func checkPlainHTTP(_ url: ServerURL, isAllowed: Bool, _ reader: SectionReader) {
    if url.isSecure { return }
    let place = reader.position(of: "url")
    if !url.isLoopback && !isAllowed {
      reader.findings.error(
        at: place, "plain HTTP to \(url.host) shows the key and every code to the network",
        "write https://, or set allowPlainHTTP: true where the network is your own")
    } else if !url.isLoopback {
      reader.findings.warning(
        at: place, "plain HTTP to \(url.host) shows the key and every code to the network",
        "write https:// when you can")
    }
    if let caFile = reader.keyPosition(of: "caFile") {
      reader.findings.warning(at: caFile, "caFile has no effect with plain HTTP", "write https://, or remove caFile")
    }
  }

  public static func readGate(_ reader: SectionReader) -> Gate? {
    Gate(saleTicket: reader.read(saleTicket), seat: reader.read(seat))
  }
}
