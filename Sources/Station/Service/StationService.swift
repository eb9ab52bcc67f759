package import Gateway
internal import LinuxIO
package import Logging
package import ScanConfiguration
package import ScanModel
internal import ServiceLifecycle
package import StationSetUp
package import StationSocket
internal import Synchronization
package import TicketSystemKit
internal import UnixSignals

/// The station as a service: runs it, reloads its configuration on SIGHUP, and tells the service manager how it is.
///
/// ```
///            ┌─ reload, put together beside it, and the new file is good: stop, take it ──┐
///   make ─▶ serving ──end──▶ stop ─▶ ended                                                │
///            ▲ └─beat: every loop has answered ─▶ watchdog fed                            │
///            └────────────────────────────────────────────────────────────────────────────┘
/// ```
/// Orders are taken one after another: while a loop is stuck, or a gate does not come to a decision, nothing else happens, and the
/// watchdog is not fed.
package final class StationService: Service {
  private enum Order: Sendable {
    case beat
    case reload
    /// The station of a reload is put together, or cannot be.
    case prepared
    case end
    /// The station ended without being told to: it could not start.
    case ended
  }

  /// The longest that a reload may take without the watchdog's notice: one scan is decided in it, and its pulse and gap end.
  private static let longestChange = Duration.seconds(35)

  private let read: @Sendable () -> ConfigurationReading
  private let outputs: OutputPlace
  private let credentials: CredentialResolver
  private let station: ConfiguredStation
  private let memory: StationMemory
  private let lookForLists: @Sendable (StationConfiguration) async -> Void
  /// Who sets the station up by scans; `nil` where nothing is to be set up.
  private let setUp: StationSetUp?
  /// The configuration by which the station runs.
  private let current: Mutex<StationConfiguration>
  /// The configuration that was put together last, as far as it is complete.
  private let prepared = Mutex<EnrolmentBook.Completed?>(nil)
  private let isReloadDue = Flag()
  private let events: EventHub
  /// The station as others see it.
  private let running: RunningStation
  /// Where they look; `nil` where nobody can.
  private let socket: StationSocket?
  /// Done at each SIGHUP, before the configuration is read.
  private let hungUp: @Sendable () -> Void
  private let logger: Logger
  private let manager = ServiceManager()

  /// Puts the service together; nothing is opened before `run`.
  /// - Parameters:
  ///   - read: reads the configuration, anew at each reload.
  ///   - running: is told of each station that runs.
  ///   - socket: where others see it; started and ended with the service.
  package init(
    read: @escaping @Sendable () -> ConfigurationReading, _ completed: EnrolmentBook.Completed, outputs: OutputPlace,
    credentials: CredentialResolver, memory: StationMemory,
    lookForLists: @escaping @Sendable (StationConfiguration) async -> Void, setUp: StationSetUp?, events: EventHub,
    running: RunningStation, socket: StationSocket?, hungUp: @escaping @Sendable () -> Void, logger: Logger
  ) async throws(SetupError) {
    self.hungUp = hungUp
    self.running = running
    self.socket = socket
    self.read = read
    self.outputs = outputs
    self.credentials = credentials
    self.memory = memory
    self.lookForLists = lookForLists
    self.setUp = setUp
    let configuration = completed.configuration
    current = Mutex(configuration)
    self.events = events
    self.logger = logger
    station = try await Self.make(
      configuration, outputs, completed.resolver(else: credentials), memory, setUp, events, logger)
  }

  package func run() async throws {
    memory.watch(events: events, time: SystemTime())
    // What the records say comes before the first gate shows anything.
    await setUp?.start()
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    let (orders, order) = AsyncStream.makeStream(of: Order.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try? await gracefulShutdown()
        order.yield(.end)
      }
      group.addTask {
        // Many at once are one: the file is read when its turn comes.
        for await _ in hangups {
          self.hungUp()
          if !self.isReloadDue.raise() { order.yield(.reload) }
        }
      }
      if let setUp {
        group.addTask { await setUp.run() }
        group.addTask {
          for await _ in setUp.reloads where !self.isReloadDue.raise() { order.yield(.reload) }
        }
      }
      if let interval = manager?.watchdogInterval {
        group.addTask {
          while !Task.isCancelled {
            try await Task.sleep(for: interval / 4)
            order.yield(.beat)
          }
        }
      }
      try await serve(orders, order)
      group.cancelAll()
    }
  }

  private func serve(_ orders: AsyncStream<Order>, _ order: AsyncStream<Order>.Continuation) async throws {
    var orders = orders.makeAsyncIterator()
    await running.recall()
    running.attach(station, of: current.withLock { $0 })
    await socket?.start()
    var serving = Serving(station, manager: manager, order: order)
    /// The station that is being put together; `nil` in it where the old one stays, which was told.
    var preparing: Task<ConfiguredStation?, Never>?
    var isReloadedAgain = false
    while let next = await orders.next() {
      switch next {
      case .beat:
        await serving.station.heartbeat()
        manager?.notify("WATCHDOG=1")
      case .reload where preparing != nil: isReloadedAgain = true
      case .reload:
        isReloadDue.lower()
        manager?.notify("RELOADING=1\nMONOTONIC_USEC=\(SystemTime().now().nanoseconds / 1_000)")
        // Keys may lie behind other commands' locks, for seconds: the station works on meanwhile, and its heart beats.
        preparing = Task {
          defer { order.yield(.prepared) }
          return await self.prepare()
        }
      case .prepared:
        if let station = await preparing?.value {
          let feeding = feed()
          try await serving.end()
          // Not before: gates of the station that ends have not what the new ones have.
          if let completed = prepared.withLock({ $0 }) { setUp?.take(completed) }
          running.attach(station, of: current.withLock { $0 })
          await socket?.reviewRights()
          serving = Serving(station, manager: manager, order: order)
          feeding.cancel()
          events.emit(.configuration(.applied, at: SystemTime().wall()))
        }
        manager?.notify("READY=1")
        preparing = nil
        if isReloadedAgain { order.yield(.reload) }
        isReloadedAgain = false
      case .ended where !serving.hasEnded:
        break  // A station that was replaced.
      case .end, .ended:
        manager?.notify("STOPPING=1")
        let result: Result<Void, any Error>
        do {
          result = .success(try await serving.end())
        } catch {
          result = .failure(error)
        }
        await socket?.stop()
        await preparing?.value?.discard()
        await memory.end()
        return try result.get()
      }
    }
  }

  /// Reads the file again and puts the station together that it describes; `nil` where the old one stays, which is told.
  private func prepare() async -> ConfiguredStation? {
    // Gates decide meanwhile: what reads files and compiles keymaps is not for a thread that they need.
    let reading = await SystemThread.run("reload") { [read] in read() }
    for warning in reading.warnings { logger.warning("\(TerminalText.clean(warning, limit: 1_000))") }
    guard let written = reading.configuration else {
      events.emit(.configuration(.kept(reading.errors), at: SystemTime().wall()))
      return nil
    }
    let completed = await setUp?.complete(written) ?? EnrolmentBook.Completed(configuration: written)
    let new = completed.configuration
    let lost = completed.problems.filter { id, _ in current.withLock { $0.hasEnrolled(id) } }
    guard lost.isEmpty else {
      events.emit(.configuration(.kept(lost.values.sorted()), at: SystemTime().wall()))
      return nil
    }
    let reasons = memory.restartReasons(from: current.withLock { $0 }, to: new, takesCodes: setUp != nil)
    guard reasons.isEmpty else {
      events.emit(.configuration(.needsRestart(reasons), at: SystemTime().wall()))
      return nil
    }
    do throws(SetupError) {
      let station = try await Self.make(
        new, outputs, completed.resolver(else: credentials), memory, setUp, events, logger)
      current.withLock { $0 = new }
      prepared.withLock { $0 = completed }
      await lookForLists(new)
      return station
    } catch {
      events.emit(.configuration(.kept([error.description]), at: SystemTime().wall()))
      return nil
    }
  }

  /// Feeds the watchdog while one station makes room for another, for a bounded time.
  private func feed() -> Task<Void, Never> {
    let manager = manager
    return Task {
      guard let manager, let interval = manager.watchdogInterval else { return }
      let end = SystemTime().now() + Self.longestChange
      while !Task.isCancelled, SystemTime().now() < end {
        manager.notify("WATCHDOG=1")
        try? await Task.sleep(for: interval / 4)
      }
    }
  }

  private static func make(
    _ configuration: StationConfiguration, _ outputs: OutputPlace, _ credentials: CredentialResolver,
    _ memory: StationMemory, _ setUp: StationSetUp?, _ events: EventHub, _ logger: Logger
  ) async throws(SetupError) -> ConfiguredStation {
    try await ConfiguredStation.make(
      configuration, outputs: outputs, credentials: credentials, memory: memory, setUp: setUp, events: events
    ) {
      logger.log(level: $0 == .problem ? .error : .notice, "\(TerminalText.clean($1, limit: 1_000))")
    }
  }

  /// One station that runs.
  private struct Serving {
    let station: ConfiguredStation
    private let running: Task<Void, any Error>
    private let over: AsyncStream<Void>.Continuation
    private let isOver: Flag

    init(_ station: ConfiguredStation, manager: ServiceManager?, order: AsyncStream<Order>.Continuation) {
      self.station = station
      let (waiting, over) = AsyncStream.makeStream(of: Void.self)
      let isOver = Flag()
      self.over = over
      self.isOver = isOver
      running = Task {
        defer {
          isOver.raise()
          order.yield(.ended)
        }
        try await station.run(ready: {
          manager?.notify("READY=1")
          Task {
            // Once more when the connections are closed on which it was asked whether anybody answers.
            for pause in [1_000, 2_600] {
              try await Task.sleep(for: .milliseconds(pause))
              ProcessMemory.letGoOfStart()
            }
          }
        }) { for await _ in waiting {} }
      }
    }

    var hasEnded: Bool { isOver.isRaised }

    /// Ends the station and returns when it has ended.
    func end() async throws {
      over.finish()
      try await running.value
    }
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isRaised: Bool { value.withLock { $0 } }
    /// - Returns: whether it was raised before.
    @discardableResult func raise() -> Bool { value.withLock { exchange(&$0, with: true) } }
    func lower() { value.withLock { $0 = false } }
  }
}
