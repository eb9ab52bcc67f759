import ScanModel

/// The attempt that decides a ticket now.
struct AttemptLock: Sendable, Codable, Equatable {
  let attempt: AttemptID
  let gate: GateID
  let began: MonotonicTime
  let wall: WallTime
}

/// An attempt that may have redeemed, and nobody passed on it as far as we know.
struct OpenAttempt: Sendable, Codable, Equatable {
  enum Standing: Equatable, Codable {
    /// Its answer may still come.
    case pending
    /// No answer will come.
    case lost
    /// Answered with a refusal after which a record may be there all the same.
    case refused
    /// Answered with a record that the server dates later than its own clock.
    case ahead(entryID: String)
    /// From before the machine started: when it was cannot be compared with the server's clock any more.
    case unplaced
    /// The machine ended while it was under way: whether somebody passed on it is not known.
    case interrupted
  }

  let lock: AttemptLock
  private(set) var sentAt: MonotonicTime
  private(set) var endedAt: MonotonicTime
  var standing: Standing
  /// The provisional admission that it was made for, or of which it was to tell: somebody has passed on that.
  var owed: AttemptID?
  /// By which clocks it would have made the record that it was shown; not in the memory of earlier versions.
  var offsets: FreshOffsets?
  /// Whether it was answered by a refusal, where it is from before the machine started.
  var wasRefused: Bool?

  /// An answer came: what the server recorded, it recorded before that. So there is no grace, and no end either.
  var isAnswered: Bool {
    switch standing {
    case .pending, .lost: false
    case .refused, .ahead, .unplaced, .interrupted: true
    }
  }

  /// Told that another attempt was shown the same record, perhaps later and for a request from before: one of them made it, after
  /// the first was sent and before the first showing.
  mutating func join(_ other: OpenAttempt) {
    (sentAt, endedAt) = (Swift.min(sentAt, other.sentAt), Swift.min(endedAt, other.endedAt))
    guard let ours = offsets, let theirs = other.offsets else { return }
    offsets = FreshOffsets(least: Swift.min(ours.least, theirs.least), most: Swift.max(ours.most, theirs.most))
  }

  /// When the server may have carried it out, by an answer that came at `end`: nothing in that was made after it.
  func mayHaveMade(before end: MonotonicTime, _ policy: AttemptPolicy) -> ClosedRange<MonotonicTime> {
    sentAt...Swift.max(sentAt, Swift.min(endedAt + (isAnswered ? .zero : policy.lateGrace), end))
  }

  /// Whether it can be told nothing of when its record would have been made.
  var isUnplaced: Bool { standing == .unplaced || standing == .interrupted }

  /// Whether it may have redeemed with nobody having passed, so that a refusal now may be of our own making. What was answered by
  /// a refusal explains no other one.
  var mayExplainRefusal: Bool { standing != .refused && wasRefused != true }

  /// The attempt as it is known in a later boot.
  var afterReboot: OpenAttempt {
    var attempt = self
    if standing == .refused { attempt.wasRefused = true }
    if standing != .interrupted { attempt.standing = .unplaced }
    return attempt
  }

  /// The attempt as it is known in a later process of the same boot.
  var afterRestart: OpenAttempt {
    var attempt = self
    if standing == .pending { attempt.standing = .lost }
    return attempt
  }
}

/// An admission on a ticket, which can be given back.
struct LastAdmission: Sendable, Codable, Equatable {
  let attempt: AttemptID
  var entryID: String?
  let wasFirst: Bool
  /// Whether it is provisional, or was contradicted: there is no record that could be given back.
  var isProvisional: Bool?
}

/// A provisional admission of which the ticket system has still to be told.
struct Owed: Sendable, Codable, Equatable {
  /// Names the admission.
  let attempt: AttemptID
  let gate: GateID
  let wall: WallTime
  /// The telling that is under way, or was when the process ended.
  var telling: AttemptLock?
  /// Whether who was admitted has left since. The ticket system has to be told all the same.
  var hasLeft = false
}

/// A record of the ticket system that we were shown.
struct KnownEntry: Sendable, Codable, Equatable {
  /// Whose it is.
  enum Origin: String, Codable, Sendable { case ours, elsewhere }
  let origin: Origin
  /// Whether somebody was admitted on it, by us.
  var isClaimed: Bool
  /// Until when a presentation claims it without a request; `nil` where it may not.
  var claimUntil: MonotonicTime?
  /// Whether somebody was admitted on it and the gate did not open.
  var isGivenBack = false
  /// Whether who was admitted on it has left since.
  var hasLeft = false
  /// Whether a gate was not to admit on it: no gate does without a request of its own.
  var isBarred: Bool?
  /// Whether somebody may have passed on it since this was written: it is from before the machine started.
  var isDoubtful = false
  /// The attempt that was shown it.
  let shownTo: AttemptLock
  /// By which clocks we would have made it, where it was judged that we had not.
  var offsets: JudgedOffsets?
}

/// An admission on no record that was given back.
struct GivenBack: Sendable, Codable, Equatable {
  /// Until when a presentation takes it without a request; `nil` where it may not.
  var until: MonotonicTime?
  var isOpen = false
}
