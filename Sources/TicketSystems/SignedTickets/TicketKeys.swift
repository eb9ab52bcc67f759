internal import Calls
internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketSystemKit
internal import TicketTransport

/// The server's public keys: fetched while nobody waits, and kept for the next process.
final class TicketKeys: Sendable {
  /// How long a fetch may take.
  private static let longest = Duration.seconds(10)
  /// How far the server's clock may be from one that nobody vouches for, to vouch for it: what the station itself takes for agreement.
  private static let agreement = Duration.seconds(5)
  /// How often it is looked whether the clock is believed by now, while keys wait for that to be kept.
  private static let lookAgain = Duration.seconds(10)
  /// How old keys may become before an operator is told that they cannot be fetched.
  fileprivate static let late = Duration.seconds(12 * 3_600)

  private struct State: Sendable {
    var ring = TicketKeyRing()
    /// Ends the sleep of who fetches.
    var sleeper: OneAnswer<Void>?
    /// Who waits for the first keys.
    var waiting: [OneAnswer<Void>] = []
    /// What kept them from being fetched last.
    var fault: TransportFault?
    /// What the operator was told of that.
    var told: String?
    /// Whether somebody fetches them when it is due.
    var isWatched = false
    /// Keys that are not kept for the next process yet, and when they were asked for: no clock that could be believed told the time.
    var unkept: (set: TicketKeySet, began: MonotonicTime)?
    /// What an operator is to be told of keys that an earlier process has kept.
    var isDamageTold = false

    /// The keys that can be kept now, and when they were true.
    mutating func takeUnkept(at now: JournalTime) -> (set: TicketKeySet, at: WallTime)? {
      guard let (set, began) = unkept, let wall = now.trustedWall else { return nil }
      unkept = nil
      return (set, wall - (now.monotonic - began))
    }

    mutating func takeWaiting() -> [OneAnswer<Void>] {
      defer { waiting = [] }
      return waiting
    }

    /// Takes what the server has told.
    /// - Parameter wall: when it was asked; `nil` where no clock that can be believed tells.
    mutating func take(
      _ set: TicketKeySet, _ began: MonotonicTime, _ wall: WallTime?, _ host: String
    ) -> [UpkeepNews] {
      let hadSome = !ring.names.isEmpty
      let areOthers = ring.take(set, began: began, wall: wall)
      unkept = wall == nil ? (set, began) : nil
      defer { (fault, told) = (nil, nil) }
      if told != nil { return [.notice("The keys of \(host) for signed tickets were fetched again.")] }
      return hadSome && areOthers
        ? [.notice("\(host) signs tickets with other keys now: \(ring.names.joined(separator: ", ")).")] : []
    }

    /// Takes that they could not be fetched. An operator is told at once where somebody must act or nothing is on board, else when it
    /// becomes late.
    mutating func take(_ fault: TransportFault, _ host: String, _ now: JournalTime) -> [UpkeepNews] {
      self.fault = fault
      let age = ring.age(at: now.monotonic, wall: now.trustedWall)
      let isUsable = ring.isUsable(at: now.monotonic, wall: now.trustedWall)
      guard fault.reason.isFault || !isUsable || (age ?? .zero) >= TicketKeys.late else { return [] }
      let left = isUsable ? "those on board are believed for \(TicketKeys.hoursLeft(age)) h more" : "none are on board"
      let words = "The keys of \(host) for signed tickets cannot be fetched, and \(left). \(fault.detail)"
      // How long they last is no news.
      let what = "\(isUsable) \(fault.detail)"
      defer { told = what }
      return told == what ? [] : [.alarm(words)]
    }
  }

  private let transport: any HTTPCalling
  private let record: TicketKeyRecord
  private let now: @Sendable () -> JournalTime
  private let state = Mutex(State())
  /// Why keys that an earlier process has kept are not believed; `nil` where they are, or there are none.
  private let damage: String?

