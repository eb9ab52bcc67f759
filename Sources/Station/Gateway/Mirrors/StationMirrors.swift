internal import LinuxIO

/// The logs that a station tells of passages for as long as it runs.
struct StationMirrors: Sendable {
  /// Those that tell now.
  struct Running: Sendable {
    fileprivate let tasks: [Task<Void, Never>]
    fileprivate let fence: MirrorFence

    /// No more is told; what is under way is awaited by `end`.
    func cancel() { for task in tasks { task.cancel() } }

    /// Returns once nothing is told any more, after `limit` at the latest.
    /// - Returns: whether nothing is.
    @discardableResult func end(within limit: Duration) async -> Bool {
      let ended = OneAnswer<Bool>()
      Task {
        for task in tasks { await task.value }
        ended.give(true)
      }
      return await ended.first(within: limit, else: false)
    }

    /// Those that have not ended write nothing any more of how far they are, and say nothing: others may go on from there.
    func giveUp() { fence.close() }
  }

  private let senders: [MirrorSender]
  private let fence: MirrorFence
  private let forget: @Sendable () async -> Void

  /// - Parameters:
  ///   - fence: that of all of them.
  ///   - forget: forgets how far logs were told that are told no more.
  init(_ senders: [MirrorSender], behind fence: MirrorFence, forget: @escaping @Sendable () async -> Void) {
    self.senders = senders
    self.fence = fence
    self.forget = forget
  }

  /// Begins to tell; returns at once.
  func start() -> Running {
    Running(
      tasks: senders.map { sender in Task { await sender.run() } } + [Task { [forget] in await forget() }], fence: fence
    )
  }
}
