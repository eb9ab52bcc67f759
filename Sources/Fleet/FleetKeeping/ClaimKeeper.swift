package import FleetBook
package import LinuxIO
package import ScanModel
internal import Synchronization

/// Carries out what the claims of a station ask: calls of the store, rows of the journal, and what is told afterwards.
///
/// ```
/// claim ──▶ the store, and beside it the intent's row ── both ──▶ held ── the ticket system admits ──▶ admitted
///   │ no                                                          │ it does not: ended              │ row, durable
///   ▼                                                             ▼                                 ▼
/// stopped                                                      told later ◀── opened, notOpened ◀── open
/// ```
/// What to do it does not know: that is in `ClaimAttempt` and `ClaimTelling`, which are pure. It lives on the gates' thread, so that a claim
/// wakes nobody but the store.
package actor ClaimKeeper {
  /// What a fleet is to a station.
  package struct Settings: Sendable {
    /// The fleet's name.
    package var fleet: String
    /// Who we are.
    package var station: StationID
    /// What names tickets and sales.
    package var key: FleetKey
    /// What writes and reads claims.
    package var seal: ClaimSeal
    /// What is done without the fleet.
    package var alone: AlonePolicy
    /// How long things hold.
    package var policy: ClaimPolicy
    /// How long it is waited before something is told that could not be.
    package var tellingPause: Duration
    /// So long after the whole book was seen for the first time, a write of an earlier process may still come, through a server that stood still.
    package var formerWrites: Duration
    /// So long has the fleet not answered before people wait for it no more, and somebody is told.
    package var awayAfter: Duration
    /// What the station says of itself to the others; `nil` of one that says nothing, and counts nobody in the house.
    package var word: StationWord?
    /// So long it waits at least between two words, so that of many stations none fills the servers with them.
    package var wordPause: Duration
    /// So long between two tellings of how many are in the house.
    package var housePause: Duration

    package init(
      fleet: String, station: StationID, key: FleetKey, seal: ClaimSeal, alone: AlonePolicy,
      policy: ClaimPolicy = ClaimPolicy(), tellingPause: Duration = .seconds(2), formerWrites: Duration = .seconds(60),
      awayAfter: Duration = .milliseconds(1500), word: StationWord? = nil, wordPause: Duration? = nil,
      housePause: Duration = .seconds(5)
    ) {
      self.word = word
      self.wordPause = wordPause ?? max(.seconds(10), .milliseconds(250) * seal.names.count)
      self.housePause = housePause
      self.awayAfter = awayAfter
      self.tellingPause = tellingPause
      self.formerWrites = formerWrites
      self.fleet = fleet
      self.station = station
      self.key = key
      self.seal = seal
      self.alone = alone
      self.policy = policy
    }
  }

  /// What the journal knows besides.
  package struct Memory: Sendable {
    /// Whether somebody was admitted by a scan of this station; `nil` where that cannot be told.
    package var wasAdmitted: @Sendable (ScanID) async -> Bool?
    /// Whether the journal is known to be this station's own and newest.
    package var isReliable: @Sendable () -> Bool

    package init(
      wasAdmitted: @escaping @Sendable (ScanID) async -> Bool?, isReliable: @escaping @Sendable () -> Bool = { true }
    ) {
      self.wasAdmitted = wasAdmitted
      self.isReliable = isReliable
    }
  }

  /// One presentation that is being decided.
  struct Running {
    var attempt: ClaimAttempt
    var subject: ClaimSubject
    /// The intent that is being made durable.
    var noting: (intent: ClaimIntent, mark: JournalMark)?
    /// The conclusion that is.
    var concluding: JournalMark?
    var isAlone = false
  }

  /// One of the latest admissions of this process.
  struct Recent {
    var key: ClaimKey
    var rule: ClaimDemand.Rule
    var subject: ClaimSubject
  }

  /// What servers of rows are called, so that no address of a ticket system is taken for one.
  package static let serverPrefix = "fleet "
  /// How long the store may take to answer one call while somebody stands at a gate: then its answer is lost.
  static let longestCall = Duration.milliseconds(700)
  /// How long the disk may take to hold a conclusion.
  static let durableWithin = Duration.seconds(1)
  /// So many of the latest admissions can be taken back, and named in a conflict.
  static let mostRecent = 4_096

  package nonisolated let settings: Settings
  nonisolated let store: any ClaimStore
  nonisolated let book: any AttemptBook
  nonisolated let memory: Memory
  nonisolated let time: any TimeSource
  nonisolated let loop: DeviceLoop

  var rows: ClaimRows
  var running: [ScanID: Running] = [:]
  var seen = SeenClaims()
  var alone: AloneBook
  /// Why the store is known not to answer; `nil` while it is not.
  package internal(set) var away: ClaimFault?
  /// Since when nobody answers, or no majority.
  var awaySince: MonotonicTime?
  /// At the beginning it is told that the fleet answers, too.
  var isAwayTold = true
  /// What is to be told, in this order.
  var owed: [ClaimDebt] = []
  /// What is being told.
  var beingTold: ClaimDebt?
  var telling: Task<Void, Never>?
  /// Whether the store was without answer when something was told last, so that it is waited for.
  var pausedUntil: MonotonicTime?
  var tasks: [Task<Void, Never>] = []
  /// Where the watch has come to.
  var watched = ClaimRevision.none
  var recent: [ScanID: Recent] = [:]
  var recentOrder: [ScanID] = []
  /// The latest claims that this process has begun: what else is written as this station is another's.
  var begun: Set<ScanID> = []
  private var begunOrder: [ScanID] = []
  /// Until when claims of an earlier process may still come; `nil` until the whole book was seen once.
  var formerUntil: MonotonicTime?
  var hasToldOfDuplicate = false
  /// How many conflicts of a key were told here, so that each is told once.
  var conflictsTold: [ClaimKey: Int] = [:]
  var conflictOrder: [ClaimKey] = []
  /// Admissions that the fleet was told; and their keys, for who follows what changes.
  var told = ToldAdmissions()
  nonisolated let toldKeys = Mutex<Set<ClaimKey>>([])
  /// Which losses were told, so that each is told once.
  var lossesTold: Set<String> = []
  var isStarted = false
  /// Nothing begins by itself any more.
  var isEnded = false
  private var starting: Task<Void, Never>?
  /// What could not be told last, so that it is said once.
  var stuck: String?
  /// What is known of all stations' words, and of this one's.
  var saying = Saying()
  private var report: (@Sendable (ClaimNews) -> Void)?
  private var untold: [ClaimNews] = []

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes the keeper; nothing is asked before `start`.
  package init(
    _ settings: Settings, store: any ClaimStore, book: any AttemptBook, memory: Memory, loop: DeviceLoop,
    time: any TimeSource
  ) {
    self.settings = settings
    self.store = store
    self.book = book
    self.memory = memory
    self.time = time
    self.loop = loop
    rows = ClaimRows(fleet: settings.fleet)
    alone = AloneBook(settings.alone)
  }

  /// What tickets, sales and lines are called in the fleet: nobody without its key learns a code of it.
  package nonisolated func name(_ kind: ClaimKey.Kind, server: String, scope: [UInt8], _ bytes: [UInt8]) -> ClaimKey? {
    settings.key.name(kind, Array(server.utf8), scope, bytes)
  }

  /// Takes news, from any thread; those that came before anybody listened first.
  package func listen(_ report: @escaping @Sendable (ClaimNews) -> Void) {
    self.report = report
    for news in untold { report(news) }
    untold = []
  }

  func tell(_ news: ClaimNews) {
    if let report { return report(news) }
    if untold.count < 100 { untold.append(news) }
  }

  var boot: BootTime { BootTime(of: time) }

  // MARK: Deciding

  /// Claims a ticket for one presentation.
  /// - Parameters:
  ///   - end: until when the fleet is waited for.
  ///   - isListed: whether a list on board that may be believed admits the ticket; asked only where the station is alone and goes by it.
  package func claim(
    _ presentation: ClaimPresentation, until end: MonotonicTime, isListed: @Sendable () async -> Bool
  ) async -> ClaimWord {
    guard isStarted else {
      startAgain()
      return .unkept(
        JournalFault(.unavailable, "What the journal has of this station's claims was not read yet. Look at the disk."))
    }
    let repeats = rows.repeats(of: [presentation.demand.key]) { running[$0] != nil }
    var attempt = ClaimAttempt(
      presentation.scan, at: presentation.gate, of: settings.station, [presentation.demand], repeats: repeats,
      redeems: presentation.redeems, policy: settings.policy)
    let effects = attempt.begin(at: boot, wall: time.wall(), knowing: nil, isAway: isAway)
    running[presentation.scan] = Running(attempt: attempt, subject: presentation.subject)
    if begun.insert(presentation.scan).inserted { begunOrder.append(presentation.scan) }
    if begunOrder.count > Self.mostRecent { begun.remove(begunOrder.removeFirst()) }
    switch await drive(presentation.scan, effects, until: end, isListed: isListed) {
    case .redeem: return .held
    case .ended(let verdict): return .stopped(verdict)
    case .unkept(let fault): return .unkept(fault)
    case .open: return .stopped(.late)
    }
  }

  /// A disk that was away may be back; whoever stands there now does not wait for it.
  private func startAgain() {
    guard starting == nil else { return }
    starting = Task {
      await start()
      starting = nil
    }
  }

  /// The ticket system admits, or there is none to ask.
  /// - Parameters:
  ///   - demands: what it told of the ticket, and the sale.
  ///   - end: until when the fleet is waited for.
  package func admitted(
    _ scan: ScanID, _ demands: [ClaimDemand], until end: MonotonicTime, isListed: @Sendable () async -> Bool
  ) async -> ClaimOpening {
    guard running[scan] != nil else { return .stopped(.late) }
    switch await drive(scan, handle(scan, .redeemed(demands)), until: end, isListed: isListed) {
    case .open(let until): return .open(until: until, isAlone: running[scan]?.isAlone ?? false)
    case .ended(let verdict): return .stopped(verdict)
    case .unkept(let fault): return .unkept(fault)
    case .redeem: return .stopped(.late)
    }
  }

  /// The ticket system does not admit, or nobody knows what it has done.
  /// - Parameter surelyNothing: whether it has surely recorded nothing.
  package func ended(_ scan: ScanID, surelyNothing: Bool) {
    finish(scan, surelyNothing ? .refused(surelyNothing: true) : .unanswered)
  }

  /// The gate has opened, or may have.
  package func opened(_ scan: ScanID) { finish(scan, .opened) }

  /// It has not, and will not.
  package func notOpened(_ scan: ScanID) { finish(scan, .notOpened) }

  /// Whether the fleet is known not to answer, so that nobody waits for it: not yet where only a connection is being made anew.
  private var isAway: Bool { awaySince.map { time.now() - $0 >= settings.awayAfter } ?? false }

  func handle(
    _ scan: ScanID, _ event: ClaimAttempt.Event, cutOff: Set<ScanID> = []
  ) -> [ClaimAttempt.Effect] {
    guard var one = running[scan] else { return [] }
    let effects = one.attempt.handle(event, at: boot, wall: time.wall(), cutOff: cutOff)
    running[scan] = one
    return effects
  }

  /// What needs no waiting.
  private func finish(_ scan: ScanID, _ event: ClaimAttempt.Event) {
    for effect in handle(scan, event) {
      switch effect {
      case .close(let conclusion): conclude(conclusion)
      case .end(let verdict, let debts): isOver(scan, verdict, debts)
      case .call, .note, .askAlone, .redeem, .conclude, .open: break
      }
    }
  }

  private enum Stop {
    case redeem
    case open(BootTime)
    case ended(ClaimVerdict)
    case unkept(JournalFault)
  }

  /// Does what is asked until somebody else has to do something.
  private func drive(
    _ scan: ScanID, _ first: [ClaimAttempt.Effect], until end: MonotonicTime, isListed: @Sendable () async -> Bool
  ) async -> Stop {
    var effects = first
    var fault: JournalFault?
    while true {
      var call: (number: UInt32, call: ClaimCall)?
      var asksAlone = false
      for effect in effects {
        switch effect {
        case .call(let number, let what): call = (number, what)
        case .note(let intent): note(intent, of: scan)
        case .askAlone: asksAlone = true
        case .redeem: return .redeem
        case .conclude(let conclusion): running[scan]?.concluding = conclude(conclusion)
        case .close(let conclusion): conclude(conclusion)
        case .open(let until): return .open(until)
        case .end(let verdict, let debts):
          isOver(scan, verdict, debts)
          return fault.map { .unkept($0) } ?? .ended(verdict)
        }
      }
      if asksAlone {
        effects = await goAlone(scan, isListed: isListed)
      } else if let call {
        guard time.now() < end else {
          effects = handle(scan, .timeIsUp)
          continue
        }
        let answer = await perform(call.call, until: min(end, time.now() + Self.longestCall))
        if case .failed = answer {} else { together() }
        var cutOff: Set<ScanID> = []
        if case .found(.known(let known)) = answer {
          cutOff = seen.see(known.claim, at: boot, limit: settings.policy.cutOffAfter)
        }
        effects = handle(scan, .answered(call.number, answer), cutOff: cutOff)
      } else if let concluding = running[scan]?.concluding {
        running[scan]?.concluding = nil
        fault = await undurable(concluding, within: Self.durableWithin)
        effects = handle(scan, fault == nil ? .concluded : .notOpened)
      } else if let noting = running[scan]?.noting {
        running[scan]?.noting = nil
        fault = await undurable(noting.mark, within: Self.durableWithin)
        effects = handle(scan, fault == nil ? .noted(noting.intent) : .timeIsUp)
      } else {
        // Nothing is under way: the scan is over.
        return .ended(.late)
      }
    }
  }

  /// Why it is not durable in time; `nil` when it is.
  private func undurable(_ mark: JournalMark, within: Duration) async -> JournalFault? {
    do throws(JournalFault) {
      if try await book.durable(mark, until: time.now() + within) { return nil }
      return JournalFault(
        .unavailable,
        "The disk takes longer than \(within.milliseconds) ms to keep what this station tells its fleet. Look at the disk."
      )
    } catch { return error }
  }

  private func goAlone(_ scan: ScanID, isListed: @Sendable () async -> Bool) async -> [ClaimAttempt.Effect] {
    alone.alone(at: boot)
    var listed = false
    if case .list = settings.alone { listed = await isListed() }
    let word = alone.word(isListed: listed, at: boot)
    if word == .mayAdmit {
      // Counted before it is decided: two gates at once are no more than the bound.
      alone.admit()
      running[scan]?.isAlone = true
      houseChanged()
    }
    return handle(scan, .alone(word))
  }

  /// The fleet answers.
  func together() {
    alone.together()
    if away?.isAway == true { isBack() }
  }

  func isBack() {
    // It may have answered before anybody asked how it is.
    guard away != nil || isAwayTold else { return }
    (away, awaySince) = (nil, nil)
    if isAwayTold { tell(.together) }
    isAwayTold = false
    houseChanged()
    wordChanged()
  }

  /// Makes a call.
  nonisolated(nonsending) func perform(_ call: ClaimCall, until end: MonotonicTime) async -> ClaimAnswer {
    if call.after > .zero { try? await Task.sleep(for: call.after) }
    do throws(ClaimFault) {
      switch call.kind {
      case .write(let claim, let revision):
        guard let bytes = settings.seal.seal(claim, for: call.key, replacing: revision, in: store.format)
        else {
          throw .refused("The claim cannot be written: it has more than a value may hold.")
        }
        if revision == .none { return .written(try await store.create(call.key, bytes, until: end)) }
        return .written(try await store.update(call.key, bytes, at: revision, until: end))
      case .read:
        guard let stored = try await store.read(call.key, until: end) else { return .found(.absent) }
        return .found(settings.seal.open(stored))
      }
    } catch { return .failed(error) }
  }

  // MARK: Writing down

  private func note(_ intent: ClaimIntent, of scan: ScanID) {
    let mark = write(rows.set(ClaimRow(intent, subject: running[scan]?.subject)), isUrgent: true)
    running[scan]?.noting = (intent, mark)
  }

  @discardableResult private func conclude(_ conclusion: ClaimConclusion) -> JournalMark {
    guard var row = rows[conclusion.scan] else { return write([:], isUrgent: false) }
    // That nothing was done needs no disk, unless it has something else already.
    let isUrgent = row.conclusion != nil || conclusion.isAdmission || !conclusion.debts.isEmpty
    row.conclusion = conclusion
    return write(rows.set(row), isUrgent: isUrgent)
  }

  @discardableResult func write(_ memory: [LedgerKey: [UInt8]?], isUrgent: Bool) -> JournalMark {
    book.enqueue(JournalBatch(memory: memory, isUrgent: isUrgent))
  }

  private func isOver(_ scan: ScanID, _ verdict: ClaimVerdict, _ debts: [ClaimDebt]) {
    guard let one = running.removeValue(forKey: scan) else { return }
    let isAdmission = if case .admit = verdict { true } else { false }
    if one.isAlone, !isAdmission { alone.told() }
    if isAdmission, let debt = debts.first {
      remember(scan, Recent(key: debt.key, rule: debt.rule, subject: one.subject))
    }
    // A claim that went alone at once has no row where nobody may pass.
    guard let row = rows[scan] else { return }
    // Whose place it has taken need not be remembered: what they may have done is in this one now.
    if isAdmission || debts.contains(where: { $0.goal == .interrupted }) {
      let replaced = row.intent.repeats.filter { rows[$0]?.owed.isEmpty == true }
      if !replaced.isEmpty { write(rows.remove(replaced), isUrgent: false) }
    }
    owe(debts)
  }

  private func remember(_ scan: ScanID, _ one: Recent) {
    recent[scan] = one
    recentOrder.append(scan)
    if recentOrder.count > Self.mostRecent { recent[recentOrder.removeFirst()] = nil }
  }

  /// Writes everything again, for a journal that has lost it.
  package func writeAnew() {
    write(rows.memory().merging(rows.memory(of: saying.count)) { $1 }, isUrgent: true)
  }
}
