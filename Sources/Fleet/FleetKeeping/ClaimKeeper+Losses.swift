internal import FleetBook
internal import ScanModel

/// What somebody takes out of the fleet's book that this station has told it.
extension ClaimKeeper {
  /// So many different losses are told.
  private static let mostLosses = 256

  /// Looks whether admissions that the fleet was told are still in their claim, and says once more what is not.
  /// - Parameter author: who has written the claim.
  func lookForLosses(at key: ClaimKey, _ known: KnownClaim, by author: StationID?) {
    guard !isEnded else { return }
    for loss in told.losses(in: known, on: key) {
      let debt = loss.debt
      tellOfLoss(loss, by: author)
      guard !loss.isGivenUp, !isOwed(debt.entry.scan, on: key) else { continue }
      let row =
        rows[debt.entry.scan]
        ?? ClaimRow(
          ClaimIntent(scan: debt.entry.scan, gate: debt.entry.gate, keys: [key], redeems: false),
          conclusion: ClaimConclusion(scan: debt.entry.scan, isAdmission: true, debts: []),
          subject: recent[debt.entry.scan]?.subject)
      // Who is in was counted when it was told for the first time.
      if key.kind == .ticket { saying.counted.insert(debt.entry.scan) }
      oweAgain(debt, of: row)
    }
  }

  private func tellOfLoss(_ loss: ToldAdmissions.Loss, by author: StationID?) {
    let gate = TerminalText.clean(loss.debt.entry.gate.name, limit: ClaimSeal.longestGate)
    let who =
      author == settings.station
      ? "Another machine of this station's name" : "Whoever writes as station \(author?.description ?? "?")"
    let done =
      loss.isGivenUp
      ? "again and again, and it is left alone: other stations may let somebody in on that ticket"
      : "and it was written once more"
    let words =
      "\(who) has taken an admission at gate \(gate) of this station out of the fleet's book, \(done). No station does that: its credential was stolen or copied (scangate fleet revoke \(author?.description ?? "STATION")), or the servers' books differ (scangate fleet status)."
    guard lossesTold.count < Self.mostLosses, lossesTold.insert(words).inserted else { return }
    tell(.stuck(words))
  }
}
