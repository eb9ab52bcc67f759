internal import FoundationEssentials
internal import LinuxIO
package import ScanModel
internal import Admission
package import Calls

/// What a keeper must not forget over restarts, besides tickets.
struct KeeperNotes: Codable, Equatable {
  /// Why a ticket system's key may not scan, by its name, as the ticket system said last.
  var keyFaults: [String: String] = [:]
  /// The ledger's part when the clock was trusted last.
  var part: [UInt8]?
  /// How far the ticket system's clocks are apart, where that was learnt.
  var recordOffset: LearntOffset?
  /// At what distances tickets came back as used, as if those clocks were apart.
  var suspicions: [RecordSuspicion]?
  /// How this machine's clock was confirmed.
  var clock: ClockTrust.Confirmation?
}

/// How a ticket system is, for a gate.
package struct TicketSystemNews: Sendable, Equatable {
  /// Why it counts as offline; `nil` where it does not.
  package var offline: OfflineCause?
  /// Why nobody can be admitted, as was found last.
  package var fault: SystemCheck.Fault?
  /// Whether it is being asked that for the first time since the start, or the reload.
  package var isBeingAsked: Bool
  /// Why fresh tickets cannot be told from used ones: its clocks contradict one another.
  package var clockFault: String?
  /// Why nobody can tell whether it would decide a scan, although it answers.
  package var doubt: String?
  /// When the last question began that was answered as it should be.
  package var proven: MonotonicTime?
}

extension LedgerStore {
  /// Where a keeper's notes lie: no entry of a ticket system has such a name.
  private var notesKey: LedgerKey { LedgerKey(server: server, kind: .entry, bytes: [0] + Array("notes".utf8)) }

  /// The notes in the journal's form.
  func memory(of notes: KeeperNotes) -> [LedgerKey: [UInt8]?] {
    (try? JSONEncoder().encode(notes)).map { [notesKey: [UInt8]($0)] } ?? [:]
  }

  /// The notes that an earlier process left.
  nonisolated(nonsending) func recallNotes(until end: MonotonicTime) async throws(JournalFault) -> KeeperNotes {
    let found = try await dependencies.book.recall([notesKey], until: end)
    return found[notesKey].flatMap { try? JSONDecoder().decode(KeeperNotes.self, from: Data($0)) } ?? KeeperNotes()
  }
}
