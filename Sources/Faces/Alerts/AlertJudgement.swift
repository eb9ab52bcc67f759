internal import ScanConfiguration
package import ScanModel
package import StationProtocol

/// What is wrong at a station, as far as somebody who is not there has to be told. Pure.
///
/// What has its own condition is told once: a gate that cannot decide because its key is refused is the key's matter.
package enum AlertJudgement {
  /// How long a service has to run before it is taken to stay: one that ends again and again never does.
  private static let uptime = Duration.seconds(120)

  /// What is found at a station that answers: all there is.
  /// - Parameter conflicts: whether admissions were contradicted not long ago.
  package static func found(_ station: StationSnapshot, conflicts: Bool) -> [AlertKey: AlertEvidence] {
    var found: [AlertKey: AlertEvidence] = [:]
    found[AlertKey(.service)] = station.uptime >= uptime ? .good : .unknown
    for gate in station.gates { found[AlertKey(.gate, gate.id.name)] = judge(gate, of: station) }
    for reader in station.readers { found[AlertKey(.reader, reader.id.name)] = judge(reader, of: station) }
    for system in station.ticketSystems {
      found[AlertKey(.ticketSystem, system.id.name)] = judge(system, of: station)
      found[AlertKey(.key, system.id.name)] = judgeKey(system)
      // By a clock that nobody vouches for no certificate is judged.
      found[AlertKey(.certificate, system.id.name)] =
        station.isClockTrusted
        ? certificate(
          of: "ticket system \(system.id)", ending: system.certificateEnds, at: station.at, "scangate doctor")
        : .unknown
    }
    if let control = station.control, control.isActivated {
      found[AlertKey(.key)] = judge(control)
    }
    found[AlertKey(.outbox)] = judge(station.outbox, at: station.at)
    found[AlertKey(.conflict)] = judgeConflicts(station.counters.conflicts, areRecent: conflicts)
    found[AlertKey(.disk)] = judgeDisk(station)
    found[AlertKey(.clock)] = judgeClock(station)
    return found
  }

  /// What is found where no station answers.
  package static func found(_ absence: StationAbsence) -> [AlertKey: AlertEvidence] {
    let what =
      switch absence.kind {
      case .nobody: "The service does not run: no gate admits."
      case .silent: "The service does not answer."
      case .refused: "The service refuses the console: both have to be of one release."
      case .notAllowed: "The console may not speak with the service: nobody sees how the station is."
      }
    return [AlertKey(.service): .bad(AlertWords(what, "systemctl status scangate"))]
  }

  /// Of the console's own certificate.
  /// - Parameter ends: when it ends; `nil` where it has none.
  package static func certificate(ending ends: WallTime?, at now: WallTime) -> AlertEvidence {
    certificate(of: "the console", ending: ends, at: now, "scangate console fingerprint")
  }

  private static func certificate(
    of name: String, ending ends: WallTime?, at now: WallTime, _ command: String
  ) -> AlertEvidence {
    switch ends.map({ CertificateLife(until: $0, at: now) }) {
    case nil, .long: return .good
    case .short(let days): return .bad(AlertWords("The certificate of \(name) ends in \(days) days.", command))
    case .over: return .bad(AlertWords("The certificate of \(name) has ended.", command))
    }
  }

  // MARK: Gates and readers

  private static func judge(_ gate: StationSnapshot.Gate, of station: StationSnapshot) -> AlertEvidence {
    let name = "Gate \(gate.id)"
    switch gate.condition.state {
    case "ready":
      return gate.outputFault == nil
        ? .good : .bad(AlertWords("\(name) admits nobody: its outputs fail.", "scangate status"))
    case "fault":
      guard gate.reason.map({ $0 == .outOfService }) ?? true else { return .good }
      return .bad(
        AlertWords(
          "\(name) admits nobody: its outputs, or what it is told to be, do not let it.", "scangate status",
          since: since(gate.since, station)))
    // Somebody has it so.
    default: return .unknown
    }
  }

  private static func judge(_ reader: StationSnapshot.Reader, of station: StationSnapshot) -> AlertEvidence {
    let name = "Reader \(reader.id)"
    let since = since(reader.since, station)
    switch reader.condition.state {
    case "reading": return .good
    case "parked": return .bad(AlertWords("\(name) is not plugged in.", "scangate devices", since: since))
    case "waiting": return .bad(AlertWords("\(name) is there and cannot be used yet.", "scangate doctor", since: since))
    case "failed":
      return .bad(AlertWords("\(name) cannot be used as it is configured.", "scangate doctor", since: since))
    default: return .unknown
    }
  }

  /// Since when something is so, by the station's word: within the life of its service, whatever its clock was then.
  private static func since(_ told: WallTime?, _ station: StationSnapshot) -> WallTime? {
    told.map { min(max($0, station.at - max(station.uptime, .zero)), station.at) }
  }

  // MARK: Ticket systems

  private static func judge(
    _ system: StationSnapshot.TicketSystem, of station: StationSnapshot
  ) -> AlertEvidence {
    let name = "Ticket system \(system.id)"
    func away(_ words: String) -> AlertEvidence {
      .bad(AlertWords("\(name) is away: \(words).", "scangate doctor", since: since(system.offlineSince, station)))
    }
    switch system.offline {
    case .noAddress?: return away("its name cannot be resolved")
    case .noConnection?: return away("there is no connection to it")
    case .timeOut?: return away("it does not answer in time")
    case .gatewayFault?: return away("what stands before it says so")
    case .rateLimited?, nil: break
    }
    guard let reason = system.fault?.reason else { return system.isBeingAsked ? .unknown : .good }
    switch reason {
    case .tlsFault:
      return .bad(AlertWords("\(name) cannot be believed: its certificate is not trusted.", "scangate doctor"))
    case .badAnswer:
      return .bad(AlertWords("\(name) cannot be believed: its answers are not those of its API.", "scangate doctor"))
    case .unreachable: return .bad(AlertWords("\(name) cannot be reached.", "scangate doctor"))
    // Told as the key's, or the clock's.
    case .keyRefused, .accessDenied, .keyBlocked, .clockWrong: return .good
    default: return .bad(AlertWords("\(name) lets nobody pass (\(reason.rawValue)).", "scangate status"))
    }
  }

  private static func judgeKey(_ system: StationSnapshot.TicketSystem) -> AlertEvidence {
    let words: String
    switch system.fault?.reason {
    case .keyRefused?: words = "does not know this station's key"
    case .accessDenied?: words = "does not let this station's key scan"
    case .keyBlocked?: words = "has blocked this station's key for a time"
    case nil where system.offline == nil && !system.isBeingAsked: return .good
    // Whether the key is good only who answers can tell.
    default: return .unknown
    }
    return .bad(AlertWords("Ticket system \(system.id) \(words): nobody is admitted by it.", "scangate doctor"))
  }

  private static func judge(_ control: StationSnapshot.Control) -> AlertEvidence {
    guard control.isConnected else { return .unknown }
    return control.isTokenValid
      ? .good : .bad(AlertWords("The control service does not accept the station's token.", "scangate kiosk status"))
  }

  // MARK: The rest

  private static func judge(_ outbox: StationSnapshot.Outbox, at now: WallTime) -> AlertEvidence {
    if outbox.isHeld {
      return .bad(AlertWords("Ticket systems are told nothing: staff hold the outbox.", "scangate outbox retry"))
    }
    guard let oldest = outbox.oldest, outbox.owed > 0, now - oldest > StationLimits.outboxPatience else { return .good }
    return .bad(
      AlertWords(
        "Ticket systems have not been told of \(outbox.owed) admissions, the oldest for \((now - oldest).asAge).",
        "scangate outbox status"))
  }

  private static func judgeConflicts(_ count: UInt64, areRecent: Bool) -> AlertEvidence {
    guard areRecent else { return .good }
    return .bad(
      AlertWords(
        "Ticket systems have contradicted admissions of this station: \(count) since the service was started.",
        "scangate journal conflicts"))
  }

  private static func judgeDisk(_ station: StationSnapshot) -> AlertEvidence {
    if station.journal.state == "failing" {
      return .bad(AlertWords("The journal keeps nothing: what happens now is not on the disk.", "scangate doctor"))
    }
    guard let disk = station.disk, disk.isFillingUp else { return .good }
    return .bad(AlertWords("The journal's disk is filling up: \(disk.words).", "scangate doctor"))
  }

  private static func judgeClock(_ station: StationSnapshot) -> AlertEvidence {
    if !station.isClockTrusted {
      return .bad(AlertWords("Nobody vouches for this machine's clock.", "timedatectl"))
    }
    let ahead = station.ticketSystems.compactMap(\.clockAhead).map { max($0, .zero - $0) }.max() ?? .zero
    if ahead > StationLimits.clockTolerance
      || station.ticketSystems.contains(where: { $0.fault?.reason == .clockWrong })
    {
      return .bad(AlertWords("This machine's clock is more than two minutes off a ticket system's.", "timedatectl"))
    }
    return .good
  }
}

/// Whether admissions were contradicted lately. A counter never goes back: it is the rise that is told.
package struct ConflictWatch: Sendable, Equatable {
  /// For how long one is new.
  package static let recent = Duration.seconds(900)

  /// How many were known of last.
  package private(set) var known: UInt64
  private var uptime = Duration.zero
  private var since: Duration?

  /// - Parameter known: how many were known of before.
  package init(known: UInt64 = 0) { self.known = known }

  /// Takes what a snapshot tells.
  /// - Returns: whether there was one lately.
  package mutating func take(_ count: UInt64, uptime now: Duration, after elapsed: Duration) -> Bool {
    // Counted since the start of the service: after another start the count begins anew.
    if now < uptime { known = 0 }
    uptime = now
    since = count > known || count > 0 && count < known ? .zero : since.map { $0 + max(elapsed, .zero) }
    known = count
    return since.map { $0 < Self.recent } ?? false
  }
}
