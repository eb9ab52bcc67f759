/// What a remark says, without a language: what was found, with what fills its gaps, and the words that came with it.
package struct StationFinding: Equatable, Sendable {
  /// What was found. The raw values are the names of texts.
  package enum Kind: String, Sendable, CaseIterable {
    /// The ticket system does not answer, and nobody passes: the system.
    case gateNeedsSystem
    /// None of a gate's readers reads: their names.
    case noReader
    case cannotOpen
    /// The reason.
    case cannotDecide
    case notSetUp
    case maintenanceOrdered
    case maintenanceByInput
    case maintenanceOfFleet
    case closed
    case starting
    case readerParked
    case readerWaiting
    case readerFailed
    /// The reason.
    case systemFault
    /// The host, and why.
    case systemOffline
    /// How many requests there are.
    case budgetSpent
    /// By how much.
    case clockAhead
    case clockBehind
    case listUnreadable
    /// How old it is, and may be.
    case listOld
    /// What became of its refresh.
    case listRefresh
    case outboxHeld
    /// How many, and since when.
    case outboxWaits
    /// How many.
    case outboxConflicts
    case journalFailing
    case journalDoubted
    case reloadKept
    case reloadNeedsRestart
    case clockUntrusted
    /// The version that runs, and the one that is installed.
    case otherVersion
    /// In how many days, when, and whose.
    case certificateShort
    /// When, and whose.
    case certificateOver
    /// How many MB are free, and of how many.
    case diskFull
    case diskFilling
    /// The station is without its fleet: why.
    case fleetAlone
    /// Nobody is let in: why.
    case fleetUnusable
    /// What cannot be told.
    case fleetStuck
    /// By how much this machine's clock is off the fleet's.
    case fleetClockAhead
    case fleetClockBehind
    /// Who names tickets otherwise than others.
    case fleetDiffers
  }

  /// What fills a gap.
  package enum Value: Equatable, Sendable {
    /// A name, a number: the same in each language.
    case text(String)
    /// What events call by a name: `reason`, `offline`, `refresh`.
    case name(of: String, String)
    case age(Duration)
  }

  package var kind: Kind
  package var values: [Value]
  /// Words that came with it from elsewhere: a server's, a device's, a file's.
  package var detail: String?

  package init(_ kind: Kind, _ values: Value..., detail: String? = nil) {
    self.kind = kind
    self.values = values
    self.detail = detail
  }
}
