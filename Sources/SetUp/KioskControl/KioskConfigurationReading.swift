internal import WireText
internal import ScanModel
internal import TicketTransport

/// Reads what the service wants a station to be, in all the shapes that servers have: the document's, whose parts are typed in
/// the service's own sources, and the flat ones of the real servers. Pure.
///
/// Each field is read by itself: one of a wrong type is left out, and the rest holds. What could bear on a gate's opening
/// (`integrations`, tickets, outputs, PINs) has no place to go to: it is told by its name, and by nothing else.
enum KioskConfigurationReading {
  /// Reads an object.
  /// - Parameter secrets: what texts and names must not show.
  /// - Returns: `nil` where nothing in it says what a station is to be (`{}`, or another object): no configuration.
  static func read(_ document: JSONValue, hiding secrets: [Redaction]) -> ControlConfiguration? {
    guard case .object = document else { return nil }
    var reader = FieldReader(document, hiding: secrets)
    // What belongs to the envelope.
    reader.pass(over: ["success", "timestamp", "message"])
    var configuration = ControlConfiguration()
    naming(&configuration, &reader)
    state(&configuration, &reader)
    settings(&configuration, &reader)
    security(&configuration, &reader)
    maintenance(&configuration, &reader)
    configuration.ignored = reader.ignored
    return reader.hasRead ? configuration : nil
  }

  private static func naming(_ configuration: inout ControlConfiguration, _ reader: inout FieldReader) {
    let id = reader.identifier("id")
    configuration.id = reader.identifier("kioskId") ?? id
    configuration.name = reader.text("name")
    configuration.roomName = reader.text("roomName")
    configuration.location = reader.text("location")
    configuration.department = reader.text("department")
    configuration.mode = reader.text("mode")
    configuration.updated = reader.time("updatedAt")
  }

  private static func state(_ configuration: inout ControlConfiguration, _ reader: inout FieldReader) {
    readState(&configuration, &reader)
    if !configuration.isStateTold,
      let room = reader.word("status", room)
    {
      // The word of the room: staff see it, gates do not.
      configuration.texts["status"] = room
    }

    for name in ["openMsg", "closedMsg", "errorMsg", "currentStatus"] + messages {
      configuration.texts[name] = reader.text(name)
    }
    reader.inside("statusMessages") { part in
      for status in StationStatus.allCases {
        configuration.statusMessages[status] =
          part.text(status.rawValue) ?? (status == .inUse ? part.text("inUse") : nil)
      }
    }
    reader.inside("ui") { ui in
      read(messages, of: &ui, into: &configuration)
      ui.inside("branding") { branding in
        read(["organizationName", "footerText", "supportContact"], of: &branding, into: &configuration)
      }
    }
  }

  /// Reads the state alone: a service may say it beside what it puts into an envelope.
  static func readState(of document: JSONValue, into configuration: inout ControlConfiguration) {
    guard case .object = document else { return }
    var reader = FieldReader(document, hiding: [])
    readState(&configuration, &reader)
  }

  private static func readState(_ configuration: inout ControlConfiguration, _ reader: inout FieldReader) {
    // A state that is spelt differently, or not to be read, must never look like one at work.
    if let state = reader.word(
      "status",
      {
        ControlConfiguration.State(rawValue: $0.lowercased().filter { !$0.isWhitespace })
      })
    {
      configuration.state = state
      configuration.isStateTold = true
    }
    // A word that nobody can read beside others that say "at work": those do not end what held before.
    let isOpen = configuration.isStateTold || reader.word("status", room) != nil || !reader.has("status")
    // What the earlier servers call it: a sign of three positions, and whether it is hung out at all.
    switch reader.flag("statusEnabled") {
    case true?:
      let sign = reader.word("currentStatus") {
        ["open": ControlConfiguration.State.active, "closed": .inactive, "error": .maintenance][$0.lowercased()]
      }
      if let sign, sign.isOutOfService || (isOpen && !configuration.isStateTold) {
        configuration.state = sign
        configuration.isStateTold = true
      }
    case false? where isOpen: configuration.isStateTold = true
    default: break
    }
    let switches = [reader.flag("active"), reader.flag("isActive")].compactMap(\.self)
    guard isOpen ? !switches.isEmpty : switches.contains(false) else { return }
    configuration.isStateTold = true
    // Whoever switches it off is believed, whatever the other field says.
    if switches.contains(false), !configuration.state.isOutOfService { configuration.state = .inactive }
  }

  /// A status of the room, in either spelling; another word is no status.
  private static func room(_ word: String) -> String? {
    StationStatus(rawValue: word) != nil || word == "inUse" ? word : nil
  }

  private static func settings(_ configuration: inout ControlConfiguration, _ reader: inout FieldReader) {
    reader.inside("settings") { settings in
      if let seconds = settings.number("refreshInterval") {
        configuration.refreshInterval = .seconds(Int(min(max(seconds, 30), 3_600)))
      }
      configuration.timeZone = settings.zone("timezone")
      settings.inside("behavior") { behavior in
        read(messages, of: &behavior, into: &configuration)
      }
    }
  }

  private static func security(_ configuration: inout ControlConfiguration, _ reader: inout FieldReader) {
    reader.inside("security") { security in
      if let attempts = security.number("maxFailedAttempts") {
        configuration.isLockOutTold = true
        configuration.lockOut.attempts = Int(min(max(attempts, 3), 20))
      }
      if let minutes = security.number("sessionTimeout") {
        configuration.sessionTimeout = .seconds(60 * Int(min(max(minutes, 1), 1_440)))
      }
      if let minutes = security.number("lockoutDuration") {
        configuration.isLockOutTold = true
        configuration.lockOut.duration = .seconds(60 * Int(min(max(minutes, 1), 60)))
      }
    }
  }

  private static func maintenance(_ configuration: inout ControlConfiguration, _ reader: inout FieldReader) {
    reader.inside("maintenance") { maintenance in
      let isEnabled = maintenance.bool("enabled")
      var window: ControlConfiguration.MaintenanceWindow?
      maintenance.inside("schedule") { schedule in
        window = Self.window(&schedule)
      }
      maintenance.inside("notifications") { notifications in
        configuration.texts["maintenanceMessage"] = notifications.text("message")
      }
      // One that is meant and cannot be read does not end the one before.
      if isEnabled == true { configuration.maintenance = window }
      configuration.isMaintenanceTold = isEnabled == false || configuration.maintenance != nil
    }
  }

  private static func window(_ schedule: inout FieldReader) -> ControlConfiguration.MaintenanceWindow? {
    let type = schedule.text("type")
    let weekday = schedule.whole("dayOfWeek", in: 0...6)
    let day = schedule.whole("dayOfMonth", in: 1...31)
    let minute = schedule.clock("time")
    guard let duration = schedule.number("duration"), duration >= 1, let minute else { return nil }
    let minutes = Int(min(duration, 1_440))
    switch type {
    case "daily": return .init(day: .daily, minute: minute, minutes: minutes)
    case "weekly": return weekday.map { .init(day: .weekly($0), minute: minute, minutes: minutes) }
    case "monthly": return day.map { .init(day: .monthly($0), minute: minute, minutes: minutes) }
    default: return nil
    }
  }

  /// Texts for people that servers have in one place or another.
  private static let messages = [
    "welcomeMessage", "thankYouMessage", "errorMessage", "offlineMessage", "helpMessage",
  ]

  private static func read(
    _ names: [String], of reader: inout FieldReader, into configuration: inout ControlConfiguration
  ) {
    for name in names {
      if let text = reader.text(name) { configuration.texts[name] = text }
    }
  }
}