  /// Takes up what an earlier process has kept; connects nowhere.
  /// - Parameters:
  ///   - records: where they are kept; `nil` where each process fetches anew.
  ///   - now: the station's clock.
  init(transport: any HTTPCalling, records: (any SessionRecords)?, now: @escaping @Sendable () -> JournalTime) {
    self.transport = transport
    self.now = now
    record = TicketKeyRecord(server: transport.server, records: records)
    switch record.read() {
    case .kept(let set, let at):
      damage = nil
      state.withLock { $0.ring.recall(set, fetched: at) }
    case .absent: damage = nil
    case .damaged(let why): damage = why
    }
  }

  /// That what an earlier process has kept is not believed: told once.
  private func damageNews() -> [UpkeepNews] {
    guard let damage else { return [] }
    let isTold = state.withLock { state in
      defer { state.isDamageTold = true }
      return state.isDamageTold
    }
    return isTold
      ? []
      : [
        .notice(
          "The keys of \(host) for signed tickets that were on board are not believed: \(damage). They are fetched anew; until then no "
            + "ticket can be verified.")
      ]
  }

  private var host: String { transport.server.hostAndPort }

  /// What is known of the key of that name; has it fetched where it is none yet.
  func key(_ name: String) -> TicketKeyRing.Finding {
    let now = now()
    let (finding, sleeper) = state.withLock { state in
      let finding = state.ring.key(name, at: now.monotonic, wall: now.trustedWall)
      let isMissing = [.notYet, .withdrawn, .noKeys].contains(finding)
      // The clock is believed by now: who fetches them keeps them, too.
      let canBeKept = state.unkept != nil && now.isTrusted
      return (finding, isMissing || canBeKept ? state.sleeper.take() : nil)
    }
    sleeper?.give(())
    return finding
  }

  /// Why no ticket can be verified; `nil` where there are keys.
  var fault: (reason: UndecidedReason, detail: String)? {
    let now = now()
    return state.withLock { state in
      if state.ring.isUsable(at: now.monotonic, wall: now.trustedWall) { return nil }
      let reason = state.fault.map { $0.reason.isFault ? $0.reason : .unreachable } ?? .unreachable
      return (reason, TicketJudge.withoutKeys(of: host, state.fault))
    }
  }

  /// What kept them from being fetched last; `nil` where nothing did.
  var lastFault: TransportFault? { state.withLock { $0.fault } }

  /// Returns once there are keys or a fault, at the deadline at the latest: where there are none nobody can be admitted, so that nobody
  /// waits longer for it. A command that only asks has nobody who fetches them, and does it here.
  func first(until deadline: MonotonicTime) async {
    let waiter = OneAnswer<Void>()
    let now = now()
    let isWatched = state.withLock { state -> Bool? in
      guard state.fault == nil, !state.ring.isUsable(at: now.monotonic, wall: now.trustedWall) else { return nil }
      if state.isWatched { state.waiting.append(waiter) }
      return state.isWatched
    }
    guard let isWatched else { return }
    guard isWatched else {
      _ = await fetch(until: deadline)
      return
    }
    await waiter.first(within: max(.zero, deadline - now.monotonic), else: ())
    state.withLock { $0.waiting.removeAll { $0 === waiter } }
  }

  // MARK: Fetching

  /// Fetches them whenever that is due, until it is cancelled.
  func watch(_ tell: @escaping @Sendable (UpkeepNews) -> Void) async {
    state.withLock { $0.isWatched = true }
    defer { state.withLock { $0.isWatched = false } }
    for news in damageNews() { tell(news) }
    while !Task.isCancelled {
      let sleeper = OneAnswer<Void>()
      let now = now()
      let time = now.monotonic
      let (due, kept) = state.withLock { state in
        state.sleeper = sleeper
        let kept = state.takeUnkept(at: now)
        let due = state.ring.nextFetch(at: time)
        return (state.unkept == nil ? due : min(due, time + Self.lookAgain), kept)
      }
      if let kept { await keep(kept.set, kept.at) }
      if due > time {
        await withTaskCancellationHandler {
          await sleeper.first(within: due - time, else: ())
        } onCancel: {
          sleeper.give(())
        }
        continue
      }
      for news in await fetch() { tell(news) }
    }
  }

