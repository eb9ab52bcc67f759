internal import FoundationEssentials
internal import ScanModel
internal import Sealing

/// The session's records on the disk, and what of them is in memory.
struct ControlRecordCache {
  private let store: SealedRecordStore
  private var kept: (stamp: RecordStamp, record: ControlRecord)?

  init(_ store: SealedRecordStore) { self.store = store }

  /// The record as it is now, and words for what of it cannot be read.
  /// - Throws: why it cannot be had. One that is damaged is not taken for one that is absent: a station that was activated must not
  ///   be armed by it. `kiosk reset` takes it away.
  mutating func current() throws(SealFault) -> (record: ControlRecord, problems: [String]) {
    // Looked at before it is read: what is written in between is read the next time.
    let stamp = try store.stamp(ControlRecord.name)
    guard let stamp else {
      kept = nil
      return (ControlRecord(), [])
    }
    if let kept, kept.stamp == stamp { return (kept.record, []) }
    let bytes: [UInt8]?
    do throws(SealFault) {
      bytes = try store.get(ControlRecord.name)
    } catch {
      guard error.kind == .damaged else { throw error }
      throw SealFault(
        .damaged, "\(error.description) Forget it by: scangate kiosk reset. Then activate the station with a new code.")
    }
    guard let bytes else { return (ControlRecord(), []) }
    let result = ControlRecord.read(bytes)
    kept = (stamp, result.record)
    return result
  }

  /// Changes the record durably, and nothing of it that another process has changed meanwhile; one that is damaged stays as it is.
  mutating func change(_ body: (inout ControlRecord) -> Void) throws(SealFault) -> ControlRecord {
    var changed = ControlRecord()
    try store.update(ControlRecord.name) { bytes in
      changed = bytes.map { ControlRecord.read($0).record } ?? ControlRecord()
      body(&changed)
      // Nothing in it has no form in JSON.
      return (try? changed.bytes()) ?? bytes
    }
    kept = nil
    return changed
  }

  mutating func forget() throws(SealFault) {
    kept = nil
    try store.remove(ControlRecord.name)
  }
}

/// What may be lost: counters, and when the server was heard. Kept apart, so that writing it endangers nothing.
struct ControlSeen: Sendable, Equatable, Codable {
  static let name = "control.seen"

  /// The counters of all processes.
  var counters = ControlCounters()
  /// When the server was heard last.
  var heard: WallTime?

  /// What is kept; empty where nothing is, or it cannot be read.
  static func read(_ store: SealedRecordStore) -> Self { (try? store.get(name)).map(read) ?? Self() }

  private static func read(_ bytes: [UInt8]) -> Self {
    (try? JSONDecoder().decode(Self.self, from: Data(bytes))) ?? Self()
  }

  /// Adds what was seen to what is kept.
  func add(to store: SealedRecordStore) throws(SealFault) {
    try store.update(Self.name, replacingDamaged: true) { bytes in
      var sum = bytes.map(Self.read) ?? Self()
      sum.counters.add(counters)
      sum.heard = [sum.heard, heard].compactMap { $0 }.max()
      return (try? JSONEncoder().encode(sum)).map { [UInt8]($0) } ?? bytes
    }
  }
}
