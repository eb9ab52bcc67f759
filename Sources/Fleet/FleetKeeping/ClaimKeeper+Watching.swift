internal import FleetBook
package import ScanModel
internal import Synchronization

/// The beginning and the end of a keeper, and what it sees between: whether the store answers, and claims of its own that nobody answers for.
extension ClaimKeeper {
  /// How long the disk may take to tell what an earlier process has left.
  private static let longestRecall = Duration.seconds(5)
  /// After so many changes it is written down how far was watched.
  private static let noteEach = 500

  /// Takes up what an earlier process has left, and begins to tell it. To be called before gates decide; once is enough.
  /// - Returns: why that cannot be read: then nobody passes.
  @discardableResult package func start() async -> JournalFault? {
    guard !isStarted else { return nil }
    do throws(JournalFault) {
      let found = try await recall()
      if !isStarted {
        watched = found.cursor
        if let count = found.count { (saying.count, saying.isCountKnown) = (count, true) }
      }
    } catch { return error }
    guard !isStarted else { return nil }
    isStarted = true
    for row in rows.rows.values.sorted(by: { $0.intent.scan.description < $1.intent.scan.description })
    where row.conclusion == nil {
      var row = row
      // It was not durable: no gate has opened on it.
      row.conclusion = ClaimConclusion(
        scan: row.intent.scan, isAdmission: false,
        debts: ClaimRecovery.debts(of: row.intent, nil, station: settings.station))
      write(rows.set(row), isUrgent: true)
    }
    alone = AloneBook(settings.alone, admitted: rows.rows.values.count { $0.isUntoldAlone })
    owe(
      rows.owed.map { debt in
        var debt = debt
        debt.isRetold = true
        return debt
      })
    tasks = [
      Task(executorPreference: store.tasks) { [weak self, states = store.states] in
        for await state in states { await self?.take(state) }
      },
      Task(executorPreference: store.tasks) { [weak self, stream = store.watch(after: watched)] in
        await self?.follow(stream)
      },
      Task(executorPreference: store.tasks) { [weak self, clocks = store.clocks] in
        for await ahead in clocks { await self?.take(clock: ahead) }
      },
    ]
    return nil
  }

  /// Ends what runs by itself. What is owed stays with the journal.
  package func end() async {
    isEnded = true
    for task in tasks + [saying.reading, saying.writing, saying.telling].compactMap(\.self) { task.cancel() }
    telling?.cancel()
    write(rows.memory(of: watched), isUrgent: false)
  }

  private func recall() async throws(JournalFault) -> (cursor: ClaimRevision, count: StationWord.Count?) {
    var found = ClaimRows(fleet: settings.fleet)
    let told = try await found.recall(from: book, until: time.now() + Self.longestRecall)
    if !isStarted { rows = found }
    return told
  }

  private func take(_ state: ClaimStoreState) {
    switch state {
    case .ready:
      pausedUntil = nil
      alone.together()
      isBack()
    case .away(let fault):
      guard away != fault else { return }
      away = fault
      houseChanged()
      guard fault.isAway else {
        awaySince = nil
        return tellAway()
      }
      guard awaySince == nil else { return }
      let since = time.now()
      awaySince = since
      guard settings.awayAfter > .zero else { return tellAway() }
      Task { [weak self] in
        try? await Task.sleep(for: self?.settings.awayAfter ?? .zero)
        await self?.tellAway(since)
      }
    }
  }

  /// What is over before anybody notices is not told.
  private func tellAway(_ since: MonotonicTime? = nil) {
    guard let away, since == nil || since == awaySince, !isEnded else { return }
    isAwayTold = true
    tell(.alone(away))
  }

  /// Follows what changes, beside the gates: most of it is nothing of this station.
  private nonisolated func follow(_ stream: AsyncStream<ClaimWatch>) async {
    let name = Array(settings.station.description.utf8)
    var count = 0
    for await change in stream {
      var isPause = false
      switch change {
      case .stored(let stored) where stored.key.kind == .word:
        await take(word: stored)
        await saw(stored.revision)
      case .stored(let stored):
        // A signature is looked at only where there may be something to do.
        let wasTold = toldKeys.withLock { $0.contains(stored.key) }
        if wasTold || stored.value.contains(name), case .known(let known) = settings.seal.open(stored) {
          if wasTold { await lookForLosses(at: stored.key, known, by: ClaimSeal.author(of: stored.value)) }
          let own = known.claim.entries.filter { $0.station == settings.station }
          if own.contains(where: { !$0.isSettled }) { await look(at: stored.key, known) }
          if own.contains(where: { $0.state == .admitted }) { await lookForConflicts(at: stored.key, known.claim) }
        }
        await saw(stored.revision, by: ClaimSeal.author(of: stored.value))
      case .deleted(_, let revision): await saw(revision)
      case .caughtUp:
        isPause = true
        await sawAll()
      case .interrupted: await isBehind()
      }
      count += 1
      if isPause || count >= Self.noteEach {
        count = 0
        await noteWatched()
      }
    }
  }

