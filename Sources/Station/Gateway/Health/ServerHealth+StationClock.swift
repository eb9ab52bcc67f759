internal import LinuxIO
import ScanModel

/// This machine's clock, as the ticket system's answers show it. No verdict hangs on it: an operator is told.
extension ServerHealth {
  /// How far this machine's clock may be off a ticket system's before somebody is told.
  private static let mostOff: Duration = .seconds(120)

  /// Takes what an answer says of the time.
  func compareClock(_ outcome: AttemptOutcome, _ system: TicketSystemID) {
    if let date = outcome.serverDate { compareClock(date, of: outcome.endedAt, system) }
  }

  /// Takes what the ticket system's clock showed at a moment.
  func compareClock(_ date: WallTime, of moment: MonotonicTime, _ system: TicketSystemID) {
    stored.store.dependencies.clock.compare(date)
    keepClock()
    let wall = time.wall()
    let ahead = wall - (date + (time.now() - moment))
    stationAhead = ahead
    let isOff = ahead > Self.mostOff || ahead < .zero - Self.mostOff
    guard isOff != isStationClockOff else { return }
    isStationClockOff = isOff
    var event = ClockEvent(system: system, state: isOff ? .stationWrong : .stationRight, ahead: ahead, at: wall)
    if isOff {
      event.detail =
        "This machine's clock is \(ahead.asDistance) \(system)'s, which says \(date.iso8601). Verdicts go by "
        + "\(system)'s clock; days, lists and the journal go by this machine's: set it."
    }
    events.emit(.clock(event))
  }

  /// How often it is noted that the clock is right: so long, and a start of the machine later its battery clock must not be behind it.
  private static let notedEvery: Duration = .seconds(600)

  /// Notes that this machine's clock is right, where that is not noted yet.
  private func keepClock() {
    let boot = stored.store.dependencies.boot
    if let noted = stored.notes.clock, noted.boot == boot.description {
      let now = time.wall()
      let moved = now.nanoseconds &- time.now().nanoseconds &- noted.distance
      let isRecent = now - WallTime(nanoseconds: noted.at) < Self.notedEvery
      if isRecent, now.nanoseconds >= noted.at, moved.magnitude < 1_000_000_000 { return }
    }
    guard notingClock == nil else { return }
    // The battery clock lies on a slow bus: nobody at a gate waits for it.
    let clock = stored.store.dependencies.clock
    notingClock = Task(executorPreference: loop.tasks) { [keeper] in
      let confirmation = await SystemThread.run("station-clock") { clock.confirmation(in: boot) }
      await keeper.turn { $0.health.keep(confirmation) }
    }
  }

  private func keep(_ confirmation: ClockTrust.Confirmation?) {
    notingClock = nil
    if let confirmation { stored.note { $0.clock = confirmation } }
  }

  /// Takes what an earlier process has noted of this machine's clock.
  nonisolated(nonsending) func recallClock() async {
    guard let noted = stored.notes.clock else { return }
    let (clock, boot) = (stored.store.dependencies.clock, stored.store.dependencies.boot)
    // It may hang: the start goes on without it then.
    let isAsked = OneAnswer<Bool>()
    do throws(SystemError) {
      try SystemThread.start("station-clock") {
        clock.recall(noted, in: boot)
        isAsked.give(true)
      }
    } catch {
      return
    }
    _ = await isAsked.first(within: .seconds(2), else: false)
  }
}

extension Duration {
  /// How far one clock is from another, such as `3 s ahead of` or `90 min behind`.
  var asDistance: String {
    // Rounded: `Date` has whole seconds, and half a minute is not worth a minute too few.
    let seconds = ((self < .zero ? .zero - self : self).milliseconds + 500) / 1_000
    let size =
      seconds < 120 ? "\(seconds) s" : seconds < 7_170 ? "\((seconds + 30) / 60) min" : "\((seconds + 1_800) / 3_600) h"
    return size + (self < .zero ? " behind" : " ahead of")
  }
}
