import ArgumentParser
import Journal
import ScanModel
import WireText

/// `scangate orders`
struct OrdersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orders", abstract: "List what staff have ordered: when, who, what, why, and what became of it.",
    discussion: """
      From the journal, the newest last; the service may run or not. An order without an outcome was being done when the service \
      ended: look whether it was. In brackets behind who gave it, as the program said, is the user that the kernel knows it by.
      """)

  @OptionGroup var journal: JournalArgument

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only those since then: 2026-11-21, 2026-11-21T18:00, 18:00 (today), -2h, -30min, -3d.", valueName: "time"),
    transform: { try TimeArgument($0).beginning })
  var since: WallTime?

  @Option(help: ArgumentHelp("At most so many: the newest.", valueName: "number"))
  var limit = 100

  @Flag(help: "Print a line of JSON for each.")
  var json = false

  @Flag(help: "Print CSV with a line of names, safe to open in a spreadsheet.")
  var csv = false

  func validate() throws {
    guard !(json && csv) else { throw ValidationError("Ask for --json or --csv.") }
    guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit takes a number from 1 to 1000000.") }
  }

  func run() throws {
    // Nothing of them is sealed.
    let orders = try journal.telling {
      try Journal.Reader(path: journal.path, key: nil).orders(since: since, limit: limit)
    }
    var users: [UInt32: String] = [:]
    if csv { Terminal.write(CSVText.header(JournaledOrder.columns)) }
    for order in orders {
      let user = users[order.user] ?? Orderer.account(order.user) ?? "user \(order.user)"
      users[order.user] = user
      if csv {
        Terminal.write(CSVText.record(order.fields(user)))
      } else {
        Terminal.out(json ? JSONText(order.fields(user)).text : order.line(user))
      }
    }
    if orders.isEmpty, !json, !csv {
      Terminal.error("Nobody has ordered anything\(since.map { " since \(LocalTime.text($0))" } ?? "").")
    }
  }
}

extension JournaledOrder {
  /// The names of its fields, in their order.
  static let columns = [
    "at", "clock_trusted", "id", "order", "gate", "subject", "decided_by", "who", "user", "user_name", "why", "outcome",
    "reason", "detail", "scan",
  ]

  /// Its fields, as the `order` event names them.
  func fields(_ userName: String) -> [JournalField] {
    [
      JournalField("at", .text(at.wall.iso8601)), JournalField("clock_trusted", .truth(at.isTrusted)),
      JournalField("id", .text(id.description)), JournalField("order", .text(kind)),
      JournalField("gate", .text(gate?.name)), JournalField("subject", .text(subject)),
      JournalField("decided_by", .text(Decider.staff.rawValue)), JournalField("who", .text(who)),
      JournalField("user", .number(Int64(user))), JournalField("user_name", .text(userName)),
      JournalField("why", .text(why.isEmpty ? nil : why)), JournalField("outcome", .text(outcome)),
      JournalField("reason", .text(reason)), JournalField("detail", .text(detail)),
      JournalField("scan", .text(scan?.description)),
    ]
  }

  fileprivate func line(_ userName: String) -> String {
    func clean(_ text: String) -> String { TerminalText.clean(text, limit: 300) }
    let what = [kind, gate?.name, subject].compactMap(\.self).map(clean).joined(separator: " ")
    let became = (outcome ?? "not known") + (reason.map { " (\($0))" } ?? "")
    let words = [why.isEmpty ? nil : "“\(clean(why))”", detail.map(clean)].compactMap(\.self)
    return
      ([
        JournalText.padded(LocalTime.text(at), 20), JournalText.padded(what, 26),
        JournalText.padded("\(clean(who)) (\(clean(userName)))", 18), JournalText.padded(clean(became), 12),
      ] + words).joined(separator: "  ")
  }
}
