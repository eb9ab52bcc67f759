package import FoundationEssentials
package import Logging

/// What an embedded venue needs to know before it starts.
package struct VenueConfiguration: Sendable {
  /// Where the venue keeps its events, sales and entries.
  package enum Storage: Sendable, Equatable {
    /// Nothing outlives the process.
    case memory
    /// One SQLite file (with its `-wal` and `-shm` companions), created when absent.
    case file(String)
  }

  /// How the requests of one address are limited to 60.
  package enum RateModel: String, Sendable, CaseIterable {
    /// 60 in a window of 60 s that begins with its first request: what the document promises.
    case window
    /// 60 since the last pause of 60 s: what the real server does, because each accepted request restarts the life of
    /// its counter.
    case pause
  }

  /// The address to listen on. Loopback unless somebody asks for more: without `tls` the venue speaks plain HTTP.
  package var host: String
  /// The TCP port; 0 takes a free one, which `VenueServer.run` then tells.
  package var port: Int
  /// Where the data are.
  package var storage: Storage
  /// The rate model in force.
  package var rateModel: RateModel
  /// No rate limit and no block of failing keys: for benches only.
  package var noLimits: Bool
  /// The pause before an unknown key is answered. The real server takes 250 ms.
  package var failureDelay: Duration
  /// Whether a secret is found in any case, as MySQL's usual collations look it up.
  package var ignoresCase: Bool
  /// The clock of the venue: today, `scanned_at`, the `Date` header, limits and blocks all follow it.
  package var now: @Sendable () -> Date
  /// How the venue misbehaves from its start; see `VenueServer.misbehave` for later.
  package var misbehaviours: [Misbehaviour]
  /// The path of a Unix socket on which the venue is told to misbehave and asked for its book; nil for none. Only the
  /// user of this process and root can open it, and nobody through the address that tickets are scanned at.
  package var controlSocket: String?
  /// The files for TLS; nil for plain HTTP. The control socket needs none.
  package var tls: VenueTLS?
  /// The address at which stations reach the venue, without a slash at its end; nil for the one that they use.
  package var publicURL: String?
  /// Which server it passes for beyond the ticket scanning API; nil for that API alone.
  package var serverShape: ServerShape?
  /// Which kiosk service it passes for.
  package var kioskShape: KioskShape
  /// What a kiosk shows to be registered, and in some shapes with each request; nil where any will do.
  package var kioskToken: String?
  /// How long a kiosk's own token is good.
  package var kioskTokenLife: Duration
  /// Which subscription service it passes for; nil for none.
  package var subscriptionShape: SubscriptionShape?
  /// Whether it signs tickets and redeems them as well.
  package var signsTickets: Bool
  /// Which booking service it passes for; nil for none.
  package var bookingShape: BookingShape?
  /// Told of starts, answers (method, route, status) and faults; never of keys or codes.
  package var logger: Logger

  /// A venue on a free loopback port with its data in memory, unless told otherwise.
  package init(
    host: String = "127.0.0.1", port: Int = 0, storage: Storage = .memory, rateModel: RateModel = .pause,
    noLimits: Bool = false, failureDelay: Duration = .milliseconds(250), ignoresCase: Bool = false,
    now: @escaping @Sendable () -> Date = { Date() }, misbehaviours: [Misbehaviour] = [], controlSocket: String? = nil,
    tls: VenueTLS? = nil, publicURL: String? = nil, serverShape: ServerShape? = nil,
    kioskShape: KioskShape = .document, kioskToken: String? = nil, kioskTokenLife: Duration = .seconds(3_600),
    subscriptionShape: SubscriptionShape? = nil, signsTickets: Bool = false, bookingShape: BookingShape? = nil,
    logger: Logger = Logger(label: "venue", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    self.host = host
    self.port = port
    self.storage = storage
    self.rateModel = rateModel
    self.noLimits = noLimits
    self.failureDelay = failureDelay
    self.ignoresCase = ignoresCase
    self.now = now
    self.misbehaviours = misbehaviours
    self.controlSocket = controlSocket
    self.tls = tls
    self.publicURL = publicURL
    self.serverShape = serverShape
    self.kioskShape = kioskShape
    self.kioskToken = kioskToken
    self.kioskTokenLife = kioskTokenLife
    self.subscriptionShape = subscriptionShape
    self.signsTickets = signsTickets
    self.bookingShape = bookingShape
    self.logger = logger
  }
}

extension VenueConfiguration {
  /// Reads the life of a token: whole seconds from `1s` to `365d`, with a unit of `s`, `min`, `h` or `d`; nil for anything
  /// else.
  package static func life(_ text: String) -> Duration? {
    guard let life = milliseconds(text), life >= 1_000, life % 1_000 == 0, life <= 365 * 86_400_000 else { return nil }
    return .milliseconds(life)
  }
}

/// Where a running venue is reached.
package struct VenueAddress: Sendable, Equatable {
  /// The host as configured.
  package let host: String
  /// The bound port, never 0.
  package let port: Int
  /// Whether it speaks TLS.
  package var isEncrypted: Bool = false

  /// The base URL for a client, without a trailing slash.
  package var url: String {
    "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}
