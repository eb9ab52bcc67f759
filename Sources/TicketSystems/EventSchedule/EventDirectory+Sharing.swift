internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketSystemKit
internal import TicketTransport

/// What stations of a fleet give each other of a server's events. Nobody asks another station: what came is there before a gate wants it.
///
///     own fetch ─▶ told ─▶ given to others                     own, while the server tells its own: nothing is taken
///     the fleet ─▶ taken, where the last own fetch failed and it is newer ─▶ own again, with the next fetch that succeeds
extension EventDirectory {
  /// What differs by less is as new.
  private static let slack = Duration.seconds(300)

  /// The same for whoever spreads it.
  var shared: SharedKnowledge {
    SharedKnowledge(
      what: "list of events", give: { self.give(since: $0) },
      problem: { self.state.withLock { $0.told == nil && !$0.isOver ? $0.fault?.detail : nil } },
      wants: { self.wants(age: $0) },
      take: { await self.take($0, age: $1, now: $2) })
  }

  /// Now by the server's clock; until it has told that by the one that came with what another station has given, and else by this machine's.
  var moment: WallTime { known ?? book.wall }

  /// The same, where one of the two is known.
  var known: WallTime? {
    if let now = book.now { return now }
    let (now, asleep) = (time.now(), time.asleep())
    return state.withLock { state in
      state.lent.map { $0.time + (now - $0.at) + max(.zero, asleep - $0.asleep) }
    }
  }

  private func give(since: MonotonicTime?) -> SharedKnowledge.Told? {
    state.withLock { $0.isGiven = true }
    want()
    start()
    let (now, asleep) = (time.now(), time.asleep())
    return state.withLock { state in
      guard !state.isOver, !state.isTaken, let told = state.told, told != since,
        let age = state.age(at: now, asleep: asleep)
      else { return nil }
      let (listing, wall) = (state.listing, book.now ?? book.wall)
      return SharedKnowledge.Told(at: told, age: age) { GivenEvents(listing, at: wall).bytes }
    }
  }

  private func wants(age: Duration) -> Bool {
    let (now, asleep) = (time.now(), time.asleep())
    return state.withLock { $0.wants(age, at: now, asleep: asleep) }
  }

  private func take(_ bytes: [UInt8], age: Duration, now civil: WallTime) async -> SharedKnowledge.Fault? {
    let given: GivenEvents
    do throws(SharedKnowledge.Fault) { given = try GivenEvents(bytes) } catch { return error }
    let venues = state.withLock { $0.venues }
    let listing = EventListing(given, venues: venues)
    let (now, asleep) = (time.now(), time.asleep())
    let isTaken = state.withLock { state in
      // The server may have told it meanwhile.
      guard state.wants(age, at: now, asleep: asleep), state.venues == venues else { return false }
      (state.listing, state.told, state.asleep) = (listing, now - age, asleep)
      (state.isTaken, state.lent) = (true, (civil, now, asleep))
      return true
    }
    if isTaken { await turn(isNews: true) }
    return nil
  }
}

extension EventDirectory.State {
  /// How old what was told is; `nil` where nothing was.
  func age(at now: MonotonicTime, asleep: Duration) -> Duration? {
    told.map { now - $0 + max(.zero, asleep - self.asleep) }
  }

  /// Whether something of such an age would take the place of what is known.
  fileprivate func wants(_ age: Duration, at now: MonotonicTime, asleep: Duration) -> Bool {
    guard isWanted, !isOver, age <= EventDirectory.oldest else { return false }
    guard let known = self.age(at: now, asleep: asleep) else { return true }
    return (isTaken || fault != nil) && known > age + EventDirectory.slack
  }
}
