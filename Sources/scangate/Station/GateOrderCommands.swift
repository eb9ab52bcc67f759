import ArgumentParser
import StationProtocol

/// `scangate open`
struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open a gate once, for somebody whom no ticket lets in.",
    discussion: """
      One pulse of the relay by the service that runs; no ticket is counted. At most one a second, and none while one runs. It is \
      written into the journal before the relay moves, with who and why.
      """)

  @Argument(help: "The gate's name.")
  var gate: String

  @OptionGroup var order: OrderArguments

  func run() async throws {
    tell(try await order.perform("open", at: gate) { .openOnce($0) }, otherwise: "Gate \(gate) has opened once.")
  }
}

/// `scangate annul`
struct AnnulCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "annul", abstract: "Give the last admission of a gate back, because nobody passed on it.",
    discussion: """
      The ticket then admits again when it is presented. Within a minute of the admission, at the gate that admitted; not where a \
      sensor has seen somebody pass, and not twice.
      """)

  @Argument(help: "The gate's name.")
  var gate: String

  @OptionGroup var order: OrderArguments

  func run() async throws {
    tell(
      try await order.perform("annul", at: gate) { .annul($0) },
      otherwise: "The last admission of gate \(gate) is given back.")
  }
}

/// `scangate maintenance`
struct MaintenanceCommand: AsyncParsableCommand {
  /// Out of service, or not.
  enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    commandName: "maintenance", abstract: "Take a gate out of service, or put it into service again.",
    discussion: """
      The scan that is being decided is decided. A gate that its maintenance input takes out of service stays so whatever is \
      ordered here.
      """)

  @Argument(help: "on: out of service; off: into service.")
  var state: Switch

  @Argument(help: "The gate's name.")
  var gate: String

  @OptionGroup var order: OrderArguments

  func run() async throws {
    let outcome = try await order.perform("maintenance", at: gate) { .maintenance($0, isOn: state == .on) }
    tell(outcome, otherwise: "Gate \(gate) is \(state == .on ? "out of service" : "in service again").")
  }
}
