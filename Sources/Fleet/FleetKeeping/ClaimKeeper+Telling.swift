package import FleetBook
internal import LinuxIO
package import ScanModel
internal import Synchronization

/// What the fleet has still to be told: one thing after another, in the order in which it happened, as long as it takes.
extension ClaimKeeper {
  /// How long the store may take to answer while nobody waits.
  private static let longestTelling = Duration.seconds(5)
  /// How long what cannot be told is left alone.
  private static let stuckFor = Duration.seconds(30)

  /// So much is still to be told.
  package var owedCount: Int { owed.count + (beingTold == nil ? 0 : 1) }

  /// So many admissions without the fleet's word are untold.
  package var untoldAlone: Int { alone.admitted }

  /// Somebody leaves who was admitted on the ticket, at this station or another; or did not pass after all.
  /// - Parameter target: which admission it is, where that is known.
  package func left(_ exit: ScanID, at gate: GateID, _ key: ClaimKey, of target: ScanID? = nil) {
    let entry = ClaimEntry(scan: exit, station: settings.station, gate: gate)
    let debt = ClaimDebt(key, entry, .left(by: exit, of: target))
    let row = ClaimRow(
      ClaimIntent(scan: exit, gate: gate, keys: [], redeems: false),
      conclusion: ClaimConclusion(scan: exit, isAdmission: false, debts: [debt]))
    // Of a journal that was not read yet nothing is written over: the rows of an earlier process lie in the same places.
    if isStarted { write(rows.set(row), isUrgent: true) }
    owe([debt])
  }

  /// Nobody has passed on one of the latest admissions of this process.
  /// - Returns: on which key it was, and the exit that it is told as; `nil` where it was none of those.
  package func annul(_ scan: ScanID, at gate: GateID) -> (key: ClaimKey, exit: ScanID)? {
    guard let key = recent[scan]?.key else { return nil }
    let exit = ScanID()
    left(exit, at: gate, key, of: scan)
    return (key, exit)
  }

  /// Those who left elsewhere of whom this station has admitted, as the leader has it; by the scans with which they left.
  package func exits(of key: ClaimKey, until end: MonotonicTime) async -> [ScanID] {
    guard
      case .found(.known(let known)) = await perform(
        ClaimCall(key, .read), until: min(end, time.now() + Self.longestCall))
    else { return [] }
    return known.claim.entries.compactMap { entry in
      if entry.station == settings.station, case .left(let exit) = entry.state { exit } else { nil }
    }
  }

  func owe(_ debts: [ClaimDebt]) {
    owed += debts.filter { new in !owed.contains { $0.key == new.key && $0.entry.scan == new.entry.scan } }
    // What cannot be told holds nothing else up.
    if stuck != nil { pausedUntil = nil }
    guard telling == nil, !owed.isEmpty, isStarted, !isEnded else { return }
    telling = Task(executorPreference: loop.tasks) { await self.tellOwed() }
  }

  private func tellOwed() async {
    defer { telling = nil }
    var later = 0
    while !Task.isCancelled, let debt = owed.first {
      // One that does not answer is asked again when there is hope, or after a while.
      if let paused = pausedUntil, time.now() < paused {
        try? await Task.sleep(for: min(settings.tellingPause, paused - time.now()))
        continue
      }
      pausedUntil = nil
      owed.removeFirst()
      beingTold = debt
      let (told, end) = await tell(debt)
      beingTold = nil
      switch end {
      case .told(let conflicts, let change, let revision):
        (later, stuck) = (0, nil)
        wasTold(told, conflicts, change, at: revision)
      case .later:
        later += 1
        owed.append(told)
        // Who is in is being told, or is another station's to tell.
        if later > owed.count { (later, pausedUntil) = (0, time.now() + settings.tellingPause) }
      case .away:
        owed.insert(told, at: 0)
        pausedUntil = time.now() + settings.tellingPause
      case .stuck(let words):
        later += 1
        // What came after it on the same key comes after it still.
        let same = owed.filter { $0.key == told.key }
        owed.removeAll { $0.key == told.key }
        owed += [told] + same
        if later > owed.count { (later, pausedUntil) = (0, time.now() + Self.stuckFor) }
        if stuck != words { tell(.stuck(words)) }
        stuck = words
      }
    }
  }

