package import ScanModel

/// What a station writes down before a ticket system is asked on a claim: what may have been done if nothing more is heard of it.
package struct ClaimIntent: Hashable, Sendable {
  /// The presentation.
  package var scan: ScanID
  /// At which gate.
  package var gate: GateID
  /// The keys that are claimed, as far as they are known by then.
  package var keys: [ClaimKey]
  /// Whether a ticket system that redeems is asked.
  package var redeems: Bool
  /// Earlier scans whose place it takes, of which it is not known what they did.
  package var repeats: Set<ScanID>
  /// Whether it goes on without the fleet's word; when, by the station's clock.
  package var aloneSince: WallTime?

  package init(
    scan: ScanID, gate: GateID, keys: [ClaimKey], redeems: Bool, repeats: Set<ScanID> = [], aloneSince: WallTime? = nil
  ) {
    self.scan = scan
    self.gate = gate
    self.keys = keys
    self.redeems = redeems
    self.repeats = repeats
    self.aloneSince = aloneSince
  }
}

/// What became of a claim, for the station's journal: before a gate opens on it.
package struct ClaimConclusion: Hashable, Sendable {
  /// The presentation.
  package var scan: ScanID
  /// Whether the gate is to open.
  package var isAdmission: Bool
  /// What the fleet has to be told of it, whatever comes next.
  package var debts: [ClaimDebt]

  package init(scan: ScanID, isAdmission: Bool, debts: [ClaimDebt]) {
    self.scan = scan
    self.isAdmission = isAdmission
    self.debts = debts
  }
}

/// What a station has to tell the fleet of one key.
package struct ClaimDebt: Hashable, Sendable {
  /// How things are.
  package enum Goal: Hashable, Sendable {
    /// Somebody was admitted.
    case admitted
    /// Nobody was, and surely nothing was redeemed: its place is free.
    case released
    /// The ticket system may have recorded an admission, and nobody was admitted, or that is not known.
    case interrupted
    /// Somebody left, by this scan, who was admitted on the ticket; on which entry, where that is chosen already.
    case left(by: ScanID, of: ScanID?)
  }

  /// Where.
  package var key: ClaimKey
  /// Of which entry; of an exit only gate and station count.
  package var entry: ClaimEntry
  /// How things are.
  package var goal: Goal
  /// How the ticket admits, as the station was told.
  package var rule: ClaimDemand.Rule
  /// Whether it may have been told already: an earlier answer was lost, or an earlier process had begun.
  package var isRetold = false

  package init(
    _ key: ClaimKey, _ entry: ClaimEntry, _ goal: Goal, rule: ClaimDemand.Rule = .quantity(nil), isRetold: Bool = false
  ) {
    self.key = key
    self.entry = entry
    self.goal = goal
    self.rule = rule
    self.isRetold = isRetold
  }
}

/// What a station still has to tell of what an earlier process has left.
package enum ClaimRecovery {
  /// Of what its journal has of one scan.
  /// - Parameter conclusion: `nil` where there is none: then no gate has opened.
  package static func debts(
    of intent: ClaimIntent, _ conclusion: ClaimConclusion?, station: StationID
  ) -> [ClaimDebt] {
    if let conclusion {
      return conclusion.debts.map { debt in
        var debt = debt
        debt.isRetold = true
        return debt
      }
    }
    var entry = ClaimEntry(scan: intent.scan, station: station, gate: intent.gate)
    entry.isProvisional = intent.aloneSince != nil
    entry.saidAt = intent.aloneSince
    let goal: ClaimDebt.Goal = intent.redeems ? .interrupted : .released
    return intent.keys.map { ClaimDebt($0, entry, goal, isRetold: true) }
  }

  /// Of what a key has of this station and nobody of this process answers for: a claim that was on its way when the earlier one ended.
  ///
  /// A ticket system is asked once the intent is durable, and a gate opens once the conclusion is: of which the journal has nothing, that has done nothing.
  /// - Parameters:
  ///   - answered: whether a scan is being decided, or has a debt of this key open.
  ///   - fate: what the journal has of a scan.
  package static func orphans(
    in known: KnownClaim, on key: ClaimKey, station: StationID, answered: (ScanID) -> Bool,
    fate: (ScanID) -> (intent: ClaimIntent, conclusion: ClaimConclusion?)?
  ) -> [ClaimDebt] {
    known.claim.entries.compactMap { entry in
      guard entry.station == station, !entry.isSettled, !answered(entry.scan) else { return nil }
      guard let fate = fate(entry.scan) else { return ClaimDebt(key, entry, .released) }
      let debts = debts(of: fate.intent, fate.conclusion, station: station)
      var debt = debts.first { $0.key == key } ?? debts.first ?? ClaimDebt(key, entry, .interrupted)
      // How a ticket admits is not how its sale does.
      if debt.key != key { debt.rule = .quantity(nil) }
      debt.key = key
      debt.entry = entry
      // It says already all that can be said.
      if entry.state == .interrupted, debt.goal == .interrupted { return nil }
      if entry.state == .interrupted, debt.goal == .released, entry.mayHaveRedeemed { return nil }
      return debt
    }
  }
}
