import StationSetUp
import ArgumentParser
import Gateway
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import Sealing
import SetUpCodes
import StationProtocol
import TicketSystemKit
import WireText

/// `scangate kiosk activate`
struct KioskActivateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate", abstract: "Activate the station by a code, or have its scanner wait for one.",
    discussion: """
      Without an argument the code is asked for without showing it, or read from a pipe. Every form that can be scanned is \
      understood, and what it names is trusted as at the scanner: no service need run for it. With --wait the running service \
      takes set-up codes for a while, and each step is told.
      """)

  @Argument(help: "The code; other users of the machine can see it while this runs, and the shell remembers it.")
  var code: String?

  @Option(help: ArgumentHelp("Read the code from this file.", valueName: "path"), completion: .file())
  var codeFile: String?

  @Flag(help: "Have the running service take set-up codes, and wait until the station is set up.")
  var wait = false

  @Option(help: ArgumentHelp("For how long, with --wait.", valueName: "1 to 60"))
  var minutes = 10

  @Flag(help: "Activate a station that is activated already, as the same one: for a new token.")
  var again = false

  @OptionGroup var kiosk: KioskArguments

  @OptionGroup var order: OrderArguments

  /// For how many minutes set-up codes can be taken by order.
  private static let longest = 1...60

  func validate() throws {
    guard !wait || (code == nil && codeFile == nil && !again) else {
      throw ValidationError("with --wait the code comes from the scanner")
    }
    guard code == nil || codeFile == nil else { throw ValidationError("the code comes from one place") }
    guard Self.longest.contains(minutes) else { throw ValidationError("--minutes wants 1 to 60") }
  }

  func run() async throws {
    if wait { return try await waitForScanner() }
    let station = try kiosk.station()
    let (code, server) = try read(try given(), station)
    try await kiosk.withSession { session in
      let result = await session.activate(
        code, at: server.map { ControlServer($0) }, renewing: again, deadline: KioskArguments.deadline)
      switch result {
      case .success(let activation):
        let state = try await session.state()
        Terminal.out(
          "The station is activated at \(state.server?.name ?? "") as \(TerminalText.clean(activation.kioskID)).")
        if let configuration = state.configuration {
          for line in KioskText.lines(of: configuration) { Terminal.out(line) }
        } else {
          Terminal.error("Its configuration could not be fetched yet; the service goes on trying.")
        }
      case .failure(let fault):
        throw failure("Not activated (\(fault.refusal.rawValue)). \(fault.detail)")
      }
    }
  }

  /// The text of the code.
  private func given() throws -> [UInt8] {
    if let code {
      Terminal.error("warning: an argument can be seen by others; next time leave it out, and the code is asked for.")
      return [UInt8](code.utf8)
    }
    let limit = 4_096
    let bytes = try HiddenInput.given(
      codeFile, asking: "Type or scan the activation code and press Enter (it is not shown): ", upTo: limit,
      otherwise: "Nothing was changed.")
    guard bytes.count <= limit else { throw failure("That is too long for an activation code.", Exit.data) }
    return bytes
  }

  /// What the code says, where it may be tried.
  private func read(_ bytes: [UInt8], _ station: StationConfiguration) throws -> (ActivationCode, NamedServer?) {
    let isBlank = { (byte: UInt8) in byte <= 0x20 }
    let trimmed = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    let time = SystemTime()
    let reader = SetUpReader(
      trust: try trust(station), configured: station.control.map { ControlServer($0).name })
    let reading = reader.read(
      Code(bytes: Array(trimmed)), at: time.wall(), clockIsTrusted: ClockTrust(time: time).now().isTrusted)
    switch reading {
    case .code(.activation(let code, at: let server)): return (code, server)
    case .code(.enrolment):
      throw failure("This code enrols the station at a ticket system: hold it to the scanner.", Exit.data)
    case .refused(let refusal, let detail):
      throw failure("Not activated (\(refusal.rawValue)). \(detail)", Exit.data)
    }
  }

  private func trust(_ station: StationConfiguration) throws -> TrustList {
    guard let path = station.setUp?.trust?.path else { return .none }
    return try Result { () throws(SetupError) in try TrustFile.load(path) }
      .mapError { failure($0.description, Exit.configuration) }.get()
  }
}

extension KioskActivateCommand {
  /// How long a service that is set up in the last moment is waited for.
  private static let grace = 15

  /// Arms the running service, and tells its steps until the station has all that codes can bring.
  private func waitForScanner() async throws {
    let station = try kiosk.station()
    try await kiosk.withSession { session in
      guard try await isMissing(station, session) else {
        return Terminal.out("The station is set up already. For a new token: scangate kiosk activate --again")
      }
      let client = try order.station.client("kiosk activate")
      // From before codes are taken, so that no step is missed.
      await client.start(listening: true)
      do {
        _ = try await client.snapshot()
        guard try await isMissing(station, session) else {
          await client.stop()
          return Terminal.out("The station is set up.")
        }
        tell(
          try await order.give(.arming(minutes: UInt8(clamping: minutes)), to: client),
          otherwise: "Set-up codes are taken for \(minutes) min: hold one to the scanner.")
        try await follow(client, station, session)
        await client.stop()
      } catch {
        await client.stop()
        guard let absence = error as? StationAbsence else { throw error }
        throw failure(absence.description)
      }
    }
  }

  private func follow(_ client: StationClient, _ station: StationConfiguration, _ session: ControlSession) async throws
  {
    let alarm = Task {
      try await Task.sleep(for: .seconds(minutes * 60 + Self.grace))
      await client.stop()
    }
    defer { alarm.cancel() }
    // That the service was there before codes were taken: since then every step is told, and is awaited.
    var isFirst = true
    for await news in client.news {
      switch news {
      case .event(let event):
        guard let step = SetUpStep(line: event.line) else { continue }
        Terminal.out(step.words)
        // Only what has brought something can have brought the last of it.
        if !step.isDone { continue }
      case .away(let absence):
        Terminal.error(absence.description)
        continue
      case .here where exchange(&isFirst, with: false): continue
      // What happened meanwhile was told nobody.
      case .here, .dropped: break
      }
      guard try await isMissing(station, session) else { return Terminal.out("The station is set up.") }
    }
    throw failure("The station was not set up within \(minutes) min.")
  }

  /// Whether a code can bring something: an activation, or a ticket system's address and key.
  private func isMissing(_ station: StationConfiguration, _ session: ControlSession) async throws -> Bool {
    if station.control != nil, try await !session.state().isActivated { return true }
    return !EnrolmentBook(keys: kiosk.state.keys).complete(station).missing.isEmpty
  }
}

/// A step of a station's set-up, as its event tells it.
struct SetUpStep {
  /// The step, and what happened.
  let words: String
  /// Whether it has brought something.
  let isDone: Bool

  /// - Returns: `nil` for a line that is no such event.
  init?(line: String) {
    guard let json = try? JSONValue([UInt8](line.utf8)), json["type"]?.string == "setUp",
      let state = json["state"]?.string
    else { return nil }
    isDone = state == "done"
    let detail = json["detail"]?.string.map { ": \($0)" } ?? ""
    words = TerminalText.clean("\(json["reason"]?.string ?? state)\(detail)", limit: 600)
  }
}
