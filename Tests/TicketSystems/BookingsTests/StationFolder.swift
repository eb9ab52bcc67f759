import Expectations
import Foundation
import ScanModel
import Sealing
import Synchronization
import TicketLists
import TicketSystemKit
import TicketTransport

@testable import Bookings

/// A station's state folder: what outlives its process. Gone at the end.
final class StationFolder: Sendable {
  let path: String
  let key: SealKey

  convenience init() throws {
    let path = temporaryRoot + "/theatre-\(UUID())"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try self.init(at: path)
  }

  private init(at path: String) throws {
    self.path = path
    key = try SealKeySource(state: path, given: nil).open().key
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Sealed records in it, as the service keeps them.
  var records: SealedRecordStore { SealedRecordStore(keys: SealKeySource(state: path, given: nil)) }

  var journal: String { path + "/journal.sqlite" }

  /// As a process leaves it that is killed now, whoever writes.
  func left() throws -> StationFolder {
    let copy = temporaryRoot + "/theatre-\(UUID())"
    while true {
      let log = logHead
      try FileManager.default.createDirectory(
        atPath: copy, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() where !name.hasSuffix("-shm") {
        do {
          try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy + "/" + name)
        } catch {
          // What was about to take another's place has taken it.
          let isThere = FileManager.default.fileExists(atPath: path + "/" + name)
          guard !isThere || FileManager.default.fileExists(atPath: copy + "/" + name) else { throw error }
        }
      }
      // A log that was begun anew meanwhile no longer fits the file that was copied before it.
      if logHead == log { return try StationFolder(at: copy) }
      try FileManager.default.removeItem(atPath: copy)
    }
  }

  private var logHead: Data? {
    guard let log = FileHandle(forReadingAtPath: journal + "-wal") else { return nil }
    defer { try? log.close() }
    return try? log.read(upToCount: 32)
  }

  /// In which of its files a text stands.
  func files(with text: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder), !isFolder.boolValue
      else { return false }
      return try Data(contentsOf: URL(filePath: path + "/" + name)).range(of: Data(text.utf8)) != nil
    }
  }
}

/// Sessions as the service keeps them; knows each that was ever kept, so that it can be looked for elsewhere.
final class SealedSessions: SessionRecords {
  private let records: SealedRecordStore
  private let seen = Mutex((cookies: Set<String>(), calls: 0))

  init(_ folder: StationFolder) { records = folder.records }

  /// The sessions, as they go over the wire.
  var cookies: Set<String> { seen.withLock { $0.cookies } }
  /// How many lists and checks the record has that was put down last.
  var calls: Int { seen.withLock { $0.calls } }

  func read(_ name: String) -> [UInt8]? {
    let bytes = (try? records.get(name)) ?? nil
    if let record = bytes.flatMap({ DoorRecord($0) }) { note(record) }
    return bytes
  }

  func keep(_ bytes: [UInt8]?, as name: String) {
    if let bytes { try? records.set(name, bytes) } else { _ = try? records.remove(name) }
    guard let record = bytes.flatMap({ DoorRecord($0) }) else { return }
    note(record)
    if name.hasPrefix("bookings.calls.") { seen.withLock { $0.calls = record.calls.count } }
  }

  private func note(_ record: DoorRecord) {
    guard let cookie = record.session?.cookie.toBeSealed else { return }
    seen.withLock { _ = $0.cookies.insert(cookie) }
  }
}
