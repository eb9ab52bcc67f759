internal import ScanModel
internal import StationProtocol

/// Conflicts that no member of staff has acknowledged. Pure; the oldest are only counted where they are very many.
struct OpenConflicts: Sendable {
  /// More are not told apart: they are counted, and are acknowledged after a restart, when the journal tells of them again.
  private static let most = 1_000

  private var known: [StationSnapshot.Conflict] = []
  private var uncounted = 0

  /// How many there are.
  var count: Int { known.count + uncounted }

  /// The newest, newest first.
  var newest: [StationSnapshot.Conflict] { Array(known.suffix(StationLimits.maximumConflicts).reversed()) }

  /// Adds one, or takes what is known of it now.
  mutating func add(_ conflict: StationSnapshot.Conflict) {
    if let index = known.firstIndex(where: { $0.id == conflict.id }) { return known[index] = conflict }
    known.append(conflict)
    if known.count > Self.most {
      known.removeFirst()
      uncounted += 1
    }
  }

  /// - Returns: whether it was there.
  mutating func remove(_ admission: AttemptID) -> Bool {
    guard let index = known.firstIndex(where: { $0.id == admission }) else { return false }
    known.remove(at: index)
    return true
  }
}

extension StationSnapshot.Conflict {
  /// What listeners are told of it.
  init(_ conflict: OutboxConflict) {
    self.init(conflict.owed, conflict.told)
  }

  init(_ owed: OwedAdmission, _ told: ToldAdmission) {
    self.init(
      id: owed.attempt, system: owed.system, gate: owed.scan.gate,
      code: owed.scan.code.bytes.isEmpty ? nil : owed.scan.code.shortened, admitted: owed.at.wall,
      state: told.ending.rawValue, reason: told.reason?.rawValue,
      words: told.said.map { TerminalText.clean($0, limit: 400) })
  }
}
