internal import LinuxIO
package import ScanConfiguration
internal import ScanModel
package import Sealing
internal import Service
package import StationProtocol
package import StationSetUp
package import TicketSystemKit

/// A look at everything that a station needs to admit. It redeems nothing, moves nothing, and changes nothing at the gates; the service
/// may run or not.
package struct CheckUp: Sendable {
  /// How the running service says that it is, or why it does not.
  package typealias RunningService = @Sendable () async -> Result<StationSnapshot, StationAbsence>

  /// The program's version.
  package var version: String
  /// The configuration's file.
  package var file: String
  /// What reading it gave.
  package var reading: ConfigurationReading
  /// The station's state folder and key.
  package var keys: SealKeySource
  /// Where keys are that the configuration names.
  package var credentials: CredentialResolver
  /// The machine.
  package var machine: Machine
  /// Asks the running service, where one runs; `nil` where nobody can.
  package var service: RunningService?
  /// Looks at the files of the processes beside the gateway; `nil` where nobody does.
  package var faces: (@Sendable (StationConfiguration) -> [Finding])?
  /// How long each look may take: a station that is well answers in far less.
  package var patience = Duration.seconds(3)

  package init(
    version: String, file: String, reading: ConfigurationReading, keys: SealKeySource, credentials: CredentialResolver,
    machine: Machine = Machine(), service: RunningService? = nil
  ) {
    self.version = version
    self.file = file
    self.reading = reading
    self.keys = keys
    self.credentials = credentials
    self.machine = machine
    self.service = service
  }

  /// Looks at everything at once; what hangs is left behind and named.
  package func report() async -> Report {
    let time = SystemTime()
    let began = time.now()
    let units = await UnitLook(machine: machine).units()
    let gateway = await gateway()
    var findings = UnitLook.judge(units, gateway: gateway, isInstalled: isInstalled)
    if isInstalled { findings += UnitLook.judge(faces: units, reading.configuration?.console) }
    findings += ConfigurationLook.judge(reading, file: file)
    let isRunning = isRunning(units, gateway)
    var told: StationSnapshot?
    var said: [Finding] = []
    if isRunning, let service {
      switch await service() {
      // One of another station on this machine says nothing of this one.
      case .success(let station) where station.station == reading.configuration?.name:
        said = ServiceLook.findings(station, program: version)
        told = station
      case .success: break
      case .failure(let absence): findings.append(ServiceLook.finding(absence))
      }
    }
    let looks = looks(isRunning: isRunning, told)
    let patience = patience
    await withTaskGroup(of: [Finding].self) { group in
      for look in looks { group.addTask { await look.findings(within: patience) } }
      for await found in group { findings += found }
    }
    findings += ServiceLook.rest(of: said, beside: findings)
    return Report(
      station: reading.configuration?.name, version: version, at: time.wall(), took: time.now() - began,
      findings: findings)
  }

  /// Whether a gateway runs with this station's state folder, or as its service.
  package var isServiceRunning: Bool {
    get async {
      let units = await UnitLook(machine: machine).units()
      return isRunning(units, await gateway())
    }
  }

  /// The process that has the station's journal; `nil` where none has. Its files are looked at on a thread of its own.
  private func gateway() async -> Int32? {
    let (keys, machine) = (keys, machine)
    return await SystemThread.run("doctor") { RunningGateway.holder(ofStateFolder: keys.state, in: machine) }
  }

  private func isRunning(_ units: [UnitState]?, _ gateway: Int32?) -> Bool {
    gateway != nil || isInstalled && units?.contains { $0.id == UnitLook.gateway && $0.isRunning } == true
  }

  /// Whether it is the station that the package has installed, by where its configuration lies.
  private var isInstalled: Bool { file == "/etc/scangate/scangate.yaml" }

  /// The configuration with what set-up codes have brought.
  package var completed: EnrolmentBook.Completed? {
    reading.configuration.map { EnrolmentBook(keys: keys).complete($0) }
  }

  /// - Parameter told: what the running service has told; what it knows better is not looked at.
  private func looks(isRunning: Bool, _ told: StationSnapshot?) -> [Look] {
    let (machine, keys, file, isInstalled) = (machine, keys, file, isInstalled)
    let configuration = reading.configuration
    var looks = [
      Look(.permissions, "files of the station") {
        PermissionLook(machine: machine, keys: keys, file: file, isInstalled: isInstalled).findings(configuration)
      },
      Look(.udev, "udev's rules") { UdevLook(machine: machine).findings() },
      Look(.disk, keys.state) { DiskLook.findings(keys.state, configuration?.journal) },
      Look(.clock, "clock") { ClockLook.judge(isSynchronised: KernelClock.shared.isSynchronised) },
      Look(.board, "board") { BoardLook(machine: machine).findings() },
      Look(.journal, "journal") {
        JournalLook(keys: keys, isRunning: isRunning, isOutboxTold: told != nil).findings()
      },
    ]
    guard let configuration, let completed else { return looks }
    let (credentials, patience, version) = (credentials, patience, version)
    looks += [
      Look(.readers, "readers") {
        ReaderLook(machine: machine, told: Set(told?.readers.map(\.id) ?? [])).findings(configuration)
      },
      Look(.outputs, "outputs") { OutputLook(machine: machine).findings(configuration) },
    ]
    if let faces { looks.append(Look(.permissions, "files of console and bridge") { faces(configuration) }) }
    let ownLists = completed.configuration.ticketSystems.filter { system in
      told?.ticketSystems.contains { $0.id == system.id && $0.list != nil } != true
    }
    var untold = completed.configuration
    untold.ticketSystems = ownLists
    looks.append(Look(.lists, "lists on board") { [untold] in ListLook(keys: keys).findings(untold) })
    for system in completed.configuration.ticketSystems {
      looks.append(
        Look(
          .ticketSystems, "ticketSystems.\(system.id)",
          asking: {
            await TicketSystemLook(keys: keys, credentials: credentials, file: file, patience: patience)
              .findings(system, completed)
          }))
    }
    if let fleet = configuration.fleet {
      looks.append(
        Look(
          .fleet, "fleet",
          asking: {
            let found = await FleetCheck.findings(on: configuration, credentials: credentials, patience: patience)
            return found.map { FleetJudge(fleet: fleet, file: file).judge($0) }
          }))
    }
    if let control = configuration.control, told?.control != nil {
      looks.append(
        Look(
          .control, "control",
          asking: { await CertificateJudge.findings(control.url, place: "control.url", within: patience) }))
    } else if configuration.control != nil {
      looks.append(
        Look(
          .control, "control",
          asking: {
            await ControlLook(keys: keys, credentials: credentials, version: version, patience: patience)
              .findings(configuration)
          }))
    }
    return looks
  }
}

/// One look: what it is about, and how it is made.
struct Look: Sendable {
  private let area: Finding.Area
  private let place: String
  private let body: @Sendable () async -> [Finding]

  /// A look that waits for others.
  init(_ area: Finding.Area, _ place: String, asking body: @escaping @Sendable () async -> [Finding]) {
    self.area = area
    self.place = place
    self.body = body
  }

  /// A look that may block: it has a thread of its own.
  init(_ area: Finding.Area, _ place: String, _ body: @escaping @Sendable () -> [Finding]) {
    self.init(area, place, asking: { await SystemThread.run("doctor") { body() } })
  }

  /// What it finds; that it hangs, where it takes longer than twice `patience`: it may wait for one thing after another.
  func findings(within patience: Duration) async -> [Finding] {
    let answer = OneAnswer<[Finding]?>()
    let body = body
    Task { answer.give(await body()) }
    if let found = await answer.first(within: patience * 2, else: nil) { return found }
    return [
      Finding(
        .warning, area, place, "it could not be looked at in time: a disk or a device hangs.",
        cure: "dmesg | tail -n 50")
    ]
  }
}
