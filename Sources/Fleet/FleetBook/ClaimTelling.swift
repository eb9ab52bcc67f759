internal import ScanModel

/// Tells the fleet one thing of one key, however often answers are lost: reads, changes, writes at the revision that it read.
///
///     read ──▶ the key shows that it is so already ──▶ told
///      ▲  ╲──▶ write ── written ────────────────────▶ told
///      └── lost, wrong revision, no quorum ──┘
///
/// An entry that is not there proves nothing: the reading may be old, its write may come yet. So what there is is written again as it is; once
/// that is made, no earlier write comes any more. A write that is made late is made on what it was judged by, and does no harm.
package struct ClaimTelling: Hashable, Sendable {
  /// What to do next.
  package enum Step: Hashable, Sendable {
    case call(ClaimCall)
    /// Another thing is to be told first: who is in on the key. Tell that, then begin again.
    case later
    /// The fleet knows; with the conflicts that this brought to light.
    case told([ClaimConflict])
    /// The key cannot be used: it stays owed, and is tried again when somebody has seen to it.
    case stuck(ClaimFault?, ClaimFlaw?)
  }

  /// What is told.
  package private(set) var debt: ClaimDebt
  /// By how many the persons in the house have become more by what is told; 0 before it is, and of what is no ticket.
  package private(set) var change = 0
  /// Once it is told: the revision that has its entry; `nil` where the claim has none of it.
  package private(set) var standsAt: ClaimRevision?
  private let pause: Duration
  private var conflicts: [ClaimConflict] = []
  /// Whether what is being written has its entry.
  private var isKept = false

  package init(_ debt: ClaimDebt, policy: ClaimPolicy) {
    self.debt = debt
    pause = policy.pause
  }

  /// The first call.
  package func begin() -> ClaimCall { ClaimCall(debt.key, .read) }

  /// The next step.
  package mutating func take(_ answer: ClaimAnswer) -> Step {
    switch answer {
    case .written(let revision):
      standsAt = isKept ? revision : nil
      return .told(conflicts)
    case .found(.unusable(let flaw)): return .stuck(nil, flaw)
    case .found(.absent): return change(Claim(), at: .none)
    case .found(.known(let known)): return change(known.claim.dated(known.time), at: known.revision)
    case .failed(let fault):
      switch fault {
      case .wrongRevision: return .call(begin())
      case .lostAnswer, .noQuorum:
        if fault.mayBeWritten { debt.isRetold = true }
        return .call(ClaimCall(debt.key, .read, after: pause))
      case .deleted: return .stuck(nil, .deleted)
      case .full, .otherVersion, .refused: return .stuck(fault, nil)
      }
    }
  }

  private mutating func change(_ found: Claim, at revision: ClaimRevision) -> Step {
    var claim = found
    conflicts = []
    change = 0
    var isThere = found.entry(of: debt.entry.scan) != nil
    switch debt.goal {
    case .admitted: guard admit(&claim) else { return .stuck(.full, nil) }
    case .released: release(&claim)
    case .interrupted: guard interrupt(&claim) else { return .stuck(.full, nil) }
    case .left(let exit, let target):
      switch leave(&claim, exit, target) {
      case .wait: return .later
      case .told: (isThere, change) = (true, -1)
      case .changed: (isThere, change) = (false, -1)
      case .nobody: isThere = false
      }
    }
    isKept = claim.entry(of: debt.entry.scan) != nil
    guard claim != found || !isThere else {
      standsAt = revision
      return .told(conflicts)
    }
    return .call(ClaimCall(debt.key, .write(claim, at: revision)))
  }

  /// - Returns: whether there is place for it.
  private mutating func admit(_ claim: inout Claim) -> Bool {
    change = isInAlready(claim) ? 0 : 1
    if let place = claim.entries.firstIndex(where: { $0.scan == debt.entry.scan }) {
      // Told already, and the answer was lost: what it brought to light may have been lost with it.
      if !claim.entries[place].isSettled { claim.entries[place].state = .admitted }
    } else {
      // One that had its place and has it no more may have been told, have left since, and be one of those that are counted only. Of an
      // interval only the newest are kept. Every other one was taken away, by whomever: that somebody is in is said once more.
      let isKept = if case .interval = debt.rule { false } else { true }
      guard debt.entry.isProvisional || isKept, !(debt.isRetold && claim.folded > 0) else {
        if !isKept { change = 0 }
        return true
      }
      var entry = debt.entry
      entry.state = .admitted
      guard claim.append(entry) else { return false }
    }
    if case .quantity(let told?) = debt.rule { claim.quantity = told }
    conflicts = ClaimConflict.found(in: claim, debt.rule, of: debt.entry.scan)
    return true
  }

  /// A ticket that is good again after an interval is one person's, who may have left without a scan.
  private func isInAlready(_ claim: Claim) -> Bool {
    guard case .interval = debt.rule else { return false }
    return claim.entries.last { $0.isSettled && $0.scan != debt.entry.scan }?.state == .admitted
  }

  private func release(_ claim: inout Claim) {
    guard let place = claim.entries.firstIndex(where: { $0.scan == debt.entry.scan }),
      !claim.entries[place].isSettled
    else { return }
    // An earlier request on it may have redeemed: then its place is not free.
    if claim.entries[place].mayHaveRedeemed {
      claim.entries[place].state = .interrupted
    } else {
      claim.entries.remove(at: place)
    }
  }

  /// - Returns: whether there is place for it.
  private func interrupt(_ claim: inout Claim) -> Bool {
    if let place = claim.entries.firstIndex(where: { $0.scan == debt.entry.scan }) {
      guard !claim.entries[place].isSettled else { return true }
      claim.entries[place].state = .interrupted
      claim.entries[place].mayHaveRedeemed = true
    } else if debt.entry.isProvisional {
      var entry = debt.entry
      entry.state = .interrupted
      entry.mayHaveRedeemed = true
      return claim.append(entry)
    }
    return true
  }

  private enum Leaving { case changed, told, nobody, wait }

  private mutating func leave(_ claim: inout Claim, _ exit: ScanID, _ target: ScanID?) -> Leaving {
    if claim.entries.contains(where: { $0.state == .left(by: exit) }) { return .told }
    // It may have been told and be one of those that are counted only. One exit too few keeps a place; one too many gives one away.
    if debt.isRetold && claim.folded > 0 { return .nobody }
    let place =
      claim.entries.firstIndex { $0.scan == target && $0.state == .admitted }
      ?? claim.entries.lastIndex { $0.state == .admitted }
    guard let place else {
      // Who is in may not have been told yet.
      return claim.entries.contains { $0.state == .claimed } ? .wait : .nobody
    }
    debt.goal = .left(by: exit, of: claim.entries[place].scan)
    claim.entries[place].state = .left(by: exit)
    return .changed
  }
}
