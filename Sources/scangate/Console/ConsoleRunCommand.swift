import ArgumentParser
import Console
import Gateway
import Glibc
import LinuxIO
import Logging
import ScanConfiguration
import ScanModel
import Service
import ServiceLifecycle
import StationProtocol
import UnixSignals

/// `scangate console run`, and `scangate console` alone: the console itself.
struct ConsoleRunCommand: AsyncParsableCommand {
  /// How long what is being answered may take at the end.
  private static let parting = Duration.seconds(5)
  /// How long after the start what only that has needed is let go of, and how often what was needed since.
  private static let settling = Duration.seconds(2)
  private static let rest = Duration.seconds(300)

  static let configuration = CommandConfiguration(commandName: "run", abstract: "Run it.")

  @OptionGroup var place: ConsolePlace

  @OptionGroup var station: StationArgument

  @Option(
    name: .customLong("log-level"), help: ArgumentHelp("Log what matters as much, and more.", valueName: "level"))
  var level = LogArguments.Level.info

  func run() async throws {
    ProcessMemory.useOneHeap()
    // A password's hash is larger than all else of it.
    ProcessMemory.giveBackLarge()
    signal(SIGPIPE, SIG_IGN)
    let manager = ServiceManager()
    let file = try place.configuration()
    guard let configuration = file.console else {
      let words = "The file has no section console, so there is nothing to serve. docs/operations.md shows one."
      // No failure: it is enabled wherever scangate is installed, and has work where the file gives it some.
      manager?.notify("READY=1\nSTATUS=\(words)")
      Terminal.out(words)
      return
    }
    let log = try OperatorLog(level: LogArguments.level(level))
    let service: ConsoleService
    do throws(ConsoleFault) {
      service = try make(configuration, of: file.name, manager, log)
    } catch {
      throw failure(error.description, Exit.configuration)
    }
    do {
      try await serve(service, manager, log)
    } catch is CancellationError {
      // The ordinary end.
    } catch let fault as ConsoleFault {
      // The service manager starts it again: an address may come, and another program may end.
      throw failure(fault.description, Exit.unavailable)
    }
    await log.finish()
  }

  private func make(
    _ configuration: ConsoleConfiguration, of name: String, _ manager: ServiceManager?, _ log: OperatorLog
  ) throws(ConsoleFault) -> ConsoleService {
    let (tokens, faults) = readTokens(of: configuration)
    guard faults.isEmpty else {
      for fault in faults { Terminal.error(fault.description, .error) }
      throw ConsoleFault("The console cannot begin without its tokens.")
    }
    let machine = place.machine
    let kept =
      configuration.isSecure && configuration.certificate == nil
      ? KeptCertificate(in: place.stateFolder, for: configuration, machine: machine) : nil
    var setting = ConsoleSetting(
      configuration, version: Scangate.version, tokens: TokenBook(tokens),
      identity: try identity(of: configuration, kept), machine: machine, logger: log.logger)
    if configuration.hasPages {
      setting.access = PageAccess(
        folder: place.accessFiles.access, stateFolder: place.stateFolder, logger: log.logger)
    }
    return try ConsoleService(
      setting, of: name, kept: kept, secrets: place.secrets, folder: place.stateFolder, station: station.path,
      onReady: { _ in manager?.notify("READY=1") })
  }

  private func serve(_ service: ConsoleService, _ manager: ServiceManager?, _ log: OperatorLog) async throws {
    var setting = ServiceGroupConfiguration(
      services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: log.logger)
    setting.maximumGracefulShutdownDuration = Self.parting
    let beat = Task {
      guard let manager, let interval = manager.watchdogInterval else { return }
      while !Task.isCancelled {
        await service.heartbeat()
        manager.notify("WATCHDOG=1")
        try? await Task.sleep(for: interval / 4)
      }
    }
    // Four fifths of its memory are code, mapped where the start or somebody's page touched it; what works is mapped again.
    let memory = Task {
      try await Task.sleep(for: Self.settling)
      while true {
        ProcessMemory.letGoOfStart()
        try await Task.sleep(for: Self.rest)
      }
    }
    defer {
      beat.cancel()
      memory.cancel()
    }
    try await ServiceGroup(configuration: setting).run()
  }

  /// All tokens, and everything that is wrong with them.
  private func readTokens(
    of configuration: ConsoleConfiguration
  ) -> (tokens: [(token: ConsoleToken, text: String)], faults: [ConsoleFault]) {
    var (tokens, faults): ([(token: ConsoleToken, text: String)], [ConsoleFault]) = ([], [])
    for token in configuration.tokens {
      do throws(ConsoleFault) {
        tokens.append((token, try place.secrets.token(token.credential)))
      } catch {
        faults.append(error)
      }
    }
    return (tokens, faults)
  }

  private func identity(
    of configuration: ConsoleConfiguration, _ kept: KeptCertificate?
  ) throws(ConsoleFault) -> ConsoleIdentity? {
    if let certificate = configuration.certificate, let key = configuration.privateKey {
      let folder = ConsoleSecrets.usual
      return try ConsoleIdentity(
        certificate: place.secrets.file(certificate), key: place.secrets.file(key),
        called: ("\(folder)/\(certificate.name)", "\(folder)/\(key.name)"))
    }
    guard let kept else { return nil }
    let (pem, _) = try kept.current(at: SystemTime().wall().seconds)
    return try ConsoleIdentity(certificate: pem, key: pem, called: ("The console's certificate", "its key"))
  }
}
