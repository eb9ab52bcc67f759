/// What a control service wants a station to be, as far as it bears on it. Everything in it is bounded, and text is cleaned.
///
/// It can take a station out of service and never open a gate: nothing in it names outputs, ticket systems, offline policies
/// or credentials.
package struct ControlConfiguration: Sendable, Equatable, Codable {
  /// The station's identifier at the service.
  package var id: String?
  /// Its name, for staff.
  package var name: String?
  /// The room that it stands in, for staff.
  package var roomName: String?
  /// Where that is, for staff.
  package var location: String?
  /// Whose it is, for staff.
  package var department: String?
  /// What it is for: `it`, `operations`, `facilities`, `bathroom`, `custom`, or another word of the service.
  package var mode: String?
  /// How it is to be.
  package var state = State.active
  /// Whether the service has said that in a word that can be read; where not, what it said before holds.
  package var isStateTold = false
  /// Whether it has said what its maintenance is; likewise.
  package var isMaintenanceTold = false
  /// Whether it has said when trying codes is stopped; likewise.
  package var isLockOutTold = false
  /// How often the configuration is fetched, 30 s to 1 h.
  package var refreshInterval = Self.usualRefresh
  /// The texts for each status.
  package var statusMessages: [StationStatus: String] = [:]
  /// Other texts for people, by the service's own names (`welcomeMessage`, `offlineMessage`, …).
  package var texts: [String: String] = [:]
  /// When trying set-up codes is stopped.
  package var lockOut = LockOut()
  /// After how long without a hand on it a session of staff ends, 1 min to 24 h; `nil` where the service does not say.
  package var sessionTimeout: Duration?
  /// When the station is out of service.
  package var maintenance: MaintenanceWindow?
  /// The zone in which windows are meant (IANA); `nil` for the machine's own.
  package var timeZone: String?
  /// When the service changed it last.
  package var updated: WallTime?
  /// What was in the answer and is not applied here, by the names of the service; sorted, at most 64.
  package var ignored: [String] = []

  /// Makes a configuration in which the service has said nothing.
  package init() {}

  /// How often a configuration is fetched where the service does not say.
  package static let usualRefresh = Duration.seconds(300)

  /// How a station is to be.
  package enum State: String, Sendable, Codable, CaseIterable {
    /// At work.
    case active
    /// Switched off by the service.
    case inactive
    /// Being worked on.
    case maintenance
    /// What the service thinks of it; changes nothing.
    case offline
    case error

    /// Whether gates are out of service by it.
    package var isOutOfService: Bool { self == .inactive || self == .maintenance }
  }

  /// After how many set-up codes that were refused no further one is taken for a while.
  package struct LockOut: Sendable, Equatable, Codable {
    /// How many, 3 to 20.
    package var attempts = 5
    /// For how long, 1 to 60 min.
    package var duration = Duration.seconds(60)

    /// Makes the rule that holds where the service has none.
    package init() {}
  }

  /// A time that comes again and again in which the station is out of service.
  package struct MaintenanceWindow: Sendable, Equatable, Codable {
    /// On which days it begins.
    package enum Day: Sendable, Equatable, Codable {
      case daily
      /// 0 is Sunday, 6 Saturday.
      case weekly(Int)
      /// 1 to 31; in a shorter month its last day.
      case monthly(Int)
    }

    /// On which days it begins.
    package var day: Day
    /// When it begins, in minutes since midnight, 0 to 1439.
    package var minute: Int
    /// How long it lasts, 1 to 1440 min.
    package var minutes: Int

    package init(day: Day, minute: Int, minutes: Int) {
      self.day = day
      self.minute = minute
      self.minutes = minutes
    }
  }
}
