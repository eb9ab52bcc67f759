internal import ScanModel

/// Where a broker is, and how one speaks with it.
package struct BrokerSettings: Sendable {
  /// Whom TLS believes.
  package enum Trust: Sendable, Equatable {
    /// There is no TLS.
    case plain
    /// The authorities that this machine trusts.
    case system
    /// These certificates alone, in PEM.
    case file(String)
  }

  /// A password.
  package struct Password: Sendable, Equatable, Unshown {
    let text: String
    package init(_ text: String) { self.text = text }
    package var description: String { "a password" }
  }

  /// The host: a name or an address.
  package var host: String
  /// The port.
  package var port: UInt16
  /// Whom TLS believes.
  package var trust: Trust
  /// What the broker knows the connection by; of two with the same name it keeps the later one.
  package var client: String
  /// Who we are; `nil` where anybody may come.
  package var user: String?
  /// What proves it.
  package var password: Password?

  package init(
    host: String, port: UInt16, trust: Trust, client: String, user: String? = nil, password: Password? = nil
  ) {
    self.host = host
    self.port = port
    self.trust = trust
    self.client = client
    self.user = user
    self.password = password
  }

  /// Host and port, for messages.
  package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Why there is no connection to a broker, in words for whoever set it up.
package struct BrokerFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What happened, and what to do.
  package let description: String
  package init(_ description: String) { self.description = description }
}
