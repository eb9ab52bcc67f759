import Glibc
import Synchronization

/// Knows that a file is not there, for as long as nothing of its name has come into its folder: whoever asks reads a queue in memory
/// (inotify(7)) and no disk. From any thread.
///
/// ```
/// unknown ──looked for, not found, nothing came meanwhile──▶ absent ──something of its name came, or news was lost──▶ unknown
/// ```
package final class FileAbsence: Sendable {
  /// What a folder tells of: that a name has come into it, or that it is another folder by now.
  private static let news = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  private struct State: ~Copyable {
    let queue: OwnedDescriptor
    var isAbsent = false
    /// Whether the folder is watched; it is watched anew once it was not.
    var isWatched = false
    /// How often something of the file came, or may have: who looks for it may not be the one that hears of it.
    var count: UInt64 = 0
  }

  private let folder: String
  private let name: [UInt8]
  private let state: Mutex<State>

  /// Names a file; nothing is known of it yet.
  /// - Throws: the system's error where no queue can be had.
  package init(of name: String, in folder: String) throws(SystemError) {
    self.folder = folder
    self.name = [UInt8](name.utf8)
    state = Mutex(
      State(queue: try OwnedDescriptor(inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)), by: "inotify")))
  }

  /// Whether it surely is not there.
  package var isKnown: Bool {
    state.withLock { state in
      hear(&state)
      return state.isAbsent
    }
  }

  /// Looks for the file, which may wait for its disk; whether it is there.
  /// - Parameter isThere: looks; of what cannot be told it says that it is there.
  package func look(_ isThere: () -> Bool) -> Bool {
    let before: UInt64? = state.withLock { state in
      state.isAbsent = false
      if !state.isWatched { state.isWatched = inotify_add_watch(state.queue.number, folder, Self.news) >= 0 }
      hear(&state)
      return state.isWatched ? state.count : nil
    }
    let isFound = isThere()
    guard let before, !isFound else { return isFound }
    state.withLock { state in
      hear(&state)
      // What came since may be the file.
      state.isAbsent = state.isWatched && state.count == before
    }
    return false
  }

  /// Takes the news that there are.
  private func hear(_ state: inout State) {
    var isAny = false
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      while true {
        let count = read(state.queue.number, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        let told = concerns(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if told.isOver { state.isWatched = false }
        if told.isOver || told.isOfFile { isAny = true }
      }
    }
    guard isAny else { return }
    state.isAbsent = false
    state.count &+= 1
  }

  /// What news says: of the file; or that there may be more that is not told.
  private func concerns(_ bytes: UnsafeRawBufferPointer) -> (isOfFile: Bool, isOver: Bool) {
    let head = MemoryLayout<inotify_event>.size
    var (isOfFile, isOver, place) = (false, false, 0)
    while place + head <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
      let length = min(Int(event.len), bytes.count - place - head)
      let name = bytes[place + head..<place + head + length]
      // A folder's own end, a full queue, a watch that is gone.
      if event.mask & UInt32(IN_CREATE | IN_MOVED_TO) == 0 { isOver = true }
      if name.prefix(while: { $0 != 0 }).elementsEqual(self.name) { isOfFile = true }
      place += head + length
    }
    return (isOfFile, isOver)
  }
}
