internal import LinuxIO
internal import ScanConfiguration

/// A unit of systemd, as `systemctl show` tells of it.
struct UnitState: Sendable, Equatable {
  /// Its name.
  var id: String
  /// `loaded`, `not-found`, `masked`.
  var load = ""
  /// `active`, `inactive`, `failed`, `activating`, `deactivating`, `reloading`.
  var active = ""
  /// More of that, such as `auto-restart`.
  var sub = ""
  /// Whether it starts with the machine: `enabled`, `disabled`, `masked`; empty where it cannot be told.
  var file = ""
  /// How it ended last: `success`, `exit-code`, `watchdog`, `oom-kill`.
  var result = ""
  /// How often systemd has started it anew since somebody did.
  var restarts = 0
  /// What its program ended with last.
  var status = 0
  /// Whether a watchdog looks after it.
  var hasWatchdog = false
  /// Whether its file has changed since systemd read it.
  var needsReload = false

  /// What systemd is asked for.
  static let properties = [
    "Id", "LoadState", "ActiveState", "SubState", "UnitFileState", "Result", "NRestarts", "ExecMainStatus",
    "WatchdogUSec",
    "NeedDaemonReload",
  ]

  /// Reads what it answers: lines of `NAME=value`, units apart by an empty line.
  static func read(_ text: String) -> [UnitState] {
    var units: [UnitState] = []
    var unit = UnitState(id: "")
    for line in (text + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
      guard !line.isEmpty else {
        if !unit.id.isEmpty { units.append(unit) }
        unit = UnitState(id: "")
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { continue }
      unit.take(parts[0], parts[1])
    }
    return units
  }

  private mutating func take(_ name: String, _ value: String) {
    switch name {
    case "Id": id = value
    case "LoadState": load = value
    case "ActiveState": active = value
    case "SubState": sub = value
    case "UnitFileState": file = value
    case "Result": result = value
    case "NRestarts": restarts = Int(value) ?? 0
    case "ExecMainStatus": status = Int(value) ?? 0
    case "WatchdogUSec": hasWatchdog = !["", "0", "infinity"].contains(value)
    case "NeedDaemonReload": needsReload = value == "yes"
    default: break
    }
  }

  /// The name, for `journalctl`: without what every service has.
  fileprivate var name: String { id.hasSuffix(".service") ? String(id.dropLast(8)) : id }

  /// Whether it runs.
  var isRunning: Bool { active == "active" || active == "reloading" }
}

/// Looks at the units of an installed station.
struct UnitLook {
  static let gateway = "scangate.service"
  static let holder = "scangate-outputs.service"
  static let console = "scangate-console.service"
  static let reports = "scangate-report.socket"

  let machine: Machine

  /// The units; `nil` where no systemd can be asked.
  func units() async -> [UnitState]? {
    guard machine.has("/run/systemd/system") else { return nil }
    let program = machine.path("/usr/bin/systemctl")
    let arguments = [
      "show", "--property=" + UnitState.properties.joined(separator: ","), Self.gateway, Self.holder,
      Self.console, Self.reports,
    ]
    return await SystemThread.run("systemctl") {
      let output = try? SystemProgram.output(of: program, arguments, upTo: 65_536, within: .seconds(2))
      return output?.status == 0 ? output.map { UnitState.read($0.text) } : nil
    }
  }

  /// What the units say.
  /// - Parameters:
  ///   - gateway: the process that has the station's journal; `nil` where none has.
  ///   - isInstalled: whether it is the station that the package has installed.
  static func judge(_ units: [UnitState]?, gateway: Int32?, isInstalled: Bool) -> [Finding] {
    let unit = units?.first { $0.id == Self.gateway }
    guard let unit, unit.load != "not-found" else {
      let why = units == nil ? "No systemd can be asked here" : "\(Self.gateway) is not installed"
      guard let gateway else {
        return [
          Finding(
            isInstalled ? .fault : .note, .service, Self.gateway, "\(why), and no gateway runs with this state folder.",
            cure: isInstalled ? "sudo apt-get install --reinstall scangate" : "scangate run --config FILE")
        ]
      }
      return [Finding(.good, .service, "process \(gateway)", "The gateway runs. \(why).")]
    }
    guard unit.isRunning || gateway == nil else {
      return [
        Finding(
          .warning, .service, unit.id,
          "The gateway runs as process \(gateway ?? 0), and not as the service: nobody starts it anew.",
          cure: "End it, then: sudo systemctl start scangate")
      ]
    }
    var findings = judge(unit)
    if let outputs = units?.first(where: { $0.id == Self.holder }) { findings += judge(holder: outputs) }
    return findings
  }

  /// What the units of whoever shows the station say, where the file has a section for it: no gate needs them.
  static func judge(faces units: [UnitState]?, _ console: ConsoleConfiguration?) -> [Finding] {
    guard let console else { return [] }
    func unit(_ id: String) -> UnitState? { units?.first { $0.id == id && $0.load != "not-found" } }
    var findings: [Finding] = []
    if let unit = unit(Self.console) {
      findings.append(
        judge(
          face: unit, "The console", without: "nobody is shown anything",
          // sysexits.h: the configuration, or a file that it names.
          failed: unit.status == 78 ? "scangate config check && sudo systemctl restart \(unit.name)" : nil))
    }
    if console.hasPages, let unit = unit(reports) {
      findings.append(
        judge(face: unit, "Who makes reports", without: "no report is made, and no page shows the journal"))
    }
    return findings
  }