  private enum End {
    /// - Parameter change: by how many more are in the house.
    case told([ClaimConflict], change: Int, at: ClaimRevision?)
    case later
    case away
    case stuck(String)
  }

  private func tell(_ debt: ClaimDebt) async -> (ClaimDebt, End) {
    var telling = ClaimTelling(debt, policy: settings.policy)
    var call = telling.begin()
    while true {
      let answer = await perform(call, until: time.now() + Self.longestTelling)
      switch telling.take(answer) {
      case .call(let next):
        if case .failed(let fault) = answer, fault.isAway { return (telling.debt, .away) }
        together()
        call = next
      case .later: return (telling.debt, .later)
      case .told(let conflicts):
        together()
        return (telling.debt, .told(conflicts, change: telling.change, at: telling.standsAt))
      case .stuck(let fault, let flaw):
        return (telling.debt, .stuck(fault?.words ?? flaw?.words ?? "The claim cannot be read."))
      }
    }
  }

  /// - Parameters:
  ///   - change: by how many more are in the house.
  ///   - revision: at which the claim has it; `nil` where it has nothing of it.
  private func wasTold(
    _ debt: ClaimDebt, _ conflicts: [ClaimConflict], _ change: Int, at revision: ClaimRevision?
  ) {
    let scan = debt.entry.scan
    if let revision {
      let (begun, ended) = told.take(debt, at: revision)
      toldKeys.withLock { keys in
        if let begun { keys.insert(begun) }
        if let ended { keys.remove(ended) }
      }
    }
    let row = rows[scan]
    // A sale is claimed beside its tickets, for the same persons.
    let change = debt.key.kind == .ticket && saying.counted.remove(scan) == nil ? change : 0
    if change != 0 { saying.count.add(change) }
    // Together: what was told once is counted once, whatever is cut off.
    let counted = change == 0 ? [:] : rows.memory(of: saying.count)
    if var row {
      let wasUntold = row.isUntoldAlone
      row.told.insert(debt.key)
      write(rows.set(row).merging(counted) { $1 }, isUrgent: false)
      if wasUntold, !row.isUntoldAlone { alone.told() }
    } else if change != 0 {
      write(counted, isUrgent: false)
    }
    if change != 0 { countChanged() }
    if !conflicts.isEmpty { haveTold(conflicts.count, of: debt.key) }
    for conflict in conflicts {
      tell(.conflict(conflict, scan: scan, gate: debt.entry.gate, subject: row?.subject))
    }
  }
}

extension ClaimFault {
  /// Whether nobody answers, or no majority. Every other fault somebody has to mend.
  package var isAway: Bool { self == .noQuorum || self == .lostAnswer }

  /// For whoever has to mend it.
  package var words: String {
    switch self {
    case .lostAnswer: "The fleet's servers did not answer in time."
    case .wrongRevision: "Another station has written the claim meanwhile."
    case .noQuorum: "No majority of the fleet's servers can be reached."
    case .full:
      "The fleet's servers have no room for more claims. Look at their disks, and at what the bucket may take."
    case .deleted: "A claim was deleted by somebody who administers the servers: what it was is not known."
    case .otherVersion(let words), .refused(let words): words
    }
  }
}

extension ClaimFlaw {
  /// For whoever has to look at it.
  package var words: String {
    switch self {
    case .garbage(let what): "What the fleet has of the ticket is no claim: \(what)."
    case .laterVersion(let version):
      "What the fleet has of the ticket was written by a later program (format \(version)): update this station."
    case .stranger(let name):
      "What the fleet has of the ticket was written by \(TerminalText.clean(name, limit: 40)), which is none of fleet.stations."
    case .signature(let station): "What the fleet has of the ticket was not written by \(station), which it names."
    case .deleted: "What the fleet had of the ticket was deleted by somebody who administers the servers."
    }
  }
}
