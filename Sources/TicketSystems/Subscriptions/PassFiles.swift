internal import Glibc
internal import LinuxIO
package import ScanModel
internal import Synchronization
package import TicketSystemKit

/// The keys and the revoked passes that a station goes by, read again when their files change. A file that cannot be used as it is keeps
/// what it said before: nobody passes because of it, and nobody's revoked pass is good again.
package final class PassFiles: Sendable {
  /// How often it is looked whether they have changed.
  package static let interval = Duration.seconds(2)

  /// What they say.
  struct Content: Sendable, Equatable {
    var keys: PassKeys
    var revoked: RevokedPasses
  }

  private struct Stamp: Sendable, Equatable {
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int
    var size: Int64
  }

  private struct State: Sendable {
    var content: Content
    /// What each file was when it was read last, or why it could not be.
    var stamps: [String: Stamp] = [:]
    var faults: [String: String] = [:]
  }

  private let keysPath: String?
  private let revokedPath: String?
  private let state: Mutex<State>

  /// Reads both.
  /// - Parameters:
  ///   - keys: `nil` where no signed pass is taken.
  ///   - revoked: `nil` where none is revoked.
  /// - Throws: what is wrong with them: at the start there is nothing that they said before.
  package init(keys: String?, revoked: String?, of id: TicketSystemID) throws(SetupError) {
    keysPath = keys
    revokedPath = revoked
    var state = State(content: Content(keys: PassKeys([]), revoked: .none))
    do throws(PassListFault) {
      if let keys {
        state.stamps[keys] = Self.stamp(keys)
        state.content.keys = try Self.readKeys(keys)
      }
      if let revoked {
        state.stamps[revoked] = Self.stamp(revoked)
        state.content.revoked = try Self.readRevoked(revoked)
      }
    } catch {
      throw SetupError("ticketSystems.\(id): \(error.description)")
    }
    self.state = Mutex(state)
  }

  /// What is wrong with both, all at once: where there is something, `init` throws.
  static func problems(keys: String?, revoked: String?) -> [TicketSystemType.FileProblem] {
    func problems(
      _ path: String?, _ read: (String) throws(PassListFault) -> Void
    ) -> [TicketSystemType.FileProblem] {
      guard let path else { return [] }
      do throws(PassListFault) {
        try read(path)
        return []
      } catch {
        return error.problems.map { TicketSystemType.FileProblem(path: path, words: $0) }
      }
    }
    return problems(keys) { path throws(PassListFault) in _ = try readKeys(path) }
      + problems(revoked) { path throws(PassListFault) in _ = try readRevoked(path) }
  }

  /// What they say now.
  var content: Content { state.withLock { $0.content } }

  /// Looks whether they have changed, until it is cancelled.
  package func watch(_ tell: @escaping @Sendable (UpkeepNews) -> Void) async {
    while (try? await Task.sleep(for: Self.interval)) != nil {
      for news in await SystemThread.run("pass files", { self.look() }) { tell(news) }
    }
  }

  /// Looks once; blocks.
  /// - Returns: what an operator is to be told, each trouble once.
  func look() -> [UpkeepNews] {
    [
      keysPath.flatMap { path in
        look(path, "keys") { content throws(PassListFault) in
          content.keys = try Self.readKeys(path)
        }
      },
      revokedPath.flatMap { path in
        look(path, "revoked passes") { content throws(PassListFault) in
          let bytes = try Self.bytes(path, RevokedPasses.mostBytes)
          // A full disk leaves such a file, and so does an editor for a moment.
          if bytes.isEmpty, content.revoked.count > 0 {
            throw PassListFault(["\(path):1:1: it is empty, and was not: if no pass is revoked any more, write # none"])
          }
          content.revoked = try RevokedPasses.read(bytes, file: path)
        }
      },
    ].compactMap(\.self)
  }

  private func look(
    _ path: String, _ what: String, _ read: (inout Content) throws(PassListFault) -> Void
  ) -> UpkeepNews? {
    let now = Self.stamp(path)
    let (before, content, fault) = state.withLock { ($0.stamps[path], $0.content, $0.faults[path]) }
    if now != nil, now == before, fault == nil { return nil }
    var new = content
    do throws(PassListFault) {
      try read(&new)
    } catch {
      let words = error.problems.first ?? path
      state.withLock { state in
        state.stamps[path] = now
        state.faults[path] = words
      }
      return words == fault
        ? nil : .alarm("The list of \(what) cannot be used, and what it said before counts on. \(words)")
    }
    state.withLock { [new] state in
      state.stamps[path] = now
      state.faults[path] = nil
      state.content = new
    }
    return new == content && fault == nil ? nil : .notice("The list of \(what) (\(path)) was read anew.")
  }

  private static func stamp(_ path: String) -> Stamp? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Stamp(
      inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec,
      size: Int64(status.st_size))
  }

  private static func readKeys(_ path: String) throws(PassListFault) -> PassKeys {
    try PassKeys.read(bytes(path, PassKeys.mostBytes), file: path)
  }

  private static func readRevoked(_ path: String) throws(PassListFault) -> RevokedPasses {
    try RevokedPasses.read(bytes(path, RevokedPasses.mostBytes), file: path)
  }

  private static func bytes(_ path: String, _ limit: Int) throws(PassListFault) -> [UInt8] {
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      return try SmallFile.read(file.number, upTo: limit)
    } catch {
      throw PassListFault(["\(path) cannot be read (\(error.words)). Let the service read it."])
    }
  }
}
