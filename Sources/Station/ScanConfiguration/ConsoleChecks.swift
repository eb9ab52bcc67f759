import StationProtocol
internal import TicketSystemKit

/// What the keys of `console` say together.
struct ConsoleChecks {
  private let console: ConsoleConfiguration
  private let reader: SectionReader
  private var findings: Findings { reader.findings }

  init(_ console: ConsoleConfiguration, _ reader: SectionReader) {
    self.console = console
    self.reader = reader
  }

  func run() {
    checkCertificate()
    checkPlainHTTP()
    checkTokens()
    if console.language != nil, !console.hasPages, let place = reader.keyPosition(of: "language") {
      findings.warning(at: place, "language has no effect without pages", "write pages: true, or remove it")
    }
  }

  private func checkCertificate() {
    switch (console.certificate, console.privateKey) {
    case (.some(let certificate), nil):
      findings.error(
        at: certificate.position, "certificate stands without its key",
        "name the key's file as well: privateKey: key.pem")
    case (nil, .some(let key)):
      findings.error(
        at: key.position, "privateKey stands without its certificate",
        "name the certificate's file as well: certificate: certificate.pem")
    default: break
    }
  }

  /// What the network could read nobody gives orders by.
  private func checkPlainHTTP() {
    guard console.allowsPlainHTTP, let place = reader.keyPosition(of: "allowPlainHTTP") else { return }
    if console.certificate != nil {
      findings.warning(
        at: place, "allowPlainHTTP has no effect with a certificate", "remove it, or certificate and privateKey")
    } else if console.listen.isLoopback {
      findings.warning(at: place, "allowPlainHTTP has no effect on \(console.listen.host)", "remove it")
    } else {
      if !console.orders.isEmpty {
        findings.error(
          at: reader.position(of: "orders"),
          "orders would be given by plain HTTP, which the network can read and change",
          "remove allowPlainHTTP: a certificate is made then; or write orders: []")
      }
      if console.namesHolders {
        findings.error(
          at: reader.position(of: "names"), "holders' names would go through the network in plain HTTP",
          "remove allowPlainHTTP: a certificate is made then; or write names: false")
      }
      if console.hasPages {
        findings.error(
          at: reader.position(of: "pages"), "pages would be signed in to by plain HTTP, which the network can read",
          "remove allowPlainHTTP: a certificate is made then; or write pages: false")
      }
      findings.warning(
        at: place, "plain HTTP shows tokens and events to the network",
        "remove allowPlainHTTP when you can: a certificate is made then")
    }
  }

  private func checkTokens() {
    var files: [String: ConsoleCredential] = [:]
    // What is shown to somebody else's server opens nothing here.
    let named = [console.certificate, console.privateKey, console.alerts?.token, console.alerts?.caFile]
    for credential in named.compactMap({ $0 }) + console.tokens.map(\.credential) {
      if let first = files[credential.name] {
        findings.error(
          at: credential.position,
          "the file \(quoted(credential.name)) is named in line \(first.position.line) already",
          "give each its own file; a token that is good for more has more scopes: [metrics, events]")
      }
      files[credential.name] = files[credential.name] ?? credential
    }
    for token in console.tokens where token.scopes.contains(.orders) && console.orders.isEmpty {
      findings.warning(
        at: token.credential.position,
        "the token \(quoted(token.credential.name)) may give orders, but the console may give none",
        "name them: orders: [maintenance], or remove the scope orders")
    }
  }
}
