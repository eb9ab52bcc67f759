package import ScanModel
package import StationProtocol
package import TicketSystemKit

/// How the station is seen by machines: `console`. Only the station's own file has it.
package struct ConsoleConfiguration: Sendable, Equatable {
  /// Where it listens.
  package var listen: ListenAddress
  /// The names that it is known by besides its address.
  package var hosts: [String] = []
  /// The orders that it, and whoever else may connect to the station's socket, may give.
  package var orders: Set<OrderKind> = []
  /// Its certificate, and those that lead to its authority; `nil` where it makes one.
  package var certificate: ConsoleCredential?
  /// The certificate's private key.
  package var privateKey: ConsoleCredential?
  /// Whether plain HTTP may go elsewhere than to loopback.
  package var allowsPlainHTTP = false
  /// Whether it is told the names of tickets' holders.
  package var namesHolders = false
  /// Whether it has pages for people.
  package var hasPages = false
  /// The language of all pages; `nil` where each browser says its own.
  package var language: PageLanguage?
  /// Who may ask for what; names are unique. One of `metrics` is among them.
  package var tokens: [ConsoleToken] = []
  /// Whom it tells when something is wrong; `nil` where nobody is told.
  package var alerts: AlertsConfiguration?

  package init(listen: ListenAddress) { self.listen = listen }

  /// Whether it speaks TLS.
  package var isSecure: Bool { certificate != nil || !listen.isLoopback && !allowsPlainHTTP }
}

/// An address and port to listen at.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// An IP address, without brackets.
  package var host: String
  /// The port; 0 for any.
  package var port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Whether only this machine reaches it.
  package var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

  /// As it stands in URLs.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A token of the console, and what whoever shows it may do.
package struct ConsoleToken: Sendable, Hashable {
  /// The file that holds it; its name is whose it is.
  package var credential: ConsoleCredential
  /// What it is good for; not empty.
  package var scopes: Set<ConsoleScope>

  package init(credential: ConsoleCredential, scopes: Set<ConsoleScope>) {
    self.credential = credential
    self.scopes = scopes
  }
}

/// What a token is good for. The raw values are the words in the file.
package enum ConsoleScope: String, Sendable, CaseIterable {
  /// `/metrics`.
  case metrics
  /// How the station is, and what happens.
  case events
  /// The orders that the file lets the console give.
  case orders
}

/// A file in a folder of secrets that only root reads, by its name alone: the service manager hands it to the one process that it is
/// for. No credential of the station.
package struct ConsoleCredential: Sendable, Hashable {
  /// The file's name.
  package let name: String
  /// Where the configuration names it.
  package let position: SourcePosition

  package init(name: String, position: SourcePosition) {
    self.name = name
    self.position = position
  }
}
