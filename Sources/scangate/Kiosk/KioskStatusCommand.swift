import StationSetUp
import ArgumentParser
import Gateway
import ScanModel

/// `scangate kiosk status`
struct KioskStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the station stands with its control service, or set its status by hand.",
    discussion: """
      The server is asked, and whether it accepts the token. Ends with 0 where the server answers, the token is good and the \
      configuration is less than an hour old, else with 1.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Set the status by hand until it is set to auto: \(StatusChoice.words).", valueName: "status"))
  var set: StatusChoice?

  @OptionGroup var kiosk: KioskArguments

  func run() async throws {
    if let set { return try await apply(set) }
    let isHealthy = try await kiosk.withSession { session in
      let health = await session.health(asking: KioskArguments.deadline)
      let state = try await session.state()
      let counters = await session.counters()
      if json {
        Terminal.out(KioskText.json(state, health, counters))
      } else {
        for line in KioskText.lines(state, health, counters) { Terminal.out(line) }
      }
      return health.isHealthy
    }
    if !isHealthy { throw ExitCode(1) }
  }

  private func apply(_ choice: StatusChoice) async throws {
    try await kiosk.withSession { session in
      try await session.setManualStatus(choice.status)
      guard let status = choice.status else {
        return Terminal.out("The status is what the station itself says; the running service tells it within moments.")
      }
      Terminal.out("The status is \(status.rawValue), set by hand, until: scangate kiosk status --set auto")
      guard try await session.state().isActivated else { return }
      do throws(ControlFault) {
        try await session.report(status, deadline: KioskArguments.deadline)
      } catch {
        throw failure("It is kept, and told when the service answers. \(error.detail)")
      }
    }
  }
}

/// A status on the command line.
struct StatusChoice: ExpressibleByArgument {
  /// `nil` for what the station itself says.
  let status: StationStatus?

  static let words = (StationStatus.allCases.map(\.rawValue) + ["auto"]).joined(separator: ", ")

  init?(argument: String) {
    if argument == "auto" {
      status = nil
    } else if let status = StationStatus(rawValue: argument == "inUse" ? "in-use" : argument) {
      self.status = status
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { StationStatus.allCases.map(\.rawValue) + ["auto"] }
}
