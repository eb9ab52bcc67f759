package import ScanModel
internal import Calls

extension ControlSession {
  /// Serves the station until its task is cancelled: fetches the configuration when it is due, tells the status every two
  /// minutes and at each change, and tries a token again that is refused.
  /// - Parameter statuses: how the station is, each change of it; the newest counts, and at most one is told every two seconds.
  package func work(_ statuses: AsyncStream<StationStatus>) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.tell(statuses) }
      group.addTask { await self.keepCurrent() }
    }
    keepCounters()
  }

  private func tell(_ statuses: AsyncStream<StationStatus>) async {
    for await status in statuses {
      if isQuiet {
        // Told with the next sync.
        lastStatus = status
        continue
      }
      do throws(ControlFault) {
        try await report(status, deadline: time.now() + Self.patience)
      } catch {
        // One that was not sent (the station is not activated, its token is refused) has been told already.
        await recover(error)
      }
      guard (try? await pause(.seconds(2))) != nil else { return }
    }
  }

  private func keepCurrent() async {
    var nextSync = time.now()
    var nextKeeping = time.now() + Self.keeping
    while !Task.isCancelled {
      let now = time.now()
      if now >= nextKeeping {
        keepCounters()
        nextKeeping = now + Self.keeping
      }
      if let record = try? record(), record.activation == nil {
        // One that comes about meanwhile fetches its configuration itself.
        nextSync = time.now() + Self.turn
      } else {
        await watchToken()
        if Task.isCancelled { return }
        if now >= nextSync {
          await syncWhatIsDue()
          nextSync = time.now() + untilNextSync
        }
      }
      let until = max(min(nextSync - time.now(), Self.turn), .seconds(1))
      guard (try? await pause(until)) != nil else { return }
    }
  }

  /// The configuration where it is due, else the status alone.
  private func syncWhatIsDue() async {
    let interval = (try? record())?.configuration?.value.refreshInterval ?? ControlConfiguration.usualRefresh
    let isDue = hasFailedSince || (fetched.map { time.now() - $0 >= max(interval, .seconds(30)) } ?? true)
    if isDue {
      switch await sync() {
      case .success(let configuration):
        untilNextSync = min(untilNextSync, max(configuration.refreshInterval, .seconds(30)))
        return
      // Nobody is reached, or nobody listens to this station.
      case .failure(let fault) where fault.kind == .network || fault.kind == .authentication: return
      // A service that has no configuration is told the status all the same.
      case .failure: break
      }
      guard let lastStatus, !isQuiet else { return }
      try? await report(lastStatus, deadline: time.now() + Self.patience)
      return
    }
    untilNextSync = min(interval, ControlRecovery.period)
    guard let lastStatus else { return }
    do throws(ControlFault) {
      try await report(lastStatus, deadline: time.now() + Self.patience)
    } catch {
      await recover(error)
    }
  }

  /// A status that could not be told is told again as a sync has it: after 2, 4 and 8 s.
  private func recover(_ fault: ControlFault) async {
    guard fault.wasSent || fault.kind == .network, fault.kind != .authentication else { return }
    tell(fault)
    if let asked = fault.retryAfter, asked > ControlRecovery.longestPause {
      untilNextSync = max(untilNextSync, min(asked, ControlRecovery.longestRetryAfter))
      return
    }
    _ = await sync()
  }

  /// How often it looks for what is due.
  private static let turn = Duration.seconds(30)
  /// How often counters are kept.
  private static let keeping = Duration.seconds(600)
}
