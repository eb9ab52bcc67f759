import EventSchedule
import Expectations
import Foundation
import Glibc
import Journal
import LinuxIO
import ScanConfiguration
import ScanModel
import Sealing
import Testing
import TicketLists
import TicketSystemKit

@testable import Doctor

/// A folder of a test's own, gone at the end: a root of a machine, and a state folder.
final class Place: Sendable {
  let path: String
  var state: String { path + "/state" }
  var keys: SealKeySource { SealKeySource(state: state, given: nil) }
  var machine: Machine { Machine(root: path, service: nil, holder: nil) }

  init() throws {
    path = "\(temporaryRoot)/scangate-doctor-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path + "/state", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Puts a file below the folder.
  @discardableResult func put(_ file: String, _ text: String, mode: Int = 0o644) throws -> String {
    let whole = path + file
    let folder = String(whole[..<(whole.lastIndex(of: "/") ?? whole.endIndex)])
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: whole))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: whole)
    return whole
  }

  /// Has facts in the station's journal.
  func journal(_ facts: [JournalFact]) async throws {
    let key = try keys.open().key
    let path = state + "/journal.sqlite"
    let journal = try Journal.open(
      Journal.Settings(path: path), key: key, boot: BootID("boot 1"), time: SystemTime(),
      trust: JournalTrust(of: path))
    try await journal.written(journal.enqueue(JournalBatch(facts: facts)))
    await journal.close()
  }

  /// Has a list on board of the ticket system `main`, true since so many hours.
  func list(_ csv: String, hours: Int64 = 1, server: String) throws {
    let file = try put("/tickets.csv", csv)
    let settings = TicketImport.Settings(
      place: TicketListPlace(state: state, system: TicketSystemID("main"), server: server), key: try keys.open().key,
      isTrial: false, isForced: true, recognise: { $0 }, folding: { _ in nil }, zone: { _, _, _ in nil })
    let work = try TicketImport(settings)
    try work.read(try OwnedDescriptor.open(file, O_RDONLY), named: "tickets.csv")
    let asOf = SystemTime().wall() - .seconds(hours * 3_600)
    _ = try work.finish(asOf: asOf, imported: asOf)
  }

  /// A station of this file.
  func station(_ text: String = Place.yaml) throws -> StationConfiguration {
    try ConfigurationFile.parse(
      text: text, file: "station.yaml", options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
  }

  static let yaml = """
    version: 1
    station: { name: door }
    ticketSystems:
      main: { type: eventschedule, url: "http://127.0.0.1:9", apiKey: main }
    readers:
      left: { type: wedge, match: { vendor: "0c2e", port: "1-1.2" }, keymap: us }
      right: { type: serial, match: { vendor: "05f9", port: "1-1.3" } }
    gates:
      north:
        readers: [left]
        ticketSystem: main
        accept: { minLength: 4 }
        outputs: { relay: { gpio: { chip: board, line: RELAY0 } }, green: { led: tower-green } }
        offline: { policy: list }
      south: { readers: [right], ticketSystem: main, outputs: { red: { led: tower-red } } }
    """
}

extension [Finding] {
  /// Their severities, for what they are all about.
  var severities: [Finding.Severity] { map(\.severity) }
}

/// A provisional admission of some minutes ago.
func owed(_ code: String, minutes: Int64) -> OwedAdmission {
  OwedAdmission(
    attempt: AttemptID(),
    scan: Scan(
      id: ScanID(), gate: GateID("north"), reader: ReaderID("left"), code: Code(code),
      readAt: MonotonicTime(nanoseconds: 5)),
    system: TicketSystemID("main"), server: "eventschedule http://127.0.0.1:9", ticket: TicketKey([1, 2]),
    decider: .list, mayBeTold: false,
    at: JournalTime(
      wall: SystemTime().wall() - .seconds(minutes * 60), monotonic: MonotonicTime(nanoseconds: 6), isTrusted: true),
    boot: BootID("boot 1"))
}

/// A scan that is over.
func scanned(_ code: String, holder: String? = nil) -> JournaledScan {
  let monotonic = MonotonicTime(nanoseconds: 90_000_000_000)
  var scan = JournaledScan(
    scan: Scan(
      id: ScanID(), gate: GateID("north"), reader: ReaderID("left"), code: Code(code), readAt: monotonic),
    system: TicketSystemID("main"), ticket: TicketKey([UInt8](code.utf8)),
    at: JournalTime(wall: SystemTime().wall(), monotonic: monotonic, isTrusted: true), decidedIn: .milliseconds(50),
    verdict: .admit, decider: .server, admitted: 1)
  scan.holder = holder
  return scan
}

/// An order of staff that was done.
func ordered(_ kind: String, _ subject: String? = nil) -> JournaledOrder {
  JournaledOrder(
    id: OrderID(), kind: kind, gate: nil, subject: subject, who: "anna", user: 0, why: "", outcome: "done",
    at: JournalTime(wall: SystemTime().wall(), monotonic: MonotonicTime(nanoseconds: 6), isTrusted: true))
}
