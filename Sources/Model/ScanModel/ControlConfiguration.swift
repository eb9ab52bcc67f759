/// What a control service wants a station to be, as far as it bears on it. Everything in it is bounded, and text is cleaned.
///
/// It can take a station out of service and never open a gate: nothing in it names outputs, ticket systems, offline policies
/// or credentials.
public struct ControlConfiguration: Sendable, Equatable, Codable {
  /// The station's identifier at the service.
  public var id: String?
  /// Its name, for staff.
  public var name: String?
  /// The room that it stands in, for staff.
  public var roomName: String?
  /// Where that is, for staff.
  public var location: String?
  /// Whose it is, for staff.
  public var department: String?
  /// What it is for: `it`, `operations`, `facilities`, `bathroom`, `custom`, or another word of the service.
  public var mode: String?
  /// How it is to be.
  public var state = State.active
  /// Whether the service has said that in a word that can be read; where not, what it said before holds.
  public var isStateTold = false
  /// Whether it has said what its maintenance is; likewise.
  public var isMaintenanceTold = false
  /// Whether it has said when trying codes is stopped; likewise.
  public var isLockOutTold = false
  /// How often the configuration is fetched, 30 s to 1 h.
  public var refreshInterval = Self.usualRefresh
  /// The texts for each status.
  public var statusMessages: [StationStatus: String] = [:]
  /// Other texts for people, by the service's own names (`welcomeMessage`, `offlineMessage`, …).
  public var texts: [String: String] = [:]
  /// When trying set-up codes is stopped.
  public var lockOut = LockOut()
  /// When the station is out of service.
  public var maintenance: MaintenanceWindow?
  /// The zone in which windows are meant (IANA); `nil` for the machine's own.
  public var timeZone: String?
  /// When the service changed it last.
  public var updated: WallTime?
  /// What was in the answer and is not applied here, by the names of the service; sorted, at most 64.
  public var ignored: [String] = []

  /// Makes a configuration in which the service has said nothing.
  public init() {}

  /// How often a configuration is fetched where the service does not say.
  public static let usualRefresh = Duration.seconds(300)

  /// How a station is to be.
  public enum State: String, Sendable, Codable, CaseIterable {
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
    public var isOutOfService: Bool { self == .inactive || self == .maintenance }
  }

  /// After how many set-up codes that were refused no further one is taken for a while.
  public struct LockOut: Sendable, Equatable, Codable {
    /// How many, 3 to 20.
    public var attempts = 5
    /// For how long, 1 to 60 min.
    public var duration = Duration.seconds(60)

    /// Makes the rule that holds where the service has none.
    public init() {}
  }

  /// A time that comes again and again in which the station is out of service.
  public struct MaintenanceWindow: Sendable, Equatable, Codable {
    /// On which days it begins.
    public enum Day: Sendable, Equatable, Codable {
      case daily
      /// 0 is Sunday, 6 Saturday.
      case weekly(Int)
      /// 1 to 31; in a shorter month its last day.
      case monthly(Int)
    }

    /// On which days it begins.
    public var day: Day
    /// When it begins, in minutes since midnight, 0 to 1439.
    public var minute: Int
    /// How long it lasts, 1 to 1440 min.
    public var minutes: Int

    /// Makes a window.
    public init(day: Day, minute: Int, minutes: Int) {
      self.day = day
      self.minute = minute
      self.minutes = minutes
    }
  }
}
