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
    let mayTell = state.withLock { state in
      state.isAbsent = false
      if !state.isWatched { state.isWatched = inotify_add_watch(state.queue.number, folder, Self.news) >= 0 }
      hear(&state)
      return state.isWatched
    }
    let isFound = isThere()
    guard mayTell, !isFound else { return isFound }
    state.withLock { state in
      // What came since may be the file.
      state.isAbsent = !hear(&state) && state.isWatched
    }
    return false
  }

  /// Takes the news that there are; whether any is of the file.
  @discardableResult private func hear(_ state: inout State) -> Bool {
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
    if isAny { state.isAbsent = false }
    return isAny
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
