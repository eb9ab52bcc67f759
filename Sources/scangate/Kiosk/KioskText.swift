import WireText
import StationSetUp
import Gateway
import ScanModel

/// What the kiosk commands print.
enum KioskText {
  /// A configuration, as staff read it.
  static func lines(of configuration: ControlConfiguration) -> [String] {
    func line(_ label: String, _ value: String?) -> String? {
      value.map { label.padded(15) + TerminalText.clean($0) }
    }
    var lines = [
      line("Name", configuration.name), line("Room", configuration.roomName), line("Location", configuration.location),
      line("Department", configuration.department), line("Mode", configuration.mode),
      line("State", configuration.state.rawValue + (configuration.state.isOutOfService ? ": out of service" : "")),
    ].compactMap { $0 }
    if let window = configuration.maintenance {
      lines.append(
        "Maintenance".padded(15) + words(of: window)
          + (configuration.timeZone.map { ", \(TerminalText.clean($0))" } ?? ""))
    }
    let lockOut = configuration.lockOut
    lines.append(
      "Set-up codes".padded(15)
        + "none for \(lockOut.duration.milliseconds / 60_000) min after \(lockOut.attempts) were refused")
    lines.append("Fetched".padded(15) + "every \(configuration.refreshInterval.milliseconds / 1_000) s")
    if let updated = configuration.updated { lines.append("Changed".padded(15) + updated.iso8601) }
    lines += configuration.texts.sorted { $0.key < $1.key }.compactMap { line("Text", "\($0.key): \($0.value)") }
    lines += configuration.statusMessages.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap {
      line("Status text", "\($0.key.rawValue): \($0.value)")
    }
    if !configuration.ignored.isEmpty {
      lines.append(
        "Not applied".padded(15) + TerminalText.clean(configuration.ignored.joined(separator: ", "), limit: 1_000))
    }
    return lines
  }

  /// The health, as staff read it.
  static func lines(_ state: ControlState, _ health: ControlHealth, _ counters: ControlCounters) -> [String] {
    var lines = [
      "Server".padded(15) + (state.server?.name ?? "none")
        + (health.serverConnected ? ", answers" : ", does not answer")
    ]
    if let activation = state.activation {
      let since = state.activated.map { ", since \($0.iso8601)" } ?? ""
      lines.append("Activated".padded(15) + "as \(TerminalText.clean(activation.kioskID))\(since)")
    } else {
      lines.append("Activated".padded(15) + "no; the station is \(state.stationID)")
    }
    let until = state.activation?.expires.map { ", until \($0.iso8601)" } ?? ""
    let hasToken = state.activation?.token != nil
    lines.append(
      "Token".padded(15)
        + (!state.isActivated
          ? "none"
          : !health.tokenValid ? "not accepted" : hasToken ? "accepted\(until)" : "none of its own, and none is missed")
    )
    lines.append(
      "Configuration".padded(15)
        + (health.configAge.map { "\(max(0, $0.milliseconds / 1_000)) s old" } ?? "none")
        + (health.configCurrent ? ", current" : ", not current"))
    if let configuration = state.configuration { lines += Self.lines(of: configuration) }
    if let manual = state.manualStatus { lines.append("Status".padded(15) + "\(manual.rawValue), set by hand") }
    let refused = counters.refusals.values.reduce(0, &+)
    lines.append("Activations".padded(15) + "\(counters.activations), refused \(refused)")
    let faults = counters.faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    lines.append("Faults".padded(15) + (faults.isEmpty ? "none" : faults.joined(separator: ", ")))
    let times = ControlEndpoint.allCases.compactMap { endpoint -> String? in
      guard let one = counters.requests[endpoint.rawValue], one.count > 0 else { return nil }
      return "\(endpoint.rawValue) \(one.milliseconds / one.count) ms"
    }
    if !times.isEmpty { lines.append("Answers".padded(15) + "on average: " + times.joined(separator: ", ")) }
    return lines + health.words.map { TerminalText.clean($0, limit: 1_000) }
  }

