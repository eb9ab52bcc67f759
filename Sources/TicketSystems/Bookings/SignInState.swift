internal import ScanModel
internal import TicketTransport

/// What is known of a session and of signing in for it. Pure: time is an argument.
///
/// ```
/// none ──sign-in──▶ held ──its end is near: signed in anew behind──▶ held
///   ▲                 └──refused by the service, or over──▶ none
///   └── failed: again after a while, three times in 15 min at most, whatever process; a password that was refused as seldom
/// ```
struct SignInState: Sendable {
  /// A session.
  struct Session: Sendable, Equatable {
    /// What is sent with each call.
    var cookie: Secret
    /// From when on it is over.
    var ends: MonotonicTime
    /// From when on it is to be renewed.
    var renews: MonotonicTime

    /// A session that holds for so long from now on: renewed half an hour before its end, or a quarter of a short one.
    init(cookie: Secret, for life: Duration, at now: MonotonicTime) {
      self.cookie = cookie
      ends = now + life
      renews = ends - min(.seconds(1_800), life / 4)
    }
  }

  /// How long a session holds of which the service does not tell it.
  static let usualLife = Duration.seconds(8 * 3_600)
  /// No session is believed to hold for longer.
  static let longestLife = Duration.seconds(30 * 86_400)

  /// The session, whether it still holds or not.
  private(set) var session: Session?
  /// Why the last sign-in failed; `nil` where it did not.
  private(set) var fault: TransportFault?
  /// The calls.
  var ration = DoorRation()
  /// Whether the sealed record was read.
  var hasRead = false
  /// What the service's clock showed when it signed us in, and when that was; `nil` where it has not in this process.
  private(set) var date: (shown: WallTime, at: MonotonicTime)?
  /// Whether to sign in although a session holds: the answer tells the time.
  private(set) var wantsDate = false
  /// The service signs in without telling the time: it is not asked for that again.
  private var tellsNoDate = false
  /// Who is signing in.
  var flight: SharedAnswer<Result<Secret, TransportFault>>?
  /// Which password failed last, and when it is tried again.
  private var failed: (password: StaffPassword, until: MonotonicTime)?
  private var failures = 0
  /// For what a session was refused, and none taken since.
  private var refused: Set<DoorRation.Use> = []

  /// The session that holds.
  func held(at now: MonotonicTime) -> Session? { session.flatMap { now < $0.ends ? $0 : nil } }

  /// Whether it is time to sign in: there is none that holds, or its end is near.
  func isDue(at now: MonotonicTime) -> Bool { held(at: now).map { now >= $0.renews } ?? true }

  /// Nothing keeps this machine's clock right: the next sign-in is to tell the time.
  mutating func wantDate() { wantsDate = date == nil && !tellsNoDate }

  /// It could not be asked: whoever wants the time says so again.
  mutating func wantNoDate() { wantsDate = false }

  /// Takes what a sign-in has told of the time.
  mutating func take(date shown: WallTime?, at now: MonotonicTime) {
    wantsDate = false
    if let shown { date = (shown, now) } else { tellsNoDate = true }
  }

  /// Why this password is not tried now, and until when.
  mutating func obstacle(to password: StaffPassword, at now: MonotonicTime) -> MonotonicTime? {
    let spent = ration.wait(for: .signIn, at: now)
    guard let failed, failed.password == password, now < failed.until else { return spent }
    return max(spent ?? failed.until, failed.until)
  }

  /// Takes a session.
  mutating func take(_ session: Session) {
    self.session = session
    (fault, failed, failures) = (nil, nil, 0)
  }

  /// A sign-in failed.
  mutating func take(_ fault: TransportFault, with password: StaffPassword, at now: MonotonicTime) {
    self.fault = fault
    failures += 1
    let isRefused = fault.reason.isOfKey
    let wait = max(
      fault.retryAfter ?? .zero, isRefused || failures > 2 ? .seconds(300) : .seconds(failures > 1 ? 60 : 15))
    failed = (password, now + min(wait, DoorRation.longestWait))
  }

  /// The service does not take a session any more; another one stays.
  /// - Returns: whether it did not take the one before for that either: it is not the session.
  @discardableResult mutating func refuse(_ cookie: Secret, for use: DoorRation.Use) -> Bool {
    guard session?.cookie == cookie else { return false }
    session = nil
    return !refused.insert(use).inserted
  }

  /// The service takes the session for that.
  mutating func accept(for use: DoorRation.Use) { refused.remove(use) }
}
