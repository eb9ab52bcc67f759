package import StationSetUp
package import ScanConfiguration
package import ScanModel
package import TicketSystemKit

/// Asks everything that a configuration speaks to, once and by requests that redeem and activate nothing. No service is needed,
/// and nothing is kept.
package enum OnlineCheck {
  /// What one of them said.
  package struct Finding: Sendable, Equatable {
    /// What it means for a gate.
    package enum Kind: Sendable, Equatable {
      /// It would decide scans.
      case good
      /// Something that no gate hangs on, and that somebody should look at.
      case doubt
      /// Nobody can be admitted until the configuration, the key or a clock is mended.
      case fault
      /// It could not be asked now.
      case away
    }

    /// What it means.
    package var kind: Kind
    /// Whom it is about, and what was found: a line.
    package var line: String
    /// Why nobody can be admitted, for a fault of which the ticket system's answer told it.
    package var reason: UndecidedReason?
    /// Why it counts as offline.
    package var offline: OfflineCause?

    package init(kind: Kind, line: String, reason: UndecidedReason? = nil, offline: OfflineCause? = nil) {
      self.kind = kind
      self.line = line
      self.reason = reason
      self.offline = offline
    }
  }

  /// By how much this machine's clock may be off.
  private static let mostOff = Duration.seconds(120)

  /// Asks each ticket system, then the control service.
  /// - Parameters:
  ///   - completed: the configuration with what set-up codes have brought.
  ///   - credentials: where keys are that it names.
  ///   - patience: how long each may take.
  ///   - list: the list on board of a ticket system, to which that may be the answer; `nil` where it has none.
  ///   - onAsking: told of each before it is asked, by its place in the configuration.
  package static func findings(
    on completed: EnrolmentBook.Completed, credentials: CredentialResolver, patience: Duration = .seconds(10),
    list: (TicketSystemConfiguration) -> ListOnBoard? = { _ in nil }, onAsking: (String) -> Void = { _ in },
    time: any TimeSource = SystemTime()
  ) async -> [Finding] {
    let configuration = completed.configuration
    var findings: [Finding] = []
    for system in configuration.ticketSystems {
      if let words = completed.missing[system.id] {
        findings.append(Finding(kind: .away, line: "ticketSystems.\(system.id): nobody can be asked yet. \(words)"))
        continue
      }
      onAsking("ticketSystems.\(system.id)")
      findings += await ask(
        system, list(system), credentials: completed.resolver(else: credentials), patience, time)
    }
    if let control = configuration.control {
      onAsking("control")
      findings.append(await ask(control, configuration, patience, time))
    }
    return findings
  }

  private static func ask(
    _ system: TicketSystemConfiguration, _ list: ListOnBoard?, credentials: CredentialResolver, _ patience: Duration,
    _ time: any TimeSource
  ) async -> [Finding] {
    let name = "ticketSystems.\(system.id)"
    let connection: TicketSystemConnection
    do throws(SetupError) {
      connection = try system.connect(list: list, credentials: credentials, time: time)
    } catch {
      // Most of what keeps it from being connected names it.
      let words = error.description
      return [Finding(kind: .fault, line: words.contains("\(system.id)") ? words : "\(name): \(words)")]
    }
    let found = await PunctualTicketSystem(connection.face(nil), time: time).reach(deadline: time.now() + patience)
    await connection.close()
    let settings = system.settingNames
    let place = settings?.place.map { " (\($0))" } ?? ""
    let address = settings?.address ?? system.type.name
    switch found {
    case .answers(let date):
      let takes = settings?.key.map { ", and takes our key (\($0))" } ?? ""
      let good = Finding(kind: .good, line: "\(name): \(address) answers\(takes).")
      return [good] + (date.flatMap { doubt(of: time.wall() - $0, name, $0) }.map { [$0] } ?? [])
    case .fault(let reason, let detail):
      return [Finding(kind: .fault, line: "\(name): \(reason.rawValue): \(detail)", reason: reason)]
    case .unclear(let detail):
      return [Finding(kind: .away, line: "\(name): \(detail) Try again in a minute.")]
    case .offline(let cause):
      let words = "\(address) does not answer (\(cause.rawValue)). Check the network, then url\(place)."
      return [Finding(kind: .away, line: "\(name): \(words)", offline: cause)]
    case .unknown:
      return [Finding(kind: .away, line: "\(name): \(address) could not be asked in time. Try again.")]
    }
  }

  private static func doubt(of ahead: Duration, _ name: String, _ date: WallTime) -> Finding? {
    guard ahead > mostOff || ahead < .zero - mostOff else { return nil }
    return Finding(
      kind: .doubt,
      line: "\(name): this machine's clock is \(ahead.asDistance) the server's, which says \(date.iso8601). Set it.")
  }

  private static func ask(
    _ control: ControlServiceConfiguration, _ configuration: StationConfiguration, _ patience: Duration,
    _ time: any TimeSource
  ) async -> Finding {
    do throws(SetupError) {
      let service = try ControlSession.connecting(as: configuration, time: time)(ControlServer(control))
      let found: Finding
      do throws(ControlFault) {
        try await service.health(deadline: time.now() + patience)
        found = Finding(kind: .good, line: "control: \(control.url) answers. Its token is not tried here.")
      } catch {
        let kind: Finding.Kind = error.kind == .network || error.kind == .server ? .away : .fault
        found = Finding(kind: kind, line: "control: \(error.detail) Look at control.url: \(control.url)")
      }
      await service.close()
      return found
    } catch {
      return Finding(kind: .fault, line: "control: \(error.description)")
    }
  }
}
