import ArgumentParser
import ScanModel
import StationProtocol
import StationReport

/// `scangate present`
struct PresentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "present", abstract: "Present a code at a gate, for a ticket that no scanner reads.",
    discussion: """
      The code goes the whole way of one that is scanned, hold-off and all: an admission opens the gate. With - it is asked for \
      without showing it, or read from a pipe; as an argument other users of the machine can see it while this runs, and the shell \
      remembers it. Ends with 0 where the gate admits, with 1 where it refuses, with 2 where it cannot decide.
      """)

  @Argument(help: "The gate's name.")
  var gate: String

  @Argument(help: "The code, or - for one that is typed or comes from a pipe.")
  var code: String

  @OptionGroup var order: OrderArguments

  func run() async throws {
    let code = try TypedCode.given(code, otherwise: "Nothing was presented.")
    // A gate waits for its ticket system, and for those who stand before it.
    let outcome = try await order.perform("present", at: gate, within: .seconds(30)) { .present($0, code) }
    guard case .decided(let line) = outcome,
      let verdict = ShownEvent(line: line, clock: PageClock(now: SystemTime().wall()))?.verdict
    else { return tell(outcome, otherwise: "The code was presented: see scangate watch --gate \(gate)") }
    let paint = Paint(isColourful: Terminal.isColourful)
    for line in verdict.lines { Terminal.out(line.text(paint)) }
    if verdict.name != "undecided", let detail = verdict.detail { Terminal.out(ScreenLine(detail).text(paint)) }
    switch verdict.name {
    case "admit": break
    case "refuse": throw Exit.refused
    default: throw ExitCode(StationRemark.Weight.cannotAdmit.rawValue)
    }
  }
}
