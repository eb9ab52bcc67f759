package import FleetBook
internal import FleetKeeping
package import Gateway
package import JetStreamClaims
internal import LinuxIO
package import ScanConfiguration
package import ScanModel
package import TicketSystemKit

/// Looks whether a station can be one of its fleet: by its own files, then by asking the servers. Nothing is written there, and no service is needed.
package enum FleetCheck {
  /// Between two looks at servers that do not answer yet.
  private static let pause = Duration.milliseconds(200)

  /// Why the station cannot be one of its fleet, whatever servers say: its credential, its key among those of the stations, the certificates.
  /// - Returns: `nil` where nothing speaks against it, or it has no fleet.
  package static func flaw(of configuration: StationConfiguration, credentials: CredentialResolver) -> String? {
    guard let fleet = configuration.fleet else { return nil }
    do throws(SetupError) {
      _ = try FleetMember(fleet, station: configuration.name, credentials: credentials)
      return nil
    } catch { return error.description }
  }

  /// Asks the fleet's servers. Nothing is found where the station has no fleet.
  /// - Parameter patience: how long they may take.
  package static func findings(
    on configuration: StationConfiguration, credentials: CredentialResolver, patience: Duration = .seconds(10)
  ) async -> [OnlineCheck.Finding] {
    guard let fleet = configuration.fleet else { return [] }
    let member: FleetMember
    do throws(SetupError) {
      member = try FleetMember(fleet, station: configuration.name, credentials: credentials)
    } catch { return [.init(kind: .fault, line: "fleet: \(error.description)")] }
    let store: JetStreamClaimStore
    do throws(SystemError) {
      store = try JetStreamClaimStore(member.settings)
    } catch { return [.init(kind: .away, line: "fleet: no thread can be had to ask its servers (\(error.words)).")] }
    store.start()
    let time = SystemTime()
    let end = time.now() + patience
    var facts = FleetFacts()
    repeat {
      facts = await store.facts(until: min(end, time.now() + .seconds(2)))
      guard isSilence(facts.fault) else { break }
      try? await Task.sleep(for: pause)
    } while !Task.isCancelled && time.now() < end
    var found = judge(facts, fleet)
    if facts.fault == nil {
      let seal = ClaimSeal(
        fleet: fleet.name, station: member.id, key: member.credential.signing, stations: fleet.stations)
      found += judge(await FleetWords.read(store, seal, until: time.now() + .seconds(3)))
      let certificates = await FleetCertificates.look(member.settings, within: .seconds(3))
      if KernelClock.shared.isSynchronised { found += judge(certificates, at: time.wall()) }
    }
    await store.stop()
    return found
  }

  /// What is to be said of what stations say of themselves. Pure.
  package static func judge(_ words: [StationID: KnownWord]) -> [OnlineCheck.Finding] {
    WordDifference.found(in: Array(words.values)).filter(\.isDoubt).map {
      .init(kind: .doubt, line: "fleet: \($0.words)")
    }
  }

  /// What is to be said of certificates. Pure.
  package static func judge(_ certificates: [FleetCertificate], at now: WallTime) -> [OnlineCheck.Finding] {
    certificates.compactMap { $0.words(at: now) }.map { .init(kind: .doubt, line: "fleet: \($0)") }
  }

  private static func isSilence(_ fault: ClaimFault?) -> Bool { fault?.isAway == true }

  /// What is to be said of what the servers have told. Pure.
  package static func judge(_ facts: FleetFacts, _ fleet: FleetConfiguration) -> [OnlineCheck.Finding] {
    let all = fleet.servers.map(\.description).joined(separator: ", ")
    let names = facts.servers.map { "\($0.name) (nats-server \($0.version))" }.joined(separator: ", ")
    if let fault = facts.fault, !isSilence(fault) {
      return [.init(kind: .fault, line: "fleet: \(fault.words)")]
    }
    guard facts.fault == nil else {
      let words =
        facts.servers.isEmpty
        ? "None of \(all) answers. Check the network, and whether nats-server runs there: systemctl status nats-server."
        : "No majority of \(all) answers, but \(names) only: nothing can be claimed. Look after the others: systemctl status nats-server."
      return [.init(kind: .away, line: "fleet: \(words)")]
    }
    let claims = facts.bucket.map { ", with \($0.keys) tickets in it" } ?? ""
    let good = OnlineCheck.Finding(
      kind: .good,
      line: "fleet: \(names): the servers take this station, and have the book \(fleet.name)\(claims).")
    var found = [good]
    if facts.servers.count < fleet.servers.count {
      found.append(
        .init(
          kind: .doubt,
          line:
            "fleet: \(facts.servers.count) of \(fleet.servers.count) servers answer, \(names). Another one less may stop the fleet: look after the others."
        ))
    }
    if let ahead = facts.clockAhead {
      found.append(
        .init(
          kind: .doubt,
          line:
            "fleet: This machine's clock is \(ahead.asClockError) the leader's, by which claims are dated. Nobody is refused for it. Set it: timedatectl"
        ))
    }
    for server in facts.servers {
      guard let ahead = server.clockAhead else { continue }
      found.append(
        .init(
          kind: .doubt,
          line:
            "fleet: The clock of the server \(server.name) is \(ahead.asClockError) the leader's. Set it there: timedatectl"
        ))
    }
    return found
  }
}