  /// - Parameters:
  ///   - name: who it is.
  ///   - loss: what is not, without it.
  ///   - cure: what cures it where it has failed; `nil` for looking at why.
  private static func judge(
    face unit: UnitState, _ name: String, without loss: String, failed cure: String? = nil
  ) -> Finding {
    let log = "journalctl -u \(unit.name) -n 50"
    func finding(_ severity: Finding.Severity, _ words: String, _ cure: String? = nil) -> Finding {
      Finding(severity, .service, unit.id, words, cure: cure)
    }
    if unit.load == "masked" {
      return finding(
        .warning, "\(name) is masked: \(loss).",
        "sudo systemctl unmask \(unit.id) && sudo systemctl enable --now \(unit.id)")
    }
    guard unit.isRunning else {
      if unit.active == "failed" {
        return finding(.warning, "\(name) has failed (\(unit.ending)): \(loss).", cure ?? log)
      }
      if unit.sub == "auto-restart" || unit.active == "activating" && unit.restarts > 0 {
        return finding(
          .warning, "\(name) ends again and again (\(unit.ending)), \(unit.restarts) times so far: \(loss).", log)
      }
      if unit.active == "activating" { return finding(.note, "\(name) is just starting.") }
      return finding(.warning, "\(name) does not run: \(loss).", "sudo systemctl enable --now \(unit.id)")
    }
    if unit.restarts > 0 {
      let times = unit.restarts == 1 ? "once" : "\(unit.restarts) times"
      return finding(.warning, "\(name) was started anew \(times) since somebody started it.", log)
    }
    if unit.file == "disabled" {
      return finding(.warning, "\(name) does not start with the machine.", "sudo systemctl enable \(unit.id)")
    }
    return finding(.good, unit.id.hasSuffix(".socket") ? "\(name) is there when asked." : "\(name) runs.")
  }

  private static func judge(_ unit: UnitState) -> [Finding] {
    let log = "journalctl -u scangate -n 50"
    func finding(_ severity: Finding.Severity, _ words: String, _ cure: String?) -> Finding {
      Finding(severity, .service, unit.id, words, cure: cure)
    }
    if unit.load == "masked" {
      return [finding(.fault, "It is masked: nothing starts it.", "sudo systemctl unmask --now scangate")]
    }
    guard unit.isRunning else {
      if unit.sub == "auto-restart" || unit.active == "activating" && unit.restarts > 0 {
        return [finding(.fault, "It ends again and again (\(unit.ending)), \(unit.restarts) times so far.", log)]
      }
      if unit.active == "failed" {
        // sysexits.h: the configuration; the service manager does not start it again.
        let cure = unit.status == 78 ? "scangate config check && sudo systemctl start scangate" : log
        return [finding(.fault, "It has failed (\(unit.ending)).", cure)]
      }
      if unit.active == "activating" { return [finding(.warning, "It is just starting.", "sudo scangate doctor")] }
      return [finding(.fault, "It does not run.", "sudo systemctl start scangate")]
    }
    var findings: [Finding] = []
    if unit.restarts > 0 {
      let times = unit.restarts == 1 ? "once" : "\(unit.restarts) times"
      findings.append(finding(.warning, "It was started anew \(times) since somebody started it.", log))
    }
    if unit.file == "disabled" {
      findings.append(
        finding(.warning, "It does not start with the machine.", "sudo systemctl enable scangate"))
    }
    if !unit.hasWatchdog {
      findings.append(
        finding(
          .warning, "No watchdog looks after it: nobody ends it should it hang.", "sudo systemctl revert scangate"))
    }
    if unit.needsReload {
      findings.append(finding(.note, "Its unit has changed since systemd read it.", "sudo systemctl daemon-reload"))
    }
    return findings.isEmpty ? [finding(.good, "It runs, and its watchdog looks after it.", nil)] : findings
  }

  private static func judge(holder unit: UnitState) -> [Finding] {
    guard unit.load != "not-found" else { return [] }
    guard unit.isRunning else {
      return [
        Finding(
          .fault, .service, unit.id, "The holder of the outputs does not run (\(unit.ending)): no gate opens.",
          cure: "sudo systemctl start scangate-outputs.socket scangate-outputs")
      ]
    }
    guard unit.restarts > 0 else { return [] }
    return [
      Finding(
        .warning, .service, unit.id, "The holder of the outputs was started anew \(unit.restarts) times.",
        cure: "journalctl -u scangate-outputs -n 50")
    ]
  }
}

extension UnitState {
  /// How it ended, in words.
  fileprivate var ending: String {
    switch result {
    case "watchdog": "ended by its watchdog: it hung"
    case "oom-kill": "ended for want of memory"
    case "exit-code": "its program ended with \(status)"
    case "success", "": active
    default: result
    }
  }
}
