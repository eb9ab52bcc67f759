import StationSetUp
import ArgumentParser
import Gateway
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import Sealing
import TicketSystemKit

/// `scangate kiosk`: the service that tells the station what it is.
struct KioskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kiosk", abstract: "Activate the station at its control service, and see how it stands with it.",
    discussion: """
      The service may run: both work on the same records, and what a command changes the service sees within seconds. A \
      control service can take gates out of service; it opens none.
      """,
    subcommands: [
      KioskRegisterCommand.self, KioskActivateCommand.self, KioskStatusCommand.self, KioskSyncCommand.self,
      KioskRefreshCommand.self, KioskValidateCommand.self, KioskResetCommand.self,
    ])
}

/// What the kiosk commands have in common.
struct KioskArguments: ParsableArguments {
  @OptionGroup var configuration: ConfigurationArgument

  @OptionGroup var state: StateArgument

  /// How long a command waits for an answer.
  static var deadline: MonotonicTime { SystemTime().now() + .seconds(15) }

  /// The station's records.
  var store: SealedRecordStore { SealedRecordStore(keys: state.keys) }

  /// Opens the session of the configured station.
  func open(_ station: StationConfiguration) throws -> ControlSession {
    state.prepare()
    var token: ControlToken?
    if let registration = station.control?.registration {
      do throws(SetupError) {
        let text = try CredentialStore(keys: state.keys).resolver(registration.name)
        token = ControlToken(text)
        if token == nil { throw SetupError("the credential \(registration.name) is no token") }
      } catch {
        // Not every call needs it.
        Terminal.error(TerminalText.clean("warning: control.registration: \(error.description)", limit: 1_000))
      }
    }
    do throws(SystemError) {
      return try ControlSession(
        store: store, server: station.control.map { ControlServer($0) }, version: Scangate.version,
        registrationToken: token, time: SystemTime(),
        connect: ControlSession.connecting(as: station, time: SystemTime()),
        notify: { notice in
          switch notice {
          // What ends a command is told by its end.
          case .fault, .tokenRefused: break
          default: Terminal.error(TerminalText.clean(notice.words, limit: 1_000))
          }
        })
    } catch {
      throw failure("No thread can be had (\(error.words)).")
    }
  }

  /// Reads the configuration; what is doubtful in it is told by `scangate config check`.
  func station() throws -> StationConfiguration {
    let reading = ConfigurationArgument.read(configuration.file, checkingFiles: false)
    for error in reading.errors { Terminal.error(error) }
    guard let station = reading.configuration else { throw Exit.configuration }
    return station
  }

  /// Runs `body` with the session, and closes it.
  func withSession<Value: Sendable>(_ body: (ControlSession) async throws -> Value) async throws -> Value {
    let station = try station()
    let progress = ProgressLine(station.control.map { "Asking \(ControlServer($0).name)" } ?? "")
    defer { progress.end() }
    let session = try open(station)
    do {
      let value = try await body(session)
      await session.close()
      if let hint = state.hint { Terminal.error(hint) }
      return value
    } catch {
      await session.close()
      switch error {
      case let fault as ControlFault: throw failure(fault.detail)
      default: throw error
      }
    }
  }
}

/// `scangate kiosk register`
struct KioskRegisterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register", abstract: "Announce the station to its control service.",
    discussion: "Activation does that by itself where the service wants it; repeating it does no harm.")

  @OptionGroup var kiosk: KioskArguments

  func run() async throws {
    try await kiosk.withSession { session in
      try await session.register(deadline: KioskArguments.deadline)
      let state = try await session.state()
      Terminal.out("\(state.server?.name ?? "") knows the station as \(TerminalText.clean(state.stationID)).")
    }
  }
}

/// `scangate kiosk sync`
struct KioskSyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch the configuration now.",
    discussion:
      "Where the service does not answer it is asked again after 2, 4 and 8 s. The configuration before stays.")

  @OptionGroup var kiosk: KioskArguments

  func run() async throws { try await kiosk.sync(refreshing: false) }
}

/// `scangate kiosk refresh`
struct KioskRefreshCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh", abstract: "Fetch the configuration now, past all caches.",
    discussion: "As sync, but the service is to look for what is newest.")

  @OptionGroup var kiosk: KioskArguments

  func run() async throws { try await kiosk.sync(refreshing: true) }
}

extension KioskArguments {
  fileprivate func sync(refreshing: Bool) async throws {
    try await withSession { session in
      let configuration = try await session.sync(refreshing: refreshing, isUrgent: true).get()
      for line in KioskText.lines(of: configuration) { Terminal.out(line) }
    }
  }
}

/// `scangate kiosk validate`
struct KioskValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Ask whether the control service accepts the station's token.",
    discussion: "A token that is refused changes nothing at the gates.")

  @OptionGroup var kiosk: KioskArguments

  func run() async throws {
    try await kiosk.withSession { session in
      try await session.validate(deadline: KioskArguments.deadline)
      Terminal.out("\(try await session.state().server?.name ?? "") accepts the token.")
    }
  }
}

/// `scangate kiosk reset`
struct KioskResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Forget the activation, the token and the configuration of the control service.",
    discussion: """
      The station is a new one to its service then, and needs a new code. Gates that wait for the service are out of service \
      until that; keys of ticket systems, the journal and lists stay: those are wiped by scangate factory-reset.
      """)

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var kiosk: KioskArguments

  func run() async throws {
    try await kiosk.withSession { session in
      var place = "the control service"
      do throws(SealFault) {
        let state = try await session.state()
        guard state.isActivated || state.attempted != nil || state.configuration != nil else {
          return Terminal.out("The station was not activated: there is nothing to forget.")
        }
        place = state.server?.name ?? place
      } catch {
        // This is what takes a damaged one away.
        guard error.kind == .damaged else { throw error }
        Terminal.error(TerminalText.clean(error.description, limit: 1_000))
      }
      if !yes {
        try Terminal.confirm(
          "Forget the activation at \(place)?", to: "forget the activation", otherwise: "Nothing was forgotten.")
      }
      try await session.reset()
      Terminal.out("The station is not activated any more. Have it taken off the service's list, too.")
    }
  }
}