  /// The health for programs; every key is always there.
  static func json(_ state: ControlState, _ health: ControlHealth, _ counters: ControlCounters) -> String {
    var line = JSONText()
    line.add("healthy", health.isHealthy)
    line.add("server_connected", health.serverConnected)
    line.add("token_valid", health.tokenValid)
    line.add("config_current", health.configCurrent)
    line.add("server", state.server?.name)
    line.add("station_id", state.stationID)
    line.add("kiosk_id", state.activation?.kioskID)
    line.add("activated_at", state.activated?.iso8601)
    line.add("attempted_at", state.attempted?.iso8601)
    line.add("token_expires_at", state.activation?.expires?.iso8601)
    line.add("token_refused_since", state.tokenRefusedSince?.iso8601)
    line.add("heard_at", health.heard?.iso8601)
    line.add("config_fetched_at", state.fetched?.iso8601)
    line.add("manual_status", state.manualStatus?.rawValue)
    line.add("configuration", object: state.configuration.map(json))
    line.add("counters", object: json(counters))
    line.add("words", texts: health.words)
    return line.text
  }

  private static func json(_ configuration: ControlConfiguration) -> String {
    var line = JSONText()
    line.add("id", configuration.id)
    line.add("name", configuration.name)
    line.add("room_name", configuration.roomName)
    line.add("location", configuration.location)
    line.add("department", configuration.department)
    line.add("mode", configuration.mode)
    line.add("state", configuration.state.rawValue)
    line.add("refresh_interval_s", configuration.refreshInterval.milliseconds / 1_000)
    line.add("time_zone", configuration.timeZone)
    line.add("maintenance", configuration.maintenance.map { words(of: $0) })
    line.add("lock_out_attempts", Int64(configuration.lockOut.attempts))
    line.add("lock_out_s", configuration.lockOut.duration.milliseconds / 1_000)
    line.add("updated_at", configuration.updated?.iso8601)
    var messages = JSONText()
    for (status, text) in configuration.statusMessages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      messages.add(status.rawValue, text)
    }
    line.add("status_messages", object: messages.text)
    var texts = JSONText()
    for (name, text) in configuration.texts.sorted(by: { $0.key < $1.key }) { texts.add(name, text) }
    line.add("texts", object: texts.text)
    line.add("ignored", texts: configuration.ignored)
    return line.text
  }

  private static func json(_ counters: ControlCounters) -> String {
    func counts<Key: RawRepresentable<String> & CaseIterable>(_ kind: Key.Type, _ values: [String: UInt64]) -> String {
      var line = JSONText()
      for key in kind.allCases { line.add(key.rawValue, Int64(clamping: values[key.rawValue] ?? 0)) }
      return line.text
    }
    var line = JSONText()
    line.add("activations", Int64(clamping: counters.activations))
    line.add("refusals", object: counts(SetUpRefusal.self, counters.refusals))
    line.add("configurations", Int64(clamping: counters.configurations))
    line.add("configuration_changes", Int64(clamping: counters.changes))
    line.add("faults", object: counts(ControlFaultKind.self, counters.faults))
    var requests = JSONText()
    for endpoint in ControlEndpoint.allCases {
      let one = counters.requests[endpoint.rawValue] ?? ControlCounters.Requests()
      var object = JSONText()
      object.add("count", Int64(clamping: one.count))
      object.add("total_ms", Int64(clamping: one.milliseconds))
      object.add("longest_ms", Int64(clamping: one.longest))
      object.add("succeeded_at", one.succeeded?.iso8601)
      requests.add(endpoint.rawValue, object: object.text)
    }
    line.add("requests", object: requests.text)
    return line.text
  }

  /// A maintenance window.
  static func words(of window: ControlConfiguration.MaintenanceWindow) -> String {
    let day =
      switch window.day {
      case .daily: "every day"
      case .weekly(let day):
        "every "
          + (["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"].dropFirst(max(0, day)).first
            ?? "?")
      case .monthly(let day): "on day \(day) of each month"
      }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(day) at \(two(window.minute / 60)):\(two(window.minute % 60)) for \(window.minutes) min"
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
