internal import ScanModel

/// What this process knows of the token: when it was accepted, when it may be tried again, and what was told of it.
struct TokenWatch {
  /// When it was accepted last, by civil time.
  var accepted: WallTime?
  /// Before this time a token that is refused is not tried again by itself.
  var nextTrial: MonotonicTime?
  private var told: WallTime?
  private var toldEnd: WallTime?
  /// Since when the service refuses it, as far as this process has told it.
  var toldRefusal: WallTime?

  /// Notes that it was accepted.
  mutating func accepted(at wall: WallTime) {
    accepted = wall
    nextTrial = nil
  }

  /// Whether one that is refused may be tried by itself.
  func isTrialDue(at now: MonotonicTime) -> Bool { nextTrial.map { now >= $0 } ?? true }

  /// What of the service's last word on it is to be told.
  /// - Returns: whether it is refused; `nil` where nothing is to be told.
  mutating func news(of note: TokenNote) -> Bool? {
    guard note.refusedSince != toldRefusal else { return nil }
    // A new token of which the service has said nothing yet is no news.
    guard note.refusedSince != nil || note.accepted != nil else { return nil }
    toldRefusal = note.refusedSince
    return note.refusedSince != nil
  }

  /// What to tell of its end, each once: 24 hours before, or a tenth of its life where that is less; and when it has come and
  /// the service has not accepted it since, for it is the service's clock that counts.
  mutating func notice(of activation: KeptActivation, accepted kept: WallTime?, at now: WallTime) -> ControlNotice? {
    guard activation.value.token != nil, let end = activation.value.expires else { return nil }
    let accepted = [accepted, kept].compactMap { $0 }.max()
    if now >= end {
      guard toldEnd != end, accepted.map({ $0 < end }) ?? true else { return nil }
      toldEnd = end
      return .tokenExpired(end)
    }
    let life = end - activation.activated
    let early = min(Duration.seconds(86_400), life / 10)
    guard end - now <= early, told != end else { return nil }
    told = end
    return .tokenExpiring(end)
  }
}
