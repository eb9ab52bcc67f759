import ScanModel
import StationProtocol
internal import TicketSystemKit

enum ConsoleSection {
  static let key = "console"

  private static let listen = SchemaKey.required(
    "listen", .listenAddress, "Where it listens: an IP address and a port.")
  private static let hosts = SchemaKey.key(
    "hosts", .list(of: .hostName, count: 0...32, noun: "names"), default: [],
    "The names that it is asked by besides its address. A request for any other host is refused.")
  private static let orders = SchemaKey.key(
    "orders", .list(of: .order, count: 0...OrderKind.allCases.count, noun: "orders"), default: [],
    "The orders that it may give; so may everybody in the group `scangate-console`.")
  private static let certificate = SchemaKey<ConsoleCredential>.optional(
    "certificate", .consoleCredential(example: "certificate.pem"),
    "The file with its certificate in PEM, and those that lead to its authority. Without it one is made where TLS is needed, which signs itself."
  )
  private static let privateKey = SchemaKey<ConsoleCredential>.optional(
    "privateKey", .consoleCredential(example: "key.pem"), "The file with the certificate's key, without a passphrase.")
  private static let allowPlainHTTP = SchemaKey.key(
    "allowPlainHTTP", .boolean, default: false,
    "Lets it be asked by plain HTTP from elsewhere than this machine: tokens are then readable in the network. No orders then."
  )
  private static let names = SchemaKey.key(
    "names", .boolean, default: false, "Whether events have the names of tickets' holders in them.")
  private static let pages = SchemaKey.key(
    "pages", .boolean, default: false,
    "Whether it has pages for people: doors, attendants, technicians and organisers (docs/console.md).")
  private static let language = SchemaKey<PageLanguage>.optional(
    "language", .choice(PageLanguage.self), "The language of all pages. Without it each browser's own.")
  private static let metrics = SchemaKey<ConsoleCredential>.optional(
    "metrics", .consoleCredential(example: "prometheus-token"),
    "The file with the token that `/metrics` is asked with: short for a token with that one scope. This machine needs none."
  )
  private static let tokens = SchemaKey.key(
    "tokens", .tokens, default: [],
    "The tokens by the names of their files, each with what it is good for: \(scopeWords).")
  private static let alerts = SchemaKey<AlertsConfiguration>.optional(
    AlertsSection.key,
    .section(AlertsSection.schema, example: "{ url: https://ntfy.example/gate }", read: AlertsSection.read),
    "Whom it tells when something is wrong.")

  static let scopeWords = ConsoleScope.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")

  private static let inlineSecret =
    "put the token into a file in /etc/scangate/console (scangate console token NAME) and write tokens: { NAME: [events] }"

  static let schema = SectionSchema(
    key, listen, hosts, orders, certificate, privateKey, allowPlainHTTP, names, pages, language, metrics, tokens,
    alerts,
    refused: ["token": inlineSecret, "password": inlineSecret, "secret": inlineSecret, "key": inlineSecret])

  static func read(_ reader: SectionReader) -> ConsoleConfiguration? {
    let hosts = reader.read(hosts)
    let orders = reader.read(orders)
    let (certificate, privateKey) = (reader.read(certificate), reader.read(privateKey))
    let plain = reader.read(allowPlainHTTP)
    let names = reader.read(names)
    let (pages, language) = (reader.read(pages), reader.read(language))
    let (metrics, tokens) = (reader.read(metrics), reader.read(tokens))
    let alerts = reader.read(alerts)
    guard let listen = reader.read(listen), let hosts, let orders, let plain, let names, let pages, let tokens
    else { return nil }
    var console = ConsoleConfiguration(listen: listen)
    console.hosts = hosts
    console.orders = Set(orders)
    (console.certificate, console.privateKey) = (certificate, privateKey)
    console.allowsPlainHTTP = plain
    console.namesHolders = names
    (console.hasPages, console.language) = (pages, language)
    console.tokens = (metrics.map { [ConsoleToken(credential: $0, scopes: [.metrics])] } ?? []) + tokens
    console.alerts = alerts
    ConsoleChecks(console, reader).run()
    return console
  }
}
