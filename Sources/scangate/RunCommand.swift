import ArgumentParser
import Gateway
import Glibc
import LinuxIO
import Logging
import ScanConfiguration
import ScanModel
import Sealing
import Service
import ServiceLifecycle
import StationProtocol
import StationSetUp
import StationSocket
import TicketSystemKit
import UnixSignals

/// `scangate run`: the service.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", abstract: "Serve the gates of this station.")

  @OptionGroup var source: ConfigurationArgument

  @OptionGroup var place: OutputPlaceArgument

  @OptionGroup var state: StateArgument

  @Option(
    help: ArgumentHelp(
      "Write events there, a JSON object a line; - is standard output. See docs/events.md.", valueName: "file"))
  var events: String?

  @Option(
    help: ArgumentHelp(
      "Listen there for whoever looks at the station or orders something of it. Not needed where systemd passes the socket.",
      valueName: "socket"), completion: .file(), transform: SocketPath.resolved)
  var stationSocket: String?

  @OptionGroup var logging: LogArguments

  func run() async throws {
    let passed = ServiceManager.passedDescriptors()
    ProcessMemory.useOneHeap()
    let written = try ConfigurationArgument.load(source.file, warns: logging.loggerLevel <= .warning)
    // Whoever stops reading our events or our log does not end the service.
    signal(SIGPIPE, SIG_IGN)
    let log = try OperatorLog(level: logging.loggerLevel)
    let logger = log.logger
    let hub = EventHub()
    // From the first event on.
    let logStream = hub.subscribe()
    state.prepare()
    let storage: StationStorage
    let service: StationService
    let completed = EnrolmentBook(keys: state.keys).complete(written)
    let configuration = completed.configuration
    let clock = ClockTrust(time: SystemTime())
    let following = Task { await KernelClock.shared.follow() }
    defer { following.cancel() }
    let setUp: StationSetUp?
    do throws(SetupError) {
      setUp =
        written.isSetUpByScan
        ? try StationSetUp(
          written, completed: completed, types: TicketSystemRegistry.types, version: Scangate.version, keys: state.keys,
          credentials: CredentialStore(keys: state.keys).resolver,
          events: { hub.emit(GatewayEvent($0)) }, clockIsTrusted: { clock.now().isTrusted }) : nil
    } catch {
      throw failure(error.description, Exit.configuration)
    }
    do throws(StationVaultError) {
      storage = try await StationStorage.open(
        configuration, program: Scangate.version, folder: state.folder, keys: state.keys,
        credentials: CredentialStore(keys: state.keys).resolver, logger: logger)
    } catch {
      switch error {
      case .key(let words), .newer(let words), .fleet(let words): throw failure(words, Exit.configuration)
      // The service manager starts it again: a disk may come back, and another process may end.
      case .disk(let words), .journal(let words): throw failure(words, Exit.unavailable)
      }
    }
    var writer: EventWriter?
    if let events {
      do throws(SystemError) {
        writer = try EventWriter(path: events) { Terminal.error($0, .error) }
      } catch {
        await storage.close()
        throw failure(
          error.errno == ENXIO
            ? "\(events): nobody reads this pipe. Start its reader first."
            : "\(events): \(error.words). Name a file that this service can write.")
      }
    }
    let running = RunningStation(
      version: Scangate.version, events: hub, memory: storage.memory, setUp: setUp, holder: place.holder,
      folder: state.folder)
    do throws(SetupError) {
      service = try await StationService(
        read: { [file = source.file] in ConfigurationArgument.read(file) }, completed, outputs: place.outputs,
        credentials: CredentialStore(keys: state.keys).resolver, memory: storage.memory,
        lookForLists: storage.lookForLists,
        setUp: setUp, events: hub, running: running,
        socket: Self.socket(passed, stationSocket, of: running, hub, logger), hungUp: { [writer] in writer?.reopen() },
        logger: logger)
    } catch {
      await storage.close()
      throw failure(error.description, Exit.configuration)
    }
    let writing = writer.map { writer in
      let stream = hub.subscribe()
      return Task { await writer.write(stream) }
    }
    let namesHolders = logging.namesHolders
    let telling = Task(executorPreference: log.executor) {
      for await event in logStream { EventLog.write(event, to: logger, namingHolders: namesHolders) }
    }

    let earlier = Task { [gates = Set(configuration.gates.map(\.id))] in
      await storage.countEarlier(at: gates, in: hub.view)
    }
    defer { earlier.cancel() }
    let gates = configuration.gates.map(\.id.name).joined(separator: ", ")
    let shared =
      configuration.fleet.map { "It shares a book with the stations of the fleet \($0.name)." }
      ?? "Other stations share no ledger with this one."
    logger.notice("Station \(configuration.name): gates \(gates). \(shared)")
    // A closed terminal ends what was started in it; a service has none, and is told so to reload.
    let endings: [UnixSignal] = isatty(STDIN_FILENO) != 0 ? [.sigterm, .sigint, .sighup] : [.sigterm, .sigint]
    let group = ServiceGroup(services: [service], gracefulShutdownSignals: endings, logger: logger)
    let result: Result<Void, any Error>
    do {
      result = .success(try await group.run())
    } catch {
      result = .failure(error)
    }
    await storage.close()
    hub.finish()
    // Whoever does not read the log does not keep the service from ending.
    let told = OneAnswer<Void>()
    Task {
      await telling.value
      told.give(())
    }
    await told.first(within: .seconds(1), else: ())
    await writing?.value
    if case .success = result { logger.notice("Station \(configuration.name) has ended.") }
    await log.finish()
    if case .failure(let error) = result { throw failure("\(error)") }
  }
}
