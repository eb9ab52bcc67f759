/// Counts the accepted requests of each address, in either rate model. Time is an argument, in seconds.
struct RateCounter: Sendable {
  /// Requests that one counter allows.
  static let limit = 60
  /// The life of a counter, in seconds.
  static let life = 60.0

  private var counters: [String: (count: Int, ends: Double)] = [:]
  let model: VenueConfiguration.RateModel

  init(model: VenueConfiguration.RateModel) { self.model = model }

  /// Whether `address` must be refused now. Asking neither counts nor prolongs anything.
  func isSpent(_ address: String, at now: Double) -> Bool {
    guard let counter = counters[address], now < counter.ends else { return false }
    return counter.count >= Self.limit
  }

  /// Notes an accepted request.
  mutating func count(_ address: String, at now: Double) {
    forgetTheEnded(at: now)
    if let counter = counters[address], now < counter.ends {
      // In the pause model each request gives the counter its whole life again: it ends only after 60 s of silence.
      let ends = model == .pause ? now + Self.life : counter.ends
      counters[address] = (counter.count + 1, ends)
    } else {
      counters[address] = (1, now + Self.life)
    }
  }

  /// Keeps the table small however many addresses come by.
  private mutating func forgetTheEnded(at now: Double) {
    guard counters.count >= 1_024 else { return }
    counters = counters.filter { now < $0.value.ends }
  }
}

/// Blocks a key that keeps failing. Keys are known by their hash only. Time is an argument, in seconds.
struct KeyBlocks: Sendable {
  /// Failures after which a key is blocked.
  static let limit = 10
  /// How long a block lasts after the last failure, in seconds.
  static let length = 900.0

  private var failures: [String: (count: Int, ends: Double)] = [:]

  /// Whether the key is blocked now. Asking does not prolong the block.
  func isBlocked(_ hash: String, at now: Double) -> Bool {
    guard let entry = failures[hash], now < entry.ends else { return false }
    return entry.count >= Self.limit
  }

  /// Notes that the key was unknown.
  mutating func fail(_ hash: String, at now: Double) {
    if failures.count >= 1_024 {
      failures = failures.filter { now < $0.value.ends }
    }
    let known = failures[hash].flatMap { now < $0.ends ? $0.count : nil } ?? 0
    failures[hash] = (known + 1, now + Self.length)
  }
}
