import ArgumentParser
import Gateway
import Glibc
import LinuxIO
import Logging
import ScanConfiguration
import ScanModel
import ScanPipeline
import ServiceLifecycle
import UnixSignals
import WedgeReader

/// What every command that takes the configuration says in the same way.
struct ConfigurationArgument: ParsableArguments {
  static let usual = "/etc/scangate/scangate.yaml"

  @Option(
    name: [.customLong("config"), .customShort("c")], help: ArgumentHelp("The configuration.", valueName: "file"))
  var file = ConfigurationArgument.usual

  /// Reads a configuration and looks at the files that it names; prints everything that is wrong or doubtful.
  /// - Throws: `Exit.configuration` after printing the errors.
  static func load(_ file: String, checkingFiles: Bool = true) throws -> StationConfiguration {
    do throws(ConfigurationErrors) {
      let reading = try ConfigurationFile.load(path: file, options: options)
      let files = checkingFiles ? reading.configuration.checkFiles() : nil
      for warning in reading.warnings + (files?.warnings ?? []) { Terminal.error("warning: \(warning)") }
      guard let errors = files?.errors, !errors.isEmpty else { return reading.configuration }
      for error in errors { Terminal.error("\(error)") }
    } catch {
      for warning in error.warnings { Terminal.error("warning: \(warning)") }
      for error in error.errors { Terminal.error("\(error)") }
    }
    throw Exit.configuration
  }

  static let options = ConfigurationOptions(
    ticketSystems: TicketSystemRegistry.sections,
    patternValidator: { text in
      do throws(PatternError) {
        _ = try CodePattern(text)
        return nil
      } catch {
        return error.description
      }
    },
    // Compiled, as the service will: whatever this machine's XKB data do not know is found here, with its place.
    keymapValidator: { layout, variant, options, compose in
      let names = KeymapNames(layout: layout, variant: variant, options: options, composeLocale: compose)
      let trial = WedgeConfiguration(
        id: ReaderID("here"), match: WedgeReader.DeviceMatch(name: "any"), keymap: names)
      return WedgeConfiguration.problems(in: [trial]).first.map { "\($0.what). \($0.remedy)" }
    })
}

/// `scangate run`: the service.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", abstract: "Serve the gates of this station.")

  @OptionGroup var source: ConfigurationArgument

  @Option(
    help: ArgumentHelp(
      "Write events there, a JSON object a line; - is standard output. See docs/events.md.", valueName: "file"))
  var events: String?

  func run() async throws {
    let configuration = try ConfigurationArgument.load(source.file)
    // Whoever stops reading our events or our log does not end the service.
    signal(SIGPIPE, SIG_IGN)
    let log = try OperatorLog()
    let logger = log.logger
    let hub = EventHub()
    let station: ConfiguredStation
    do throws(SetupError) {
      station = try ConfiguredStation(configuration, events: hub) {
        logger.error("\(TerminalText.clean($0, limit: 1_000))")
      }
    } catch {
      throw failure(error.description, Exit.configuration)
    }
    var writing: Task<Void, Never>?
    if let events {
      do throws(SystemError) {
        let writer = try EventWriter(path: events)
        let stream = hub.subscribe()
        writing = Task { await writer.write(stream) }
      } catch {
        throw failure(
          error.errno == ENXIO
            ? "\(events): nobody reads this pipe. Start its reader first."
            : "\(events): \(error.words). Name a file that this service can write.")
      }
    }
    let logStream = hub.subscribe()
    let logging = Task { for await event in logStream { EventLog.write(event, to: logger) } }

    let gates = configuration.gates.map(\.id.name).joined(separator: ", ")
    logger.notice("Station \(configuration.name): gates \(gates). Other stations share no ledger with this one.")
    let group = ServiceGroup(
      services: [StationService(station: station)], gracefulShutdownSignals: [.sigterm, .sigint, .sighup],
      logger: logger)
    let result: Result<Void, any Error>
    do {
      result = .success(try await group.run())
    } catch {
      result = .failure(error)
    }
    hub.finish()
    await logging.value
    await writing?.value
    if case .success = result { logger.notice("Station \(configuration.name) has ended; every relay is off.") }
    await log.finish()
    if case .failure(let error) = result { throw failure("\(error)") }
  }
}

/// The station under a service group, which ends it on SIGTERM and SIGINT.
private struct StationService: Service {
  let station: ConfiguredStation

  func run() async throws {
    try await station.run {
      try? await gracefulShutdown()
    }
  }
}

/// The operator's log: what is not in order, and each verdict at a lower level.
enum EventLog {
  private static func words(_ device: DeviceDescription) -> String {
    let parts = [device.model, device.name.map { "'\($0)'" }, device.serial.map { "serial \($0)" }]
    let text = parts.compactMap(\.self).joined(separator: " ")
    return text.isEmpty ? "a device without a name" : TerminalText.clean(text)
  }

  static func write(_ event: GatewayEvent, to logger: Logger) {
    switch event {
    case .scan(let decided):
      let line = "Gate \(decided.scan.gate): \(DemoDisplay.plainLine(decided))"
      switch decided.verdict {
      case .undecided(let reason) where reason.isFault:
        logger.error("\(line) \(TerminalText.clean(decided.detail ?? ""))")
      case .undecided: logger.warning("\(line) \(TerminalText.clean(decided.detail ?? ""))")
      case .admit, .refuse: logger.info("\(line)")
      }
      if let fault = decided.outputFault {
        logger.error("Gate \(decided.scan.gate): admitted, and the relay did not open: \(TerminalText.clean(fault))")
      }
    case .repeat:
      break
    case .dropped(let count):
      logger.notice("\(count) lines were dropped, because this log is read too slowly.")
    case .attempt(let attempt):
      logger.warning("Gate \(attempt.gate): the request for \(attempt.code.shortened) is \(attempt.state.rawValue).")
    case .device(let reader, let state, _):
      let words = state.detail.map { ": " + TerminalText.clean($0) } ?? ""
      if case .failed = state {
        logger.error("Reader \(reader) has failed\(words)")
      } else {
        logger.notice("Reader \(reader) is \(state.name)\(words)")
      }
    case .discarded(let reader, let reason, let characters, _):
      logger.notice("Reader \(reader): \(characters) characters were thrown away (\(reason.rawValue)).")
    case .identityChanged(let reader, let before, let after, _):
      logger.warning(
        "Somebody may have shown a programming barcode to reader \(reader): it was \(words(before)), now it is \(words(after)); lock parameter scanning, docs/scanners.md."
      )
    case .gate(let gate, .ready, _):
      logger.notice("Gate \(gate) is ready.")
    case .gate(let gate, .fault(let reason, let detail), _):
      logger.error("Gate \(gate) cannot decide (\(reason.rawValue)): \(TerminalText.clean(detail))")
    }
  }
}
