import ArgumentParser
import ScanModel
import StationProtocol

/// `scangate search`
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Say what this station knows of a ticket, without asking its ticket system.",
    discussion: """
      By its whole code, in the lists on board and in the station's own book; or by the four characters that are shown of it, among \
      the codes that were presented here within a day. At most twenty times a minute. With - the code is asked for without showing it, \
      or read from a pipe; as an argument other users of the machine can see it while this runs, and the shell remembers it. Ends with \
      0 where something is found, with 1 where nothing is.
      """)

  /// How long lists and book may take.
  private static let patience = Duration.seconds(20)

  @Argument(help: "The code, its last four characters, or - for one that is typed or comes from a pipe.")
  var text: String

  @Option(help: ArgumentHelp("Tell what is found in this ticket system alone.", valueName: "name"))
  var system: String?

  @OptionGroup var order: OrderArguments

  func run() async throws {
    let code = try TypedCode.given(text, otherwise: "Nothing was searched for.")
    // Whether names are told, the service decides.
    let outcome = try await order.station.speaking("search", names: true) { client, snapshot in
      if let system, !snapshot.ticketSystems.contains(where: { $0.id.name == system }) {
        let names = snapshot.ticketSystems.map(\.id.name).joined(separator: ", ")
        throw failure("There is no ticket system \(system); this station has \(names).", Exit.usage)
      }
      return try await order.give(.search(code.text), to: client, within: Self.patience)
    }
    guard case .found(let all) = outcome else { return tell(outcome, otherwise: "It was searched for.") }
    let found = all.filter { system == nil || $0.system.name == system }
    guard !found.isEmpty else {
      let place = system.map { " in \($0)" } ?? ""
      throw failure("Nothing is known here of \(Self.shown(code))\(place).", Exit.refused)
    }
    let paint = Paint(isColourful: Terminal.isColourful)
    let clock = PageClock(now: SystemTime().wall())
    for ticket in found { Terminal.out(ticket.line(clock).text(paint)) }
    if all.count >= StationLimits.maximumFound {
      Terminal.error("There may be more: no more than \(StationLimits.maximumFound) are told. Give the whole code.")
    }
  }

  /// What is shown of what was searched for: the four characters that are, as they were given.
  private static func shown(_ code: Code) -> String {
    let end = code.text.hasPrefix("…") ? String(code.text.dropFirst()) : code.text
    return end.unicodeScalars.count <= 4 ? "…\(end)" : Code(end).shortened
  }
}

extension FoundTicket {
  /// In words.
  func line(_ clock: PageClock) -> ScreenLine {
    // The service has shortened it; one that has not is no reason to show more.
    var line = ScreenLine(code.unicodeScalars.count <= 5 ? code : Code(code).shortened)
    line.add(apart: system.name)
    for fact in [holder, event] { line.add(apart: fact.map { TerminalText.clean($0, limit: 60) }) }
    line.add(apart: allowance.map { "\(admitted) of \($0) in" } ?? "\(admitted) in")
    if let firstAdmitted {
      line.add(apart: "used \(clock.short(firstAdmitted))\(gate.map { ", gate \($0)" } ?? "")")
    }
    line.add(apart: words.map { TerminalText.clean($0, limit: 200) })
    return line
  }
}
