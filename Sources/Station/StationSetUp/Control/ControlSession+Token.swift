package import ScanModel
internal import Calls
internal import Sealing

extension ControlSession {
  /// Asks whether the service accepts the token.
  package func validate(deadline: MonotonicTime) async throws(ControlFault) {
    try await validate(deadline: deadline, isSecond: false)
  }

  private func validate(deadline: MonotonicTime, isSecond: Bool) async throws(ControlFault) {
    let kept = try activated()
    let activation = bearer(kept)
    guard activation.token != nil else {
      throw ControlFault(
        .authentication, "The station has no token of \(kept.server): there is nothing to validate.", wasSent: false)
    }
    do throws(ControlFault) {
      try await ask(.validate, at: kept.server) { control throws(ControlFault) in
        try await control.validate(activation, deadline: deadline)
      }
    } catch {
      guard note(error, of: kept, showing: activation.token), !isSecond else { throw error }
      return try await validate(deadline: deadline, isSecond: true)
    }
    noteAccepted(kept)
  }

  /// Tries a token that is refused again, where that is due, and tells of one that ends. To be called every half minute or so.
  package func watchToken() async {
    guard let record = try? record(), let kept = record.activation else { return }
    // A command beside the service finds things out, too.
    tellOfToken(record)
    if standsInFor != kept, let notice = token.notice(of: kept, accepted: record.token.accepted, at: time.wall()) {
      notify(notice)
    }
    let hasEnded =
      bearer(kept).token == kept.value.token && kept.value.token != nil
      && (kept.value.expires.map { $0 <= time.wall() && (token.accepted ?? $0) <= $0 } ?? false)
    guard record.token.refusedSince != nil || hasEnded, token.isTrialDue(at: time.now()) else { return }
    do throws(ControlFault) {
      if bearer(kept).token == nil {
        // Nothing can be validated: whether it goes without a token is seen where one is wanted.
        _ = try await fetch(false, true)
      } else {
        try await validate(deadline: time.now() + Self.patience)
      }
    } catch {
      // Also where nobody answers: the next trial is not at once.
      if error.kind != .authentication { token.nextTrial = time.now() + ControlRecovery.period }
    }
  }

  /// Asks the server whether it is well.
  func askHealth(_ deadline: MonotonicTime) async throws(ControlFault) {
    guard let server = (try? record())?.activation?.server ?? configured else { throw Self.noServer }
    try await ask(.health, at: server) { control throws(ControlFault) in try await control.health(deadline: deadline) }
  }

  /// Whether a request that needs the token may be made; one that is refused is not sent again and again.
  func checkTrial(_ isUrgent: Bool) throws(ControlFault) {
    guard !isUrgent, let since = (try? record())?.token.refusedSince, !token.isTrialDue(at: time.now()) else { return }
    throw ControlFault(
      .authentication, "The server refuses the token since \(since.iso8601). \(cure())", wasSent: false)
  }

  /// Notes what a fault says of the token.
  /// - Parameter shown: the token that was refused; `nil` where there was none to show, and the server wants one.
  /// - Returns: whether another token stands in now, with which the same can be tried at once, and once.
  func note(_ fault: ControlFault, of kept: KeptActivation, showing shown: ControlToken?) -> Bool {
    guard fault.kind == .authentication, fault.wasSent else { return false }
    // Another call has found that out meanwhile, or somebody has activated the station again.
    guard (try? record())?.activation == kept, shown == bearer(kept).token else { return true }
    if standsInFor != kept, let shown, shown == kept.value.token, let registrationToken, registrationToken != shown,
      kept.server.isSame(as: configured)
    {
      standsInFor = kept
      return true
    }
    // Neither is taken: the next trial begins with the activation's own.
    standsInFor = nil
    if case .validate(let wait) = recovery.failed(fault, using: &random) { token.nextTrial = time.now() + wait }
    guard let record = try? record(), record.activation == kept else { return false }
    if record.token.refusedSince == nil {
      let now = time.wall()
      changeIfPossible { if $0.activation == kept { $0.token.refusedSince = now } }
    }
    guard let noted = try? self.record(), noted.activation == kept else { return false }
    if noted.token.refusedSince == nil {
      // It cannot be kept: told all the same.
      notify(.tokenRefused("\(fault.detail) \(cure(kept))"))
    } else {
      tellOfToken(noted, fault.detail)
    }
    return false
  }

