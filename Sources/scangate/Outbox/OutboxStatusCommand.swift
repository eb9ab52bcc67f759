import WireText
import ArgumentParser
import Gateway
import Journal
import ScanModel

/// `scangate outbox status`
struct OutboxStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show what waits, whether it is held, and how many conflicts there are.",
    discussion: "The journal is only read; the service may run.")

  @OptionGroup var journal: JournalArgument

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let reader = try journal.open()
    let (waiting, conflicts, isHeld) = try journal.telling {
      (try reader.outbox(.waiting), try reader.outbox(.conflicts), try reader.isOutboxHeld())
    }
    let gates = Self.gates(of: waiting)
    guard !json else {
      var line = JSONText()
      line.add("held", isHeld)
      // No order waits for the next start any more; who reads this still finds the field.
      line.add("retry_asked", false)
      line.add("waiting", Int64(waiting.count))
      line.add("oldest", waiting.first?.at.wall.iso8601)
      line.add(
        "gates",
        objects: gates.map { gate in
          JSONText([
            JournalField("gate", .text(gate.gate)), JournalField("ticket_system", .text(gate.system)),
            JournalField("waiting", .number(Int64(gate.count))),
          ]).text
        })
      line.add("conflicts", Int64(conflicts.count))
      for kind in OutboxText.kinds(of: conflicts) { line.add(kind.name, Int64(kind.count)) }
      return Terminal.out(line.text)
    }
    let oldest = waiting.first.map { ", the oldest since \(LocalTime.text($0.at))" } ?? ""
    Terminal.out("Waiting    \(waiting.count)\(oldest)")
    for gate in gates {
      Terminal.out(
        "           \(gate.count) of gate \(TerminalText.clean(gate.gate)) for \(TerminalText.clean(gate.system))")
    }
    let sending = isHeld ? "held, until: scangate outbox retry" : "not held"
    Terminal.out("Sending    \(sending)")
    Terminal.out("Conflicts  \(conflicts.isEmpty ? "none" : OutboxText.count(conflicts))")
  }

  /// How many wait of each gate and ticket system, by their names.
  private static func gates(of waiting: [JournalOwed]) -> [(gate: String, system: String, count: Int)] {
    Dictionary(grouping: waiting) { [$0.gate.name, $0.system.name] }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { ($0.key.first ?? "", $0.key.last ?? "", $0.value.count) }
  }
}
