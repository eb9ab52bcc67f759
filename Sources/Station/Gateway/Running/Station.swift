package import ScanModel

/// A gate of a station and the readers that feed it.
package struct StationGate: Sendable {
  /// The gate.
  package var controller: GateController
  /// Its readers; each feeds this gate alone.
  package var readers: [ReaderID]

  package init(controller: GateController, readers: [ReaderID]) {
    self.controller = controller
    self.readers = readers
  }
}

/// The machine: runs the gates and leads each reader's reads to its gate.
package struct Station: Sendable {
  private let gates: [StationGate]
  private let sources: [any ReadSource]
  private let events: any EventSink
  private let time: any TimeSource
  private let isHurried: Bool
  private let divert: @Sendable (ReaderEvent) -> Bool

  /// Makes a station; nothing is opened before `run`.
  /// - Parameters:
  ///   - endsInAHurry: whether scans that wait at the end are closed unasked.
  ///   - divert: whether what a reader tells is taken by somebody else than its gate; on the reader's thread, and to return at once.
  package init(
    gates: [StationGate], sources: [any ReadSource], events: any EventSink, time: any TimeSource,
    endsInAHurry: Bool = false, divert: @escaping @Sendable (ReaderEvent) -> Bool = { _ in false }
  ) {
    isHurried = endsInAHurry
    self.divert = divert
    self.gates = gates
    self.sources = sources
    self.events = events
    self.time = time
  }

  /// Serves until `ended` returns, then lets go of the readers, decides what was read before, and returns.
  /// - Throws: where a technology of readers cannot start at all; a device that is absent is no error.
  package func run(until ended: @escaping @Sendable () async -> Void) async throws {
    var routes: [ReaderID: GateController] = [:]
    for gate in gates {
      for reader in gate.readers { routes[reader] = gate.controller }
    }
    let lead = routes
    try await withThrowingTaskGroup(of: Void.self) { group in
      for gate in gates { group.addTask { await gate.controller.run() } }
      do {
        for source in sources {
          try await source.start { [events, time, divert] event in
            if divert(event) { return }
            switch event {
            case .read(let read): lead[read.reader]?.deliver(read)
            case .inView(let read): lead[read.reader]?.stillInView(read)
            case .left(let read): lead[read.reader]?.leftView(read)
            case .discarded(let reader, let reason, let characters, _):
              if reason == .several { lead[reader]?.severalInView() }
              events.emit(.discarded(reader: reader, reason: reason, characters: characters, at: time.wall()))
            case .state(let reader, let state):
              events.emit(.device(reader: reader, state: state, at: time.wall()))
            case .identityChanged(let reader, let before, let after, _):
              events.emit(.identityChanged(reader: reader, before: before, after: after, at: time.wall()))
            }
          }
        }
        await ended()
      } catch {
        await finish()
        throw error
      }
      await finish()
      try await group.waitForAll()
    }
  }

  /// Returns once every reader and every gate has answered a heartbeat: while one is stuck, it does not.
  package func heartbeat() async {
    for source in sources { await source.heartbeat() }
    for gate in gates { await gate.controller.heartbeat() }
  }

  private func finish() async {
    for source in sources { await source.stop() }
    for gate in gates { gate.controller.finish(isHurried: isHurried) }
  }
}
