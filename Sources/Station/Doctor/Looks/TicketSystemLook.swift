internal import Gateway
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
internal import Sealing
internal import Service
internal import StationSetUp
internal import TicketLists
internal import TicketSystemKit
internal import TicketTransport

/// Asks a ticket system by a request that redeems nothing, and looks at its certificate.
struct TicketSystemLook {
  let keys: SealKeySource
  let credentials: CredentialResolver
  let file: String
  let patience: Duration

  func findings(_ system: TicketSystemConfiguration, _ completed: EnrolmentBook.Completed) async -> [Finding] {
    var one = completed
    one.configuration.ticketSystems = [system]
    one.configuration.control = nil
    let place = "ticketSystems.\(system.id)"
    let address = system.settingNames.flatMap { try? ServerAddress($0.address, allowPlainHTTP: true) }
    let patience = patience
    async let certificate = Self.certificate(address, place, patience)
    let list = board(system)
    let found = await OnlineCheck.findings(
      on: one, credentials: credentials, patience: patience, list: { _ in list })
    let judge = TicketSystemJudge(
      system: system.id, names: system.settingNames,
      gates: completed.configuration.gates.filter { $0.ticketSystem == system.id && $0.direction == .in }, file: file)
    var findings = found.map { judge.judge($0) } + judge.key(isTaken: found.contains { $0.kind == .good })
    findings += await certificate
    if let address, found.contains(where: { $0.kind == .fault || $0.kind == .away }),
      case .portal(let portal) = await PortalLook.ask(address, within: patience / 2)
    {
      findings.append(judge.behind(portal))
    }
    return findings
  }

  private static func certificate(
    _ address: ServerAddress?, _ place: String, _ patience: Duration
  ) async -> [Finding] {
    guard let address else { return [] }
    return await CertificateJudge.findings(address, place: place, within: patience)
  }

  /// The list on board: to some systems it is the answer.
  private func board(_ system: TicketSystemConfiguration) -> ListOnBoard? {
    let place = TicketListPlace(of: system, in: keys.state)
    guard (try? place.isPresent()) == true, let key = try? keys.open(making: false).key,
      let list = try? StoredTicketList(place, key: key)
    else { return nil }
    let clock = ClockTrust(time: SystemTime())
    return ListOnBoard(
      of: system.id, list, maxAge: system.list.maxAge, freshFor: system.list.freshFor, clock: { clock.now() })
  }
}

/// What is to be said of a ticket system that was asked. Pure.
struct TicketSystemJudge {
  let system: TicketSystemID
  let names: TicketSystemType.SettingNames?
  /// The gates that ask it.
  let gates: [GateConfiguration]
  let file: String

  private var place: String { "ticketSystems.\(system)" }

  private func finding(_ severity: Finding.Severity, _ words: String, _ cure: String? = nil) -> Finding {
    Finding(severity, .ticketSystems, place, words, cure: cure)
  }

  func judge(_ found: OnlineCheck.Finding) -> Finding {
    // The line begins with whom it is about, as the place does.
    let words = found.line.hasPrefix("\(place): ") ? String(found.line.dropFirst(place.count + 2)) : found.line
    switch found.kind {
    case .good: return finding(.good, words)
    case .doubt: return finding(.warning, words, "sudo timedatectl set-ntp true")
    case .fault:
      // No policy bridges a fault: it is no outage.
      return finding(gates.isEmpty ? .warning : .fault, words + effect(of: gates), cure(found.reason))
    case .away:
      let shut = gates.filter { $0.offline.rule == .refuse }
      return finding(shut.isEmpty ? .warning : .fault, words + effect(of: shut), cure(found))
    }
  }

  private func effect(of gates: [GateConfiguration]) -> String {
    gates.isEmpty ? "" : " Nobody is admitted at \(gates.map(\.id.name).joined(separator: ", "))."
  }

  /// The credential of the key, where it is one.
  private var credential: String? {
    guard let word = names?.key?.split(separator: " ").last, !word.hasPrefix("/") else { return nil }
    return CredentialStore.isName(String(word)) ? String(word) : nil
  }

  private func cure(_ reason: UndecidedReason?) -> String {
    let again = "scangate config check --online \(file)"
    switch reason {
    case .some(let reason) where reason.isOfKey:
      guard let credential else { return "Put the right key into its file, then: \(again)" }
      return "sudo scangate credential set \(credential) && sudo systemctl reload scangate"
    case .clockWrong: return "sudo timedatectl set-ntp true"
    default: return "sudo \(again)"
    }
  }

  private func cure(_ found: OnlineCheck.Finding) -> String {
    guard let host = names.flatMap({ try? ServerAddress($0.address, allowPlainHTTP: true) })?.host else {
      return "Hold its set-up code to a scanner of the station."
    }
    switch found.offline {
    case .noAddress: return "resolvectl query \(host)"
    case .noConnection, .timeOut, .none: return "ping \(host); ip route"
    case .gatewayFault, .rateLimited: return "Tell whoever runs \(host)."
    }
  }

  /// What else the key opens, where it is one that works.
  func key(isTaken: Bool) -> [Finding] {
    guard isTaken, let reach = names?.keyReach, let key = names?.key else { return [] }
    return [
      finding(
        .note, "The key (\(key)) \(reach). Keep it sealed, and have one made for this station alone.",
        credential == nil ? "sudo scangate credential set \(system), and write apiKey: \(system)" : nil)
    ]
  }

  /// A guest network's portal answers in its place.
  func behind(_ portal: String?) -> Finding {
    let sign = portal.map { " (\($0))" } ?? ""
    return finding(
      gates.contains { $0.offline.rule == .refuse } ? .fault : .warning,
      "A guest network's portal\(sign) stands between the station and the ticket system.", PortalLook.cure)
  }
}
