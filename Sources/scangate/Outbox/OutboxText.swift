import Journal
import ScanModel

/// The outbox in words.
enum OutboxText {
  /// One line on an admission: as the lines on unsettled requests, so that both make one table.
  static func line(_ one: JournalOwed) -> String {
    var parts = [
      JournalText.padded(LocalTime.text(one.at), 20), String(one.scan.description.prefix(8)),
      JournalText.padded(clean(one.gate.name), 10), JournalText.padded(one.code?.shortened ?? "-", 5),
      JournalText.padded(clean(one.state), 12), "decided by \(clean(one.decider))",
    ]
    if let reason = one.ending?.reason { parts.append(clean(reason)) }
    if let said = one.ending?.said { parts.append(clean(said)) }
    if let entry = one.ending?.entryID { parts.append("entry \(clean(entry))") }
    return parts.joined(separator: "  ")
  }

  /// How many conflicts there are, such as `3 admissions not confirmed: 2 contradicted, 1 tooLate`.
  static func count(_ conflicts: [JournalOwed]) -> String {
    guard !conflicts.isEmpty else { return "no admission without confirmation" }
    let kinds = kinds(of: conflicts).filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
    return "\(conflicts.count) admissions not confirmed: \(kinds.joined(separator: ", "))"
  }

  /// How many conflicts of each kind there are.
  static func kinds(of conflicts: [JournalOwed]) -> [(name: String, count: Int)] {
    ToldAdmission.Ending.allCases.filter(\.isConflict).map { ending in
      (ending.rawValue, conflicts.count { $0.state == ending.rawValue })
    }
  }

  private static func clean(_ text: String) -> String { TerminalText.clean(text, limit: 200) }
}
