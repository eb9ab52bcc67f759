public import FoundationEssentials
public import Logging

/// What an embedded venue needs to know before it starts.
public struct VenueConfiguration: Sendable {
  /// Where the venue keeps its events, sales and entries.
  public enum Storage: Sendable, Equatable {
    /// Nothing outlives the process.
    case memory
    /// One SQLite file (with its `-wal` and `-shm` companions), created when absent.
    case file(String)
  }

  /// How the requests of one address are limited to 60.
  public enum RateModel: String, Sendable, CaseIterable {
    /// 60 in a window of 60 s that begins with its first request: what the document promises.
    case window
    /// 60 since the last pause of 60 s: what the real server does, because each accepted request restarts the life of
    /// its counter.
    case pause
  }

  /// The address to listen on. Loopback unless somebody asks for more: the venue speaks plain HTTP.
  public var host: String
  /// The TCP port; 0 takes a free one, which `VenueServer.run` then tells.
  public var port: Int
  /// Where the data are.
  public var storage: Storage
  /// The rate model in force.
  public var rateModel: RateModel
  /// No rate limit and no block of failing keys: for benches only.
  public var noLimits: Bool
  /// The pause before an unknown key is answered. The real server takes 250 ms.
  public var failureDelay: Duration
  /// The clock of the venue: today, `scanned_at`, the `Date` header, limits and blocks all follow it.
  public var now: @Sendable () -> Date
  /// How the venue misbehaves from its start; see `VenueServer.misbehave` for later.
  public var misbehaviours: [Misbehaviour]
  /// The path of a Unix socket on which the venue is told to misbehave and asked for its book; nil for none. Only the
  /// user of this process and root can open it, and nobody through the address that tickets are scanned at.
  public var controlSocket: String?
  /// Told of starts, answers (method, route, status) and faults; never of keys or codes.
  public var logger: Logger

  /// A venue on a free loopback port with its data in memory, unless told otherwise.
  public init(
    host: String = "127.0.0.1", port: Int = 0, storage: Storage = .memory, rateModel: RateModel = .pause,
    noLimits: Bool = false, failureDelay: Duration = .milliseconds(250),
    now: @escaping @Sendable () -> Date = { Date() }, misbehaviours: [Misbehaviour] = [], controlSocket: String? = nil,
    logger: Logger = Logger(label: "venue", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    self.host = host
    self.port = port
    self.storage = storage
    self.rateModel = rateModel
    self.noLimits = noLimits
    self.failureDelay = failureDelay
    self.now = now
    self.misbehaviours = misbehaviours
    self.controlSocket = controlSocket
    self.logger = logger
  }
}

/// Where a running venue is reached.
public struct VenueAddress: Sendable, Equatable {
  /// The host as configured.
  public let host: String
  /// The bound port, never 0.
  public let port: Int

  /// The base URL for a client, without a trailing slash.
  public var url: String {
    "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}
