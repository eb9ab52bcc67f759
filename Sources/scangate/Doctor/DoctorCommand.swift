import ArgumentParser
import Console
import Doctor
import Gateway
import Glibc
import LinuxIO
import MQTTBridge
import ScanConfiguration
import ScanModel
import Sealing
import StationProtocol
import StationSetUp

/// `scangate doctor`: what keeps this station from admitting, and what cures it.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look at everything that this station needs to admit, and say what cures what is wrong.",
    discussion: """
      Ends with 0 where all is well, 1 where somebody should act, 2 where a gate cannot admit. Nothing is redeemed, nothing moves, and the \
      service may run; as root it sees all. With --opening, before doors: the codes of a file are judged by the lists on board and stay \
      unspent, and each gate's lamps and sounds are played, never its relay: where the service runs by that, and at gates in maintenance alone. With --bundle all of it goes \
      into a file for whoever helps, with the configuration and the last log, and without codes, names, keys and tokens. See docs/doctor.md.
      """)

  @OptionGroup var source: ConfigurationArgument

  @OptionGroup var state: StateArgument

  @Flag(help: "Print JSON: an object in one line.")
  var json = false

  @Option(
    help: ArgumentHelp("Try the codes of this file, one a line, and the lamps.", valueName: "file"), completion: .file()
  )
  var opening: String?

  @Option(help: ArgumentHelp("Write a bundle there, for you alone to read.", valueName: "file"), completion: .file())
  var bundle: String?

  @Option(
    help: ArgumentHelp(
      "The socket of the output holder, which plays lamps. Without it the one of an installed station does, where it runs, "
        + "and this process where there is none.", valueName: "socket"), completion: .file())
  var holder: String?

  @OptionGroup var station: StationArgument

  func run() async throws {
    let codes = try opening.map { path in
      try Self.telling { () throws(OpeningCodes.Fault) in try OpeningCodes(path: path) }
    }
    var checkUp = CheckUp(
      version: Scangate.version, file: source.file, reading: ConfigurationArgument.read(source.file), keys: state.keys,
      credentials: CredentialStore(keys: state.keys).resolver)
    checkUp.faces = { FaceFiles().findings(on: $0, at: SystemTime().wall()) }
    let client = try station.client("doctor")
    await client.start()
    checkUp.service = {
      do throws(StationAbsence) {
        return .success(try await client.snapshot(within: Self.patience))
      } catch {
        return .failure(error)
      }
    }
    // Before anything is looked at: whoever cannot have a bundle is told so at once.
    let secrets = try bundle.map { _ in try Self.secrets(checkUp, codes) }
    let progress = ProgressLine(json ? "" : "Looking at the station")
    var report = await checkUp.report()
    progress.end()
    if let codes { report.add(await open(checkUp, codes, client)) }
    await client.stop()
    if json {
      Terminal.out(report.json)
    } else {
      let isColourful = Terminal.isColourful
      for line in report.lines({ isColourful ? $1.painted($0) : $0 }) { Terminal.out(line) }
      if let hint = state.hint { Terminal.error(hint) }
    }
    if let bundle, let secrets {
      let made: StationBundle
      do throws(StationBundle.Fault) {
        made = try await checkUp.bundle(report, without: secrets)
        try made.write(to: bundle)
      } catch {
        throw failure("No bundle was written. \(error.description)", Exit.output)
      }
      Terminal.error("The bundle is \(TerminalText.clean(bundle)); read it before you send it.")
    }
    if report.exitStatus != 0 { throw ExitCode(report.exitStatus) }
  }

  /// How long the service is waited for.
  private static let patience = Duration.seconds(1)

  /// The check before doors.
  private func open(_ checkUp: CheckUp, _ codes: OpeningCodes, _ client: StationClient) async -> [Finding] {
    guard let completed = checkUp.completed else { return [] }
    let findings = await OpeningCheck(keys: state.keys).findings(of: codes, completed)
    let onGate: @Sendable (GateID) -> Void = {
      Terminal.error("Watch the lamps of gate \(TerminalText.clean("\($0)")).")
    }
    guard await checkUp.isServiceRunning else {
      return await findings
        + LampTest(completed.configuration, outputs: .standing(holder)).findings(onGate: onGate)
    }
    // Why it says nothing is in the report.
    guard let told = try? await client.snapshot(within: Self.patience), told.station == completed.configuration.name
    else { return findings }
    let test = OrderedLampTest(completed.configuration) { action in
      try? await client.perform(StationOrder(action, who: Orderer.name, why: "doctor --opening"))
    }
    return await findings + test.findings(told, onGate: onGate)
  }

  private static func secrets(_ checkUp: CheckUp, _ codes: OpeningCodes?) throws -> StationSecrets {
    var secrets = try telling { () throws(StationSecrets.Fault) in
      try StationSecrets(
        keys: checkUp.keys, checkUp.reading.configuration, folders: [ConsoleSecrets.usual, BridgeCredential.usual])
    }
    if let codes { secrets.add(codes) }
    return secrets
  }

  private static func telling<Value, Fault: Error & CustomStringConvertible>(
    _ body: () throws(Fault) -> Value
  ) throws -> Value {
    do throws(Fault) {
      return try body()
    } catch {
      throw failure(error.description, Exit.unavailable)
    }
  }
}

extension Finding.Severity {
  /// Words in the colour of a severity.
  fileprivate func painted(_ words: String) -> String {
    switch self {
    case .good: "\u{1B}[32m\(words)\u{1B}[0m"
    case .note: words
    case .warning: "\u{1B}[43;30m\(words)\u{1B}[0m"
    case .fault: "\u{1B}[41;97m\(words)\u{1B}[0m"
    }
  }
}