  /// Fetches them now.
  /// - Parameter deadline: where it ends earlier than a fetch may take.
  /// - Returns: what an operator is to be told.
  func fetch(until deadline: MonotonicTime? = nil) async -> [UpkeepNews] {
    let began = now()
    let longest = began.monotonic + Self.longest
    state.withLock { $0.ring.beginFetch(at: began.monotonic) }
    var call = HTTPCall(.get, path: "/v1/verification/jwks")
    call.skipsCaches = true
    call.limits.mostBytes = TicketKeySet.mostBytes
    call.whenLost = "nothing was changed"
    let outcome = await transport.send(call, deadline: deadline.map { min($0, longest) } ?? longest) { _ in }
    switch read(outcome) {
    case .success(let set):
      let at = began.trustedWall ?? vouched(outcome, since: began)
      let (news, waiting) = state.withLock { state in
        (state.take(set, began.monotonic, at, host), state.takeWaiting())
      }
      for waiter in waiting { waiter.give(()) }
      if let at { await keep(set, at) }
      return news
    case .failure(let fault):
      let (news, waiting) = state.withLock { state in
        (state.take(fault, host, now()), state.takeWaiting())
      }
      for waiter in waiting { waiter.give(()) }
      return news
    }
  }

  /// When they were asked for, by a clock for which the answer vouches: where it tells the time, and another, nothing does.
  private func vouched(_ outcome: HTTPOutcome, since began: JournalTime) -> WallTime? {
    guard case .answered(let answer) = outcome.result, let date = answer.serverDate else { return nil }
    let now = now()
    guard (.zero - Self.agreement...Self.agreement).contains(now.wall - date) else { return nil }
    // Our clock may have been set while it was on its way.
    return now.wall - (now.monotonic - began.monotonic)
  }

  /// Keeps them for the next process.
  private func keep(_ set: TicketKeySet, _ at: WallTime) async {
    await SystemThread.run("ticket keys") { [record] in record.keep(set, fetched: at) }
  }

  private func read(_ outcome: HTTPOutcome) -> Result<TicketKeySet, TransportFault> {
    switch outcome.result {
    case .notSent(let fault), .lost(let fault): return .failure(fault)
    case .pending: return .failure(TransportFault(.unreachable, "\(host) did not answer in time."))
    case .answered(let answer):
      switch answer.status {
      case 200 where answer.isJSON:
        if let set = TicketKeySet(answer.body) { return .success(set) }
        return .failure(
          TransportFault(
            .badAnswer,
            "\(host) answered with no key of Ed25519 that can be believed. \(transport.words.addressCure)"))
      case 200 where answer.mediaType == nil:
        return .failure(
          TransportFault(
            .badAnswer,
            "\(host) answered without a Content-Type, so that nobody can tell whether these are its keys (/v1/verification/jwks). "
              + transport.words.addressCure))
      case 300...399:
        return .failure(
          TransportFault(
            .badAnswer,
            "\(host) wants to send us elsewhere for its keys (\(answer.status)). The address in the configuration must be the final one. "
              + transport.words.addressCure))
      case 408, 429, 500...599:
        return .failure(TransportFault(.unreachable, "\(host) does not tell its keys now (\(answer.status))."))
      default:
        return .failure(
          TransportFault(
            .badAnswer,
            "\(host) answered \(answer.status) where its keys should be (/v1/verification/jwks). "
              + transport.words.addressCure))
      }
    }
  }
}

extension TicketKeys {
  fileprivate static func hoursLeft(_ age: Duration?) -> Int64 {
    max(0, (TicketKeyRing.life - (age ?? .zero)).milliseconds / 3_600_000)
  }
}

extension JournalTime {
  /// The civil time, where it is trusted.
  var trustedWall: WallTime? { isTrusted ? wall : nil }
}
