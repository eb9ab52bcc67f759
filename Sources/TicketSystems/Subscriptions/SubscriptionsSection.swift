package import Reading
internal import ScanModel
package import TicketSystemKit
package import TicketTransport

/// The section of the ticket system `subscriptions`.
package enum SubscriptionsSection: TicketSystemSection {
  /// `ticketSystems.<name>` of this type.
  package struct System: Sendable, Equatable {
    /// The server; the API is below it.
    package var url: ServerAddress
    /// Where the file says it.
    package var urlPosition: SourcePosition
    /// The access token.
    package var accessToken: CredentialReference
    /// Whose subscriptions admit.
    package var environment: SubscriptionEnvironment
    /// Which codes are passes.
    package var passes: Passes
    /// For how long the last check of a pass admits offline.
    package var freshFor: Duration
    /// For how long after its end a subscription admits that renews itself.
    package var renewalGrace: Duration
    /// For how long after a check a pass opens before it is asked about again.
    package var recheck: Duration
    /// Certificates to trust instead of the system's.
    package var caFile: FileReference?
    /// Whether plain HTTP may go elsewhere than to loopback.
    package var allowPlainHTTP: Bool
  }

  /// `ticketSystems.<name>.passes`.
  package struct Passes: Sendable, Equatable {
    /// Which codes are taken.
    package var codes: PassCodes
    /// The public keys of signed passes.
    package var keys: String?
    /// The passes that are taken no more.
    package var revoked: String?
  }

  /// `gates.<name>.ticket` of this type.
  package struct Gate: Sendable, Equatable {
    /// The tiers that this gate admits; all where there are none.
    package var tiers: [SubscriptionTier]

    package init(tiers: [SubscriptionTier] = []) { self.tiers = tiers }
  }

  package static let type = "subscriptions"

  /// What its server is to people.
  static let role = "subscription server"

  /// A signed pass, or the digits of an id.
  package static var accept: AcceptFilter {
    AcceptFilter(
      length: SubscriptionID.lengths.lowerBound...SignedPass.longest, alphabet: .printable,
      pattern: try? CodePattern("\(SignedPass.prefix).*|\\d{8,20}"))
  }

  /// Nobody but this station's ledger knows who went in.
  package static let scopes = ScopeRule(.every, .perDay, .perEvent, .untilExit, interval: .seconds(900))

  private static let url = SchemaKey<ServerAddress>.required(
    "url", .server(example: "https://www.ftacademy.cn/api/v1"),
    "The server; the API is below it: `/apple/subs`. Test accounts are at another address (`/api/sandbox`).")
  private static let accessToken = SchemaKey<String>.required(
    "accessToken", .credential(example: "ftc"),
    "The name of the credential that holds the access token: `scangate credential set NAME`.")
  private static let environment = SchemaKey.key(
    "environment", .choice(SubscriptionEnvironment.self), default: .production,
    "Whose subscriptions admit: customers' (`production`), or test purchases (`sandbox`). One of the other is `notGenuine`."
  )

  private static let codes = SchemaKey.key(
    "codes", .choice(PassCodes.self), default: .signed,
    "Which codes are passes: those that you have signed (`signed`), the bare ids of subscriptions, which can be guessed (`ids`), or `both`."
  )
  private static let keys = SchemaKey<String>.optional(
    "keys", .path(.lines, example: "/etc/scangate/pass-keys.txt"),
    "The public keys that passes are signed with, a line each as `scangate membership pass keygen` prints it. Required unless `codes` is `ids`. Read again when it changes."
  )
  private static let revoked = SchemaKey<String>.optional(
    "revoked", .path(.lines, example: "/etc/scangate/revoked.txt"),
    "The passes that are taken no more, a line each: `id DIGITS` or `serial HEX`. Read again when it changes.")
  private static let passesSchema = SectionSchema("ticketSystems.<name>.passes", codes, keys, revoked)
  private static let passes = SchemaKey<Passes>.required(
    "passes",
    .section(passesSchema, example: "{ keys: /etc/scangate/pass-keys.txt }", read: readPasses), "What a pass is.")

  private static let freshFor = SchemaKey.key(
    "freshFor", .age(.seconds(60) ... .seconds(16 * 86_400), example: "24 h"), default: .seconds(86_400),
    "For how long the last check of a pass admits its member while the server is offline, at gates of `policy: list`; no longer than to the subscription's end."
  )
  private static let renewalGrace = SchemaKey.key(
    "renewalGrace", .span(.zero ... .seconds(16 * 86_400), example: "0 s"), default: .zero,
    "For how long after its end a subscription admits that renews itself, and has not been renewed at the server yet.")
  private static let recheck = SchemaKey.key(
    "recheck", .span(.zero ... .seconds(3_600), example: "0 s"), default: .zero,
    "For how long after a check a pass opens at once, and is asked about behind it; `0 s` asks each time before it opens."
  )
  private static let caFile = SchemaKey<String>.optional(
    "caFile", .path(.certificates, example: "/etc/scangate/members-ca.pem"),
    "Certificates in PEM. When given, only these are trusted for this server, not the system's.")
  private static let allowPlainHTTP = SchemaKey.key(
    "allowPlainHTTP", .boolean, default: false,
    "Lets plain HTTP go elsewhere than to loopback: token and ids are then readable in the network.")

  private static let inlineSecret = "put it in with \"scangate credential set NAME\" and write accessToken: NAME"

  package static let systemSchema = SectionSchema(
    "ticketSystems.<name>, type subscriptions",
    url, accessToken, environment, passes, freshFor, renewalGrace, recheck, caFile, allowPlainHTTP,
    refused: [
      "access_token": inlineSecret, "token": inlineSecret, "bearer": inlineSecret, "key": inlineSecret,
      "apiKey": inlineSecret, "secret": inlineSecret, "password": inlineSecret,
    ])

  private static let tiers = SchemaKey<[SubscriptionTier]>.optional(
    "tiers", .list(of: .choice(SubscriptionTier.self), count: 1...2, noun: "tiers"),
    "The tiers that this gate admits, `standard` and `premium`; all without it. Others are refused as `wrongKind`.")
  package static let gateSchema = SectionSchema("gates.<name>.ticket, type subscriptions", tiers)

  private static func readPasses(_ reader: SectionReader) -> Passes? {
    let codes = reader.read(codes)
    let keys = reader.read(keys)
    let revoked = reader.read(revoked)
    guard let codes else { return nil }
    if codes != .signed {
      reader.findings.warning(
        at: reader.position(of: "codes"),
        "an id can be guessed, and read from a receipt: whoever writes one down has a pass",
        "write codes: signed, and make passes with: scangate membership pass issue")
    }
    if codes == .ids, let place = reader.keyPosition(of: "keys") {
      reader.findings.warning(at: place, "keys has no effect with codes: ids", "write codes: both, or remove keys")
    }
    if codes != .ids, keys == nil {
      // One that cannot be read has its own error.
      if reader.entry("keys") == nil {
        reader.findings.error(
          at: reader.node.label, "the key \"keys\" is missing in \(quoted(reader.node.path))",
          "add keys: /etc/scangate/pass-keys.txt, with the line that \"scangate membership pass keygen\" prints")
      }
      return nil
    }
    return Passes(codes: codes, keys: codes == .ids ? nil : keys, revoked: revoked)
  }

  package static func readSystem(_ reader: SectionReader) -> System? {
    let read = reader.readAll(url, accessToken, environment, passes, freshFor, renewalGrace, recheck, allowPlainHTTP)
    let ca = reader.read(caFile)
    guard let (url, token, environment, passes, freshFor, grace, recheck, plain) = read else { return nil }
    let place = reader.position(of: "url")
    if let path = url.path.split(separator: "/").firstIndex(of: "apple") {
      let parts = url.path.split(separator: "/")[..<path]
      let base = url.description.dropLast(url.path.count) + parts.map { "/\($0)" }.joined()
      reader.findings.error(
        at: place, "\(quoted(reader.node.path + ".url")) has a path of the API in it",
        "write the address that the API is below, without that path: \(base)")
      return nil
    }
    checkPlainHTTP(url, isAllowed: plain, shows: "token and ids", reader)
    return System(
      url: url, urlPosition: place,
      accessToken: CredentialReference(name: token, position: reader.position(of: "accessToken")),
      environment: environment, passes: passes, freshFor: freshFor, renewalGrace: grace, recheck: recheck,
      caFile: ca.map { FileReference(path: $0, role: .certificates, position: reader.position(of: "caFile")) },
      allowPlainHTTP: plain)
  }

  package static func readGate(_ reader: SectionReader) -> Gate? {
    let tiers = reader.read(tiers)
    if tiers == nil, reader.entry("tiers") != nil { return nil }
    return Gate(tiers: tiers ?? [])
  }
}

/// Whose subscriptions a server tells of. The raw values are the words in the file.
package enum SubscriptionEnvironment: String, Sendable, CaseIterable {
  /// Customers'.
  case production
  /// Test purchases, which cost nothing.
  case sandbox
}

/// A subscription's level. The raw values are the words in the file, and the API's.
package enum SubscriptionTier: String, Sendable, CaseIterable {
  case standard, premium
}

/// Which codes are passes. The raw values are the words in the file.
package enum PassCodes: String, Sendable, CaseIterable {
  /// Those that a venue has signed.
  case signed
  /// Ids of subscriptions.
  case ids
  /// Either.
  case both
}
