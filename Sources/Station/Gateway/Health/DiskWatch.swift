internal import LinuxIO
import StationProtocol
internal import Synchronization

/// How much room the disk of a folder has. A disk may hold the question for minutes: then it is asked once, and whoever looks meanwhile
/// is told what it said before.
final class DiskWatch: Sendable {
  private struct State {
    var last: StationSnapshot.Disk?
    var isAsked = false
  }

  private let folder: String
  private let state = Mutex(State())

  init(_ folder: String) { self.folder = folder }

  /// - Returns: what it said last, where it does not answer within `limit`; `nil` where it has never answered.
  func look(within limit: Duration) async -> StationSnapshot.Disk? {
    guard !state.withLock({ exchange(&$0.isAsked, with: true) }) else { return state.withLock { $0.last } }
    let answer = OneAnswer<StationSnapshot.Disk?>()
    Task { [self] in
      let found = await SystemThread.run("disk") { [folder] in
        DiskSpace(of: folder).map { StationSnapshot.Disk(free: $0.free, size: $0.size) }
      }
      state.withLock { $0 = State(last: found) }
      answer.give(found)
    }
    return await answer.first(within: limit, else: state.withLock { $0.last })
  }
}
