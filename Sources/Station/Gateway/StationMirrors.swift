internal import LinuxIO

/// The logs that a station tells of passages for as long as it runs.
struct StationMirrors: Sendable {
  /// Those that tell now.
  struct Running: Sendable {
    fileprivate let tasks: [Task<Void, Never>]

    /// No more is told; what is under way is awaited by `end`.
    func cancel() { for task in tasks { task.cancel() } }

    /// Returns once nothing is told any more.
    func end() async { for task in tasks { await task.value } }

    /// The same, after `limit` at the latest.
    func end(within limit: Duration) async {
      if tasks.isEmpty { return }
      let ended = OneAnswer<Void>()
      Task {
        await end()
        ended.give(())
      }
      await ended.first(within: limit, else: ())
    }
  }

  private let senders: [MirrorSender]
  private let forget: @Sendable () async -> Void

  /// - Parameter forget: forgets how far logs were told that are told no more.
  init(_ senders: [MirrorSender], forget: @escaping @Sendable () async -> Void) {
    self.senders = senders
    self.forget = forget
  }

  /// Begins to tell; returns at once.
  func start() -> Running {
    Running(tasks: senders.map { sender in Task { await sender.run() } } + [Task { [forget] in await forget() }])
  }
}
