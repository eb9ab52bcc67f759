/// What is counted of each address, or of each key, within a window of time. Time is an argument, in seconds.
struct CountWindows: Sendable {
  typealias Window = (count: Int, ends: Double)

  /// How many are kept; where there are more, those that have ended are forgotten.
  static let most = 1_024

  private var windows: [String: Window] = [:]

  /// The window that is open now. Asking neither counts nor prolongs anything.
  func open(_ name: String, at now: Double) -> Window? { windows[name].flatMap { now < $0.ends ? $0 : nil } }

  /// Whether as many are open as are kept.
  func isFull(at now: Double) -> Bool { windows.count >= Self.most && windows.values.allSatisfy { now < $0.ends } }

  /// Counts one more, in a window of that length; renewed, it begins anew with each.
  mutating func count(_ name: String, at now: Double, for length: Double, isRenewed: Bool) {
    if windows.count >= Self.most { windows = windows.filter { now < $0.value.ends } }
    let open = open(name, at: now)
    windows[name] = ((open?.count ?? 0) + 1, isRenewed ? now + length : open?.ends ?? now + length)
  }

  /// Forgets what was counted of one.
  mutating func forget(_ name: String) { windows[name] = nil }
}

/// Counts the accepted requests of each address, in either rate model. Time is an argument, in seconds.
struct RateCounter: Sendable {
  /// Requests that one counter allows.
  static let limit = 60
  /// The life of a counter, in seconds.
  static let life = 60.0

  private var counters = CountWindows()
  let model: VenueConfiguration.RateModel

  init(model: VenueConfiguration.RateModel) { self.model = model }

  /// Whether `address` must be refused now.
  func isSpent(_ address: String, at now: Double, limit: Int = limit) -> Bool {
    (counters.open(address, at: now)?.count ?? 0) >= limit
  }

  /// Notes an accepted request.
  mutating func count(_ address: String, at now: Double) {
    // In the pause model each request gives the counter its whole life again: it ends only after 60 s of silence.
    counters.count(address, at: now, for: Self.life, isRenewed: model == .pause)
  }
}

/// Blocks a key that keeps failing. Keys are known by their hash only. Time is an argument, in seconds.
struct KeyBlocks: Sendable {
  /// Failures after which a key is blocked.
  static let limit = 10
  /// How long a block lasts after the last failure, in seconds.
  static let length = 900.0

  private var failures = CountWindows()

  /// Whether the key is blocked now.
  func isBlocked(_ hash: String, at now: Double) -> Bool { (failures.open(hash, at: now)?.count ?? 0) >= Self.limit }

  /// Notes that the key was unknown.
  mutating func fail(_ hash: String, at now: Double) {
    failures.count(hash, at: now, for: Self.length, isRenewed: true)
  }
}