  /// So many keys are remembered of which conflicts were told.
  private static let mostConflicts = 1_024

  /// Who was admitted here first learns by the watch that another station has let somebody in besides; whoever tells the fleet last, by that.
  private func lookForConflicts(at key: ClaimKey, _ claim: Claim) {
    guard !isEnded else { return }
    for entry in claim.entries where entry.station == settings.station && entry.state == .admitted {
      // What is being told brings it to light by itself.
      let isOwed = isOwed(entry.scan, on: key)
      let one = recent[entry.scan]
      // An earlier process knew how the ticket admits; where nobody tells, it may be one that admits again and again.
      let told = one.flatMap { $0.key == key ? $0.rule : nil }
      guard !isOwed, let rule = told ?? claim.quantity.map({ .quantity($0) }) else { continue }
      let conflicts = ClaimConflict.found(in: claim, rule, of: entry.scan)
      let known = conflictsTold[key] ?? 0
      guard conflicts.count > known else { continue }
      haveTold(conflicts.count, of: key)
      for conflict in conflicts.dropFirst(known) {
        tell(.conflict(conflict, scan: entry.scan, gate: entry.gate, subject: one?.subject))
      }
    }
  }

  func haveTold(_ count: Int, of key: ClaimKey) {
    if conflictsTold.updateValue(count, forKey: key) == nil { conflictOrder.append(key) }
    if conflictOrder.count > Self.mostConflicts { conflictsTold[conflictOrder.removeFirst()] = nil }
  }

  private func sawAll() {
    hasCaughtUp()
    if formerUntil == nil { formerUntil = time.now() + settings.formerWrites }
  }

  /// Whether a claim that this process has not made can be an earlier one's. Later it is another machine's, that writes as this station: what
  /// that one does nobody here knows, and nothing of it is released.
  private var mayBeFormer: Bool { formerUntil.map { time.now() < $0 } ?? true }

  private func tellOfDuplicate(_ entry: ClaimEntry) {
    guard !isEnded, !hasToldOfDuplicate else { return }
    hasToldOfDuplicate = true
    tell(
      .stuck(
        "Another machine writes claims as station \(settings.station) (at gate \(TerminalText.clean(entry.gate.name, limit: ClaimSeal.longestGate))), or this one has forgotten that it did. Each machine wants a station of its own in the fleet; a stolen one is taken out by: scangate fleet revoke"
      ))
  }

  private func saw(_ revision: ClaimRevision, by author: StationID? = nil) {
    watched = max(watched, revision)
    heard(author)
  }

  /// Not while something is being decided: its claim may be seen before its row is durable.
  private func noteWatched() {
    if running.isEmpty, !isEnded { write(rows.memory(of: watched), isUrgent: false) }
  }

  func isOwed(_ scan: ScanID, on key: ClaimKey) -> Bool {
    ([beingTold].compactMap(\.self) + owed).contains { $0.key == key && $0.entry.scan == scan }
  }

  /// Looks whether somebody answers for what a key has of this station.
  private func look(at key: ClaimKey, _ known: KnownClaim) async {
    func orphans() -> [ClaimDebt] {
      ClaimRecovery.orphans(
        in: known, on: key, station: settings.station,
        answered: { running[$0] != nil || isOwed($0, on: key) },
        // Of a sale's key the journal may know nothing, and of its ticket's all.
        fate: { rows[$0].map { ($0.intent, $0.conclusion) } })
    }
    for found in orphans() {
      var debt = found
      let scan = debt.entry.scan
      if rows[scan] == nil {
        guard mayBeFormer else {
          if !begun.contains(scan) { tellOfDuplicate(debt.entry) }
          continue
        }
        // A journal that is not known to be the newest has perhaps forgotten somebody; and one that has ended well keeps no row.
        switch await memory.wasAdmitted(scan) {
        case true: debt.goal = .admitted
        case false where memory.isReliable(): debt.goal = .released
        case false, nil: debt.goal = .interrupted
        }
      }
      // After the end it is for the next process to see.
      guard !isEnded, orphans().contains(where: { $0.entry.scan == scan }) else { continue }
      debt.isRetold = true
      let row =
        rows[scan]
        ?? ClaimRow(
          ClaimIntent(scan: scan, gate: debt.entry.gate, keys: [key], redeems: debt.goal != .released),
          conclusion: ClaimConclusion(scan: scan, isAdmission: debt.goal == .admitted, debts: []))
      oweAgain(debt, of: row)
    }
  }

  func oweAgain(_ debt: ClaimDebt, of row: ClaimRow) {
    var row = row
    row.conclusion?.debts.removeAll { $0.key == debt.key }
    row.conclusion?.debts.append(debt)
    row.told.remove(debt.key)
    write(rows.set(row), isUrgent: true)
    owe([debt])
  }
}
