import CPowerCut
import Glibc

/// Records what SQLite does to the files of a folder, in this process.
///
/// With the first start, SQLite's default VFS becomes one that notes and hands on; it stays so, and notes nothing where nothing
/// is recorded. Several folders may be recorded at once.
package final class PowerCutRecorder: @unchecked Sendable {
  // Unchecked: the pointer never changes, and what it points to has a lock of its own.
  private let recording: OpaquePointer

  /// The folder that is recorded.
  package let folder: String

  /// Makes a recorder of a folder that is there. Files in folders within it are not recorded.
  package init(folder: String) throws(PowerCutError) {
    guard let made = powercut_make(folder) else { throw PowerCutError("The folder \(folder) is not there.") }
    recording = made
    self.folder = folder
  }

  deinit { powercut_release(recording) }

  /// Begins, with what the folder holds now. Once, and before anybody opens a database in it.
  package func start() throws(PowerCutError) {
    let result = powercut_start(recording)
    guard result == 0 else {
      throw PowerCutError("\(folder) cannot be recorded: \(String(cString: strerror(result))).")
    }
  }

  /// Ends. Databases may still be open; what is done to them is not recorded any more.
  package func stop() { powercut_stop(recording) }

  /// Notes that somebody was told, at this moment, that `mark` is durable.
  package func promised(_ mark: UInt64) { powercut_note_mark(recording, mark) }

  /// A sync that somebody else than SQLite does.
  package struct Sync: Sendable { fileprivate let number: UInt64 }

  /// Notes that somebody is about to sync a file of the folder by a descriptor of their own. What was written before this
  /// call is covered, once `syncEnded` is called.
  /// - Parameter file: its name or path; one that SQLite has not opened covers nothing.
  package func syncBegan(_ file: String) -> Sync {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return Sync(number: powercut_note_sync_begin(recording, name))
  }

  /// Notes that somebody is about to sync the folder itself: the names in it.
  package func folderSyncBegan() -> Sync { Sync(number: powercut_note_folder_sync_begin(recording)) }

  /// Notes that the sync has returned without error. One that failed is never said to have ended.
  package func syncEnded(_ sync: Sync) { powercut_note_sync_end(recording, sync.number) }

  /// What was recorded so far.
  package func log() throws(PowerCutError) -> PowerCutLog {
    let count = powercut_count(recording)
    guard count >= 0 else { throw PowerCutError("Memory ran out while \(folder) was recorded.") }
    return PowerCutLog((0..<count).compactMap { Self.event(powercut_at(recording, $0)) })
  }

  private static func event(_ event: powercut_event) -> PowerCutLog.Event? {
    let name = event.name.map { String(cString: $0) } ?? ""
    let bytes = [UInt8](UnsafeBufferPointer(start: event.bytes, count: event.count))
    let file = Int(event.file)
    switch event.kind {
    case POWERCUT_PRESENT: return .present(file: file, name: name, bytes: bytes)
    case POWERCUT_CREATED: return .created(file: file, name: name)
    case POWERCUT_WROTE: return .wrote(file: file, offset: Int(event.place), bytes: bytes)
    case POWERCUT_TRUNCATED: return .truncated(file: file, length: Int(event.place))
    case POWERCUT_DELETED: return .deleted(name: name)
    case POWERCUT_SYNC_BEGAN: return .syncBegan(sync: Int(event.place), file: file)
    case POWERCUT_FOLDER_SYNC_BEGAN: return .folderSyncBegan(sync: Int(event.place))
    case POWERCUT_SYNC_ENDED: return .syncEnded(sync: Int(event.place))
    case POWERCUT_PROMISED: return .promised(event.place)
    default: return nil
    }
  }
}

/// Why something could not be recorded or laid out.
package struct PowerCutError: Error, CustomStringConvertible {
  /// What happened.
  package let description: String
  init(_ description: String) { self.description = description }
}
