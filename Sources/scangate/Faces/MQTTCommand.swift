import ArgumentParser
import Glibc
import LinuxIO
import Logging
import MQTTBridge
import ScanConfiguration
import ScanModel
import Service
import StationProtocol
import UnixSignals

/// `scangate mqtt`: the bridge to a broker.
struct MQTTCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mqtt", abstract: "Tell a broker how the station is, for home automation.",
    discussion: """
      As the section `mqtt` of the configuration says: states, verdicts without codes, and Home Assistant's discovery. It takes \
      maintenance and the fetching of lists from there, where `mqtt.orders` allows them, and nothing else. Usually a service of its own: \
      systemctl enable --now scangate-mqtt
      """)

  @OptionGroup var source: ConfigurationArgument

  @OptionGroup var station: StationArgument

  @Option(
    help: ArgumentHelp(
      "The folder with the password's file. Without it what the service manager has handed over.", valueName: "folder"),
    completion: .directory)
  var credentials: String?

  @Option(
    name: .customLong("log-level"),
    help: ArgumentHelp("Log what matters as much, and more.", valueName: "level"))
  var level = LogArguments.Level.info

  func run() async throws {
    ProcessMemory.useOneHeap()
    // Whoever stops reading our log does not end the bridge.
    signal(SIGPIPE, SIG_IGN)
    // What the gateway alone can read is not looked at.
    let configuration = try ConfigurationArgument.load(source.file, checkingFiles: false, warns: false)
    guard let mqtt = configuration.mqtt else {
      throw failure(
        "\(source.file) has no section mqtt. Add one: mqtt: { broker: mqtts://broker.example.org }", Exit.configuration)
    }
    let settings = MQTTBridge.Settings(
      station: configuration.name, prefix: mqtt.prefix, orders: mqtt.orders, homeAssistant: mqtt.homeAssistant)
    let broker: BrokerSettings
    do throws(BrokerFault) {
      broker = try Self.broker(mqtt, station: configuration.name, credentials)
    } catch {
      throw failure(error.description, Exit.configuration)
    }
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    let log = try OperatorLog(level: LogArguments.level(level))
    let bridge: MQTTBridge
    do throws(SystemError) {
      bridge = MQTTBridge(
        settings, station: try StationClient(path: station.path, program: "scangate mqtt"),
        broker: try MQTTBridge.broker(broker, for: settings), logger: log.logger)
    } catch {
      throw failure("The bridge cannot be started: \(error.words).")
    }
    let ending = Task {
      for await _ in signals { bridge.end() }
    }
    ServiceManager()?.notify("READY=1")
    log.logger.notice("Telling \(mqtt.broker) of \(configuration.name), at \(mqtt.prefix)/\(configuration.name)/…")
    await bridge.run()
    ending.cancel()
    await log.finish()
  }

  private static func broker(
    _ mqtt: MQTTConfiguration, station: String, _ folder: String?
  ) throws(BrokerFault) -> BrokerSettings {
    var broker = BrokerSettings(
      host: mqtt.broker.host, port: mqtt.broker.port,
      trust: mqtt.broker.isSecure ? mqtt.caFile.map { .file($0) } ?? .system : .plain, client: "scangate-\(station)",
      user: mqtt.user)
    if let credential = mqtt.credential { broker.password = try BridgeCredential.password(credential.name, in: folder) }
    return broker
  }
}
