internal import FleetBook
internal import ScanModel

/// The latest admissions that the fleet was told and has taken, so that it shows where somebody takes one out of its claim afterwards. Pure.
///
/// Nobody of a fleet does: an entry goes from `admitted` to `left`, and who has left is counted only once a claim has very many. Whoever has a
/// station's credential can.
struct ToldAdmissions {
  /// So many it keeps.
  static let most = ClaimKeeper.mostRecent
  /// So often one is written once more: two machines do not write against each other for ever.
  static let mostTimes = 3

  /// One that is not in its claim any more.
  struct Loss: Equatable {
    var debt: ClaimDebt
    /// Whether it was written once more so often that it is left alone from now on.
    var isGivenUp: Bool
  }

  private struct One {
    var debt: ClaimDebt
    /// The last revision that is known to have it.
    var revision: ClaimRevision
    var times = 0
  }

  private var byKey: [ClaimKey: [One]] = [:]
  /// The keys of all, oldest first; each in its own key's order.
  private var order: [ClaimKey] = []

  /// Takes one that was told.
  /// - Returns: keys that it has begun to look at, and has ceased to.
  mutating func take(_ debt: ClaimDebt, at revision: ClaimRevision) -> (begun: ClaimKey?, ended: ClaimKey?) {
    // Of an interval only the newest are kept.
    guard debt.goal == .admitted else { return (nil, nil) }
    if case .interval = debt.rule { return (nil, nil) }
    if let place = byKey[debt.key]?.firstIndex(where: { $0.debt.entry.scan == debt.entry.scan }) {
      byKey[debt.key]?[place].revision = revision
      return (nil, nil)
    }
    let begun = byKey[debt.key] == nil ? debt.key : nil
    byKey[debt.key, default: []].append(One(debt: debt, revision: revision))
    order.append(debt.key)
    return (begun, order.count > Self.most ? forget(order.removeFirst()) : nil)
  }

  private mutating func forget(_ key: ClaimKey) -> ClaimKey? {
    byKey[key]?.removeFirst()
    guard byKey[key]?.isEmpty != false else { return nil }
    byKey[key] = nil
    return key
  }

  /// Those that a claim has no more; each revision tells once.
  mutating func losses(in known: KnownClaim, on key: ClaimKey) -> [Loss] {
    guard let all = byKey[key] else { return [] }
    var losses: [Loss] = []
    for (place, one) in all.enumerated() {
      guard known.revision > one.revision, one.times <= Self.mostTimes, !known.claim.has(one.debt.entry.scan) else {
        continue
      }
      let times = one.times + 1
      byKey[key]?[place].revision = known.revision
      byKey[key]?[place].times = times
      losses.append(Loss(debt: one.debt, isGivenUp: times > Self.mostTimes))
    }
    return losses
  }
}

extension Claim {
  /// Whether an admission is there, or one of those that are counted only: that is so in claims of very many.
  fileprivate func has(_ scan: ScanID) -> Bool {
    if let entry = entry(of: scan) { return entry.isSettled }
    return folded > 0 && entries.count >= Claim.roomy / 2
  }
}
