package import Alerts
package import Logging
package import ReportClient
package import ScanConfiguration
package import ScanModel

/// All that a console is made of.
package struct ConsoleSetting: Sendable {
  /// What the file says.
  package var configuration: ConsoleConfiguration
  /// The program's version.
  package var version: String
  /// Its tokens.
  package var tokens: TokenBook
  /// By what it proves who it is; `nil` where it speaks plain HTTP.
  package var identity: ConsoleIdentity?
  /// What this machine is called; a name that it is asked by where it listens beyond loopback.
  package var machine: String?
  /// How much of it one may use.
  package var limits = ConsoleLimits()
  /// Who tells somebody elsewhere what is wrong; `nil` where nobody does.
  package var alerts: AlertWatch?
  /// Who may see its pages; `nil` where it has none.
  package var access: PageAccess?
  /// Who makes reports, and reads the journal by pages.
  package var reports = ReportClient(program: "scangate console")
  /// When the process was started.
  package var startedAt = SystemTime().wall()
  /// Takes lines for the operator.
  package var logger: Logger

  package init(
    _ configuration: ConsoleConfiguration, version: String, tokens: TokenBook, identity: ConsoleIdentity? = nil,
    machine: String? = nil, logger: Logger
  ) {
    self.configuration = configuration
    self.version = version
    self.tokens = tokens
    self.identity = identity
    self.machine = machine
    self.logger = logger
  }
}
