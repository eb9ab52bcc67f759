package import ScanModel
internal import Calls
package import Sealing

extension ControlSession {
  /// How long one call may take.
  static let patience = Duration.seconds(10)

  /// Fetches the configuration, and tells the status that was told last, with the recovery that the service's document has.
  /// Calls at the same time are one.
  /// - Parameters:
  ///   - refreshing: whether the service is to look for what is newest.
  ///   - isUrgent: whether somebody waits for it: a token that is refused is tried all the same.
  /// - Returns: the configuration that holds now; a fault leaves the one before in place.
  package func sync(refreshing: Bool = false, isUrgent: Bool = false) async -> Result<
    ControlConfiguration, ControlFault
  > {
    while let syncing {
      let result = await syncing.task.value
      if syncing.isRefreshing || !refreshing { return result }
    }
    let task = Task {
      let result = await self.syncOnce(refreshing, isUrgent)
      // Before anybody who waits for it goes on: whoever wants another one begins it then.
      self.syncing = nil
      return result
    }
    syncing = (task, refreshing)
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func syncOnce(_ refreshing: Bool, _ isUrgent: Bool) async -> Result<ControlConfiguration, ControlFault> {
    do throws(ControlFault) {
      _ = try activated()
      try checkTrial(isUrgent)
    } catch {
      untilNextSync = ControlRecovery.period
      return .failure(error)
    }
    recovery.began()
    var isRefreshing = refreshing
    while true {
      do throws(ControlFault) {
        let configuration = try await fetch(isRefreshing, isUrgent)
        if let lastStatus { try await report(lastStatus, deadline: time.now() + Self.patience) }
        untilNextSync = ControlRecovery.untilNextSync(using: &random)
        tellThatFaultsEnded()
        return .success(configuration)
      } catch {
        // What became of the token is noted where that was seen.
        guard error.kind != .authentication else {
          untilNextSync = ControlRecovery.period
          return .failure(error)
        }
        switch recovery.failed(error, using: &random) {
        case .refresh: isRefreshing = true
        case .retry(let wait, let asksHealth):
          guard (try? await pause(wait)) != nil else { return .failure(error) }
          if asksHealth { try? await askHealth(time.now() + Self.patience) }
        case .nextSync(let wait), .validate(let wait):
          untilNextSync = wait
          tell(error)
          return .failure(error)
        }
      }
    }
  }

  /// Fetches the configuration once.
  func fetch(
    _ refreshing: Bool, _ isUrgent: Bool, isSecond: Bool = false
  ) async throws(ControlFault) -> ControlConfiguration {
    let kept = try activated()
    try checkTrial(isUrgent)
    let activation = bearer(kept)
    let deadline = time.now() + Self.patience
    let configuration: ControlConfiguration
    do throws(ControlFault) {
      configuration = try await ask(.configuration, at: kept.server) { control throws(ControlFault) in
        try await control.configuration(of: activation, refreshing: refreshing, deadline: deadline)
      }
    } catch {
      guard note(error, of: kept, showing: activation.token), !isSecond else { throw error }
      return try await fetch(refreshing, isUrgent, isSecond: true)
    }
    noteAccepted(kept)
    guard (try? activated()) == kept else {
      throw ControlFault(.configuration, "The station was reset, or activated anew, meanwhile.")
    }
    take(configuration, keepingTime: isUrgent)
    return configuration
  }

  /// Takes a configuration in the place of the one before.
  /// - Parameter keepingTime: whether its time is kept even where nothing changed: for others to see at once.
  func take(_ told: ControlConfiguration, keepingTime: Bool) {
    unkept.counters.configurations &+= 1
    fetched = time.now()
    hasFailedSince = false
    let now = time.wall()
    let former = (try? record())?.configuration
    var configuration = told
    // What the service does not say, or says in a word that nobody can read, is as it was: no gate opens by it.
    if let former = former?.value {
      if !told.isStateTold { configuration.state = former.state }
      if !told.isMaintenanceTold { configuration.maintenance = former.maintenance }
      if !told.isLockOutTold { configuration.lockOut = former.lockOut }
    }
    let changes = former.map { ControlConfiguration.changes(from: $0.value, to: configuration) } ?? ["all"]
    let age = former.map { now - $0.fetched }
    // A card is not written to every time.
    let isStale = age.map { $0 < .zero || $0 > .seconds(600) } ?? true
    if keepingTime || !changes.isEmpty || isStale {
      changeIfPossible { $0.configuration = KeptConfiguration(value: configuration, fetched: now) }
    }
    guard !changes.isEmpty else { return }
    unkept.counters.changes &+= 1
    notify(.configurationChanged(configuration, changes))
  }

  /// Tells the service how the station is; what staff have set by hand comes before it.
  package func report(_ status: StationStatus, deadline: MonotonicTime) async throws(ControlFault) {
    lastStatus = status
    try await report(status, deadline, isSecond: false)
  }

  private func report(
    _ status: StationStatus, _ deadline: MonotonicTime, isSecond: Bool
  ) async throws(ControlFault) {
    let kept = try activated()
    try checkTrial(false)
    let manual = (try? record())?.manual
    let told = manual?.status ?? status
    let activation = bearer(kept)
    let now = time.wall()
    do throws(ControlFault) {
      try await ask(.status, at: kept.server) { control throws(ControlFault) in
        try await control.report(told, isManual: manual != nil, at: now, of: activation, deadline: deadline)
      }
    } catch {
      // A service can refuse a status for other reasons than the token: it is asked for the token itself.
      guard error.kind == .authentication, activation.token != nil else { throw error }
      try await validate(deadline: time.now() + Self.patience)
      // Another token may stand in for it now.
      guard bearer(kept).token != activation.token, !isSecond else { throw error }
      return try await report(status, time.now() + Self.patience, isSecond: true)
    }
    noteAccepted(kept)
  }

  /// Sets the status by hand, durably; `nil` goes back to what the station itself says. The service hears of it by `report`.
  package func setManualStatus(_ status: StationStatus?) throws(SealFault) {
    let now = time.wall()
    _ = try records.change { $0.manual = status.map { ManualStatus(status: $0, since: now) } }
  }

  /// Sets the status by hand and tells it.
  /// - Parameter own: what the station is by itself.
  func setStatus(_ status: StationStatus?, else own: StationStatus) async -> StationSetUp.StatusSetting {
    guard (try? activated()) != nil else { return .notActivated }
    do throws(SealFault) {
      try setManualStatus(status)
    } catch {
      return .notKept(error.description)
    }
    do throws(ControlFault) {
      try await report(lastStatus ?? own, deadline: time.now() + .seconds(5))
      return .told
    } catch {
      return .toBeTold(error.detail)
    }
  }

  /// The activation.
  /// - Throws: that there is none.
  func activated() throws(ControlFault) -> KeptActivation {
    let record = try Result { () throws(SealFault) in try self.record() }
      .mapError { ControlFault(.unknown, $0.description, wasSent: false) }.get()
    guard let kept = record.activation else {
      throw ControlFault(
        .authentication,
        "The station is not activated. Hold an activation code to its scanner, or see: scangate kiosk activate",
        wasSent: false)
    }
    return kept
  }
}

extension ControlConfiguration {
  /// The names of what differs, sorted; when the service changed it last is no difference by itself.
  static func changes(from former: Self, to new: Self) -> [String] {
    func fields(_ configuration: Self) -> [String: String] {
      Dictionary(
        Mirror(reflecting: configuration).children.compactMap { child in
          child.label.map { ($0, Self.stable(child.value)) }
        }, uniquingKeysWith: { first, _ in first })
    }
    if former == new { return [] }
    let (a, b) = (fields(former), fields(new))
    // Whether something was said is no difference where what holds is the same.
    let unseen = ["updated", "isStateTold", "isMaintenanceTold", "isLockOutTold"]
    return a.keys.filter { !unseen.contains($0) && a[$0] != b[$0] }.sorted()
  }

  /// A text of a value that does not depend on the order of a dictionary.
  private static func stable(_ value: Any) -> String {
    switch value {
    case let texts as [String: String]: texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.description
    case let texts as [StationStatus: String]:
      texts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key)=\($0.value)" }.description
    default: "\(value)"
    }
  }
}