  /// Tells what has become of the token since that was told last, whoever has found it out: this process, or another one.
  /// - Parameter words: what the server said just now; `nil` where nobody asked it.
  private func tellOfToken(_ record: ControlRecord, _ words: String? = nil) {
    guard let kept = record.activation, let isRefused = token.news(of: record.token) else { return }
    guard isRefused, let since = record.token.refusedSince else { return notify(.tokenAccepted) }
    notify(.tokenRefused("\(words ?? "\(kept.server) refuses the token since \(since.iso8601).") \(cure(kept))"))
  }

  /// Notes that the service accepted the token.
  func noteAccepted(_ kept: KeptActivation) {
    let now = time.wall()
    token.accepted(at: now)
    recovery.succeeded(showedToken: true)
    guard let record = try? record(), record.activation == kept else { return }
    let wasRefused = record.token.refusedSince != nil
    let isOld = record.token.accepted.map { now - $0 > .seconds(3_600) || now < $0 } ?? true
    if wasRefused || isOld {
      changeIfPossible { if $0.activation == kept { $0.token = TokenNote(refusedSince: nil, accepted: now) } }
    }
    guard wasRefused else { return }
    // What this process has found out is told, though it never told that there was anything.
    token.toldRefusal = record.token.refusedSince
    if let noted = try? self.record() { tellOfToken(noted) }
  }

  /// What is to be done about a token that is refused.
  private func cure(_ kept: KeptActivation? = nil) -> String {
    let kept = kept ?? (try? record())?.activation
    let words =
      if let kept, kept.value.token == nil, bearer(kept).token == nil {
        "The server gave the station no token and wants one: its own, as control.registration."
      } else if let kept, kept.value.token == nil {
        "It is the registration token (control.registration): set the right one with scangate credential set."
      } else {
        "Have a new activation code made, and put it in by: scangate kiosk activate --again"
      }
    return "The gates work on as before. \(words)"
  }

  /// How the station stands with the service.
  /// - Parameter deadline: asks the server and for the token until then; `nil` tells what is known.
  package func health(asking deadline: MonotonicTime? = nil) async -> ControlHealth {
    var health = ControlHealth()
    var faults: [String] = []
    if let deadline {
      do throws(ControlFault) {
        try await askHealth(deadline)
        if let kept = (try? record())?.activation, bearer(kept).token != nil { try await validate(deadline: deadline) }
      } catch {
        // What is said of the token follows below.
        if error.kind != .authentication { faults.append(error.detail) }
      }
    }
    let record: ControlRecord
    do throws(SealFault) {
      record = try self.record()
    } catch {
      health.words = [error.description]
      return health
    }
    health.serverConnected = isConnected
    health.heard = [unkept.heard, ControlSeen.read(store).heard].compactMap { $0 }.max()
    health.words = faults
    guard let kept = record.activation else {
      health.words.append(
        record.attempt.map {
          "The station is not activated: an activation was sent to \($0.server) at \($0.sent.iso8601), and its answer was lost. "
            + "Try the code again; if it was used, make a new one."
        } ?? "The station is not activated: hold an activation code to its scanner, or run scangate kiosk activate."
      )
      return health
    }
    let now = time.wall()
    let accepted = [token.accepted, record.token.accepted].compactMap { $0 }.max()
    if let since = record.token.refusedSince {
      health.words.append("The server refuses the token since \(since.iso8601). \(cure(kept))")
    } else if kept.value.token != nil, let end = kept.value.expires, now >= end, accepted.map({ $0 < end }) ?? true {
      health.words.append("The token ended at \(end.iso8601). \(cure(kept))")
    } else {
      health.tokenValid = true
    }
    if let configuration = record.configuration {
      // Another process can have fetched it later.
      let byClock = now - configuration.fetched
      let age = fetched.map { byClock < .zero ? time.now() - $0 : min(time.now() - $0, byClock) } ?? byClock
      health.configAge = age
      // A clock that was set back a little makes nothing old.
      health.configCurrent = age < .seconds(3_600) && age > .seconds(-300)
      if !health.configCurrent {
        health.words.append("The configuration was fetched at \(configuration.fetched.iso8601).")
      }
    } else {
      health.words.append("The service has given no configuration yet.")
    }
    return health
  }
}
