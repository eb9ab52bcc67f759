internal import ArgumentParser
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// `scangate eventschedule tickets`
struct SaleTicketsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tickets", abstract: "Search sales, and issue, refund, void or reassign tickets.",
    subcommands: [
      SearchSalesCommand.self, IssueTicketsCommand.self, SaleActionCommand<RefundSale>.self,
      SaleActionCommand<VoidSale>.self, ReassignSaleCommand.self, SaleActionCommand<PaySale>.self,
      SaleActionCommand<UnpaySale>.self, SaleActionCommand<UseSale>.self, SaleActionCommand<UnuseSale>.self,
      SaleActionCommand<DeleteSale>.self, NoteSaleCommand.self,
    ])

  /// The path of a sale, and of something below it.
  static func path(_ id: String, _ rest: String = "") -> String { "/tickets/\(PercentCoding.encode(id))\(rest)" }

  /// What to look at where an answer is lost.
  static func look(_ id: String) -> String { "tickets search, and look for sale \(id)" }
}

/// `tickets search`
struct SearchSalesCommand: DeskCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Search sales by a part of a name, an address, a code or an event's name.")

  @Argument(help: "What to search for; without it, all.") var text: String?
  @Option(help: ArgumentHelp("Of this event alone.", valueName: "id"), transform: DeskID.read) var event: String?
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    var query: [(name: String, value: String)] = []
    if let event { query.append(("event_id", Desk.queried(event))) }
    if let text { query.append(("query", text)) }
    guard let lacking = try await print(desk, query) else { return }
    // The original project has a list of sales, which searches nothing.
    try await desk.printList("/sales", event.map { [("event_id", $0)] } ?? [], as: DeskSale.self) { sale in
      text.map { sale.mentions($0) } ?? true
    }
    desk.tell("By GET /api/sales (\(lacking))")
  }

  /// Prints what the server finds.
  /// - Returns: that it has no such call, in words.
  private func print(_ desk: Desk, _ query: [(name: String, value: String)]) async throws(DeskFault) -> String? {
    do throws(DeskFault) {
      try await desk.printList("/tickets", query, as: DeskSale.self)
      return nil
    } catch {
      guard case .noWay(let lacking) = error else { throw error }
      return lacking
    }
  }
}

/// Something that is done to a sale as a whole.
protocol SaleAction {
  static var name: String { get }
  static var abstract: String { get }
  /// What the real servers call it.
  static var action: String { get }
  /// How the original project's list of sales has it done; `nil` where it does not.
  static var bySales: HTTPCall.Method? { get }
  /// Its part of the path in the document; `nil` where it has none.
  static var path: String? { get }
  /// What is to be known of the real servers' way.
  static var note: String? { get }
  /// The sale's state afterwards; empty where it has none of its own.
  static var states: Set<String> { get }
  /// What is asked before, where it cannot be undone.
  static var question: String? { get }
}

/// `tickets refund`
enum RefundSale: SaleAction {
  static let name = "refund"
  static let abstract = "Refund a sale."
  static let action = "refund"
  static let bySales: HTTPCall.Method? = .put
  static let path: String? = "/refund"
  static let note: String? = "It moves no money: pay it back by yourself."
  static let states: Set<String> = ["refunded"]
  static let question: String? = nil
}

/// `tickets void`
enum VoidSale: SaleAction {
  static let name = "void"
  static let abstract = "Make a sale's tickets void."
  static let action = "cancel"
  static let bySales: HTTPCall.Method? = .put
  static let path: String? = "/void"
  static let note: String? = "The sale is cancelled; it moves no money."
  static let states: Set<String> = ["cancelled", "void", "voided"]
  static let question: String? = nil
}

/// `tickets pay`
enum PaySale: SaleAction {
  static let name = "pay"
  static let abstract = "Mark a sale as paid."
  static let action = "mark_paid"
  static let bySales: HTTPCall.Method? = .put
  static let path: String? = nil
  static let note: String? = nil
  static let states: Set<String> = ["paid"]
  static let question: String? = nil
}

/// `tickets unpay`
enum UnpaySale: SaleAction {
  static let name = "unpay"
  static let abstract = "Mark a sale as not paid."
  static let action = "mark_unpaid"
  static let bySales: HTTPCall.Method? = nil
  static let path: String? = nil
  static let note: String? = nil
  static let states: Set<String> = ["unpaid"]
  static let question: String? = nil
}

/// `tickets use`
enum UseSale: SaleAction {
  static let name = "use"
  static let abstract = "Mark every ticket of a sale as used."
  static let action = "mark_used"
  static let bySales: HTTPCall.Method? = nil
  static let path: String? = nil
  static let note: String? = nil
  static let states: Set<String> = []
  static let question: String? = "every ticket of it counts as used then, and which were is forgotten"
}

/// `tickets unuse`
enum UnuseSale: SaleAction {
  static let name = "unuse"
  static let abstract = "Mark every ticket of a sale as not used."
  static let action = "mark_unused"
  static let bySales: HTTPCall.Method? = nil
  static let path: String? = nil
  static let note: String? = nil
  static let states: Set<String> = []
  static let question: String? = "every ticket of it admits again then, also who is inside"
}

/// `tickets delete`
enum DeleteSale: SaleAction {
  static let name = "delete"
  static let abstract = "Delete a sale, after asking: it cannot be brought back."
  static let action = "delete"
  static let bySales: HTTPCall.Method? = .delete
  static let path: String? = nil
  static let note: String? = nil
  static let states: Set<String> = []
  static let question: String? = "it cannot be brought back"
}

/// `tickets refund|void|pay|unpay|use|unuse|delete ID`
struct SaleActionCommand<Action: SaleAction>: DeskCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: Action.name, abstract: Action.abstract)
  }

  @Argument(help: "The sale's id, as tickets search tells it.", transform: DeskID.read) var id: String
  @Flag(help: "Do not ask, where something cannot be undone.") var yes = false
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    let shown = TerminalText.clean(id)
    if let question = Action.question, !yes {
      try desk.confirm(
        "\(Action.abstract.dropLast()), sale \(shown)? Note: \(question).", to: "\(Action.name) it",
        otherwise: "Nothing was changed.")
    }
    let body = JSONValue.object(["action": .string(Action.action)])
    let documented = Action.path.map { DeskWay(method: .post, path: SaleTicketsCommand.path(id, $0), word: .sale) }
    let action = DeskWay(method: .patch, path: SaleTicketsCommand.path(id), body: body, note: Action.note, word: .sale)
    let bySales = Action.bySales.map { method in
      DeskWay(
        method: method, path: "/sales/\(PercentCoding.encode(id))", body: method == .delete ? nil : body,
        note: Action.note, word: method == .delete ? .message : .sale)
    }
    let ways = [documented, action, bySales].compactMap { $0 }
    let (document, _) = try await desk.change(ways, of: id, look: SaleTicketsCommand.look(shown))
    // What has no state of its own leaves the sale in the one that it had.
    let state =
      Action.states.isEmpty ? nil : DeskClient.single(document)?["status"]?.told(hiding: desk.client.secrets)
    if let state, !Action.states.contains(state) {
      throw desk.failure(
        "\(desk.client.host) answered, but tells that the sale \(shown) is “\(state)”.", DeskExit.refused)
    }
    desk.done(
      document, "Done: \(Action.name), sale \(shown)" + (state.map { ", which is “\($0)” now." } ?? "."),
      id: id)
  }
}

/// `tickets reassign`
struct ReassignSaleCommand: DeskCommand {
  static let configuration = CommandConfiguration(
    commandName: "reassign", abstract: "Give a sale another holder.")

  @Argument(help: "The sale's id, as tickets search tells it.", transform: DeskID.read) var id: String
  @Option(help: "The new holder's name.") var name: String
  @Option(help: "The new holder's address.") var email: String
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    let shown = TerminalText.clean(id)
    let ways = [
      // Some let the buyer do that alone.
      DeskWay(
        method: .post, path: SaleTicketsCommand.path(id, "/reassign"),
        body: .object(["new_holder_name": .string(name), "new_holder_email": .string(email)]), yields: [403],
        word: .sale),
      DeskWay(
        method: .patch, path: SaleTicketsCommand.path(id),
        body: .object(["name": .string(name), "email": .string(email)]), word: .sale),
    ]
    let (document, _) = try await desk.change(ways, of: id, look: SaleTicketsCommand.look(shown))
    desk.done(document, "The sale \(shown) is \(TerminalText.clean(name))'s now.", id: id)
  }
}

/// `tickets note`
struct NoteSaleCommand: DeskCommand {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Add a note to a sale.", discussion: "Some servers let the buyer do that alone.")

  @Argument(help: "The sale's id, as tickets search tells it.", transform: DeskID.read) var id: String
  @Argument(help: "The note, at most 1,000 characters.") var text: String
  @OptionGroup var desk: DeskArguments

  func validate() throws {
    guard text.unicodeScalars.count <= 1_000 else { throw ValidationError("A note has at most 1,000 characters.") }
  }

  func run(at desk: Desk) async throws {
    let shown = TerminalText.clean(id)
    let way = DeskWay(
      method: .post, path: SaleTicketsCommand.path(id, "/notes"), body: .object(["note": .string(text)]), word: .note)
    let (document, _) = try await desk.change([way], of: id, look: SaleTicketsCommand.look(shown))
    desk.done(document, "The sale \(shown) has the note.", id: id)
  }
}

/// `tickets issue`
struct IssueTicketsCommand: DeskCommand {
  static let configuration = CommandConfiguration(
    commandName: "issue", abstract: "Issue tickets to somebody.",
    discussion: """
      A type is named as events show names it, by its name or id. Some servers issue below a schedule alone, tell no code and write to \
      the holder by themselves. The password of a protected event is said by --data.
      """)

  @Option(help: ArgumentHelp("The event.", valueName: "id"), transform: DeskID.read) var event: String
  @Option(help: "The holder's name.") var name: String
  @Option(help: "The holder's address.") var email: String
  @Option(
    name: .customLong("ticket"), help: ArgumentHelp("How many of which type; once for each.", valueName: "type=n"))
  var tickets: [String]
  @Option(help: ArgumentHelp("The day, 2026-12-01; without it, the one on which the event starts.", valueName: "day"))
  var date: String?
  @Option(help: ArgumentHelp("The schedule that the event stands in.", valueName: "name"), transform: DeskID.read)
  var subdomain: String?
  @OptionGroup var data: DataArgument
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    let (told, zone) = try await desk.before { client throws(DeskFault) in
      let told = try await client.show(.events, event)
      return (told, try await client.scheduleZone(of: told))
    }
    guard let event = DeskEvent(told, hiding: desk.client.secrets) else {
      throw DeskFault.unavailable("\(desk.client.host) told something without an id.")
    }
    var members = try data.members(["name": name, "email": email], desk)
    members["event_date"] = .string(try day(of: event, in: zone, desk))
    members["tickets"] = .object(try wanted(of: event, desk))
    let ways = ways(members, to: event)
    let look = "tickets search --event \(event.id)"
    do {
      let (document, _) = try await desk.change(ways, look: look)
      let state = DeskClient.single(document)?["status"]?.told(hiding: desk.client.secrets)
      desk.done(document, "Issued: sale\(Desk.idWords(document))" + (state.map { ", “\($0)”." } ?? "."))
    } catch DeskFault.noWay(let words) {
      throw desk.failure(
        "Nothing was issued. \(words) Where it issues below a schedule, name that by --subdomain; else name one --ticket at a time.",
        DeskExit.usage)
    }
  }

  /// The ways there may be. The document does not say what it wants; it issues one ticket type at a time.
  private func ways(_ members: [String: JSONValue], to event: DeskEvent) -> [DeskWay] {
    var ways: [DeskWay] = []
    let types = members["tickets"]?.members ?? [:]
    if types.count == 1, let (type, count) = types.first {
      let one: [String: JSONValue] = [
        "event_id": Desk.sent(event.id), "ticket_id": Desk.sent(type), "quantity": count,
      ]
      ways.append(
        DeskWay(method: .post, path: "/tickets", body: .object(members.merging(one) { own, _ in own }), word: .new))
    }
    if let subdomain = subdomain ?? event.subdomains.first {
      let path = "/events/\(PercentCoding.encode(subdomain))/checkout"
      ways.append(DeskWay(method: .post, path: path, body: .object(members), note: "It tells no code.", word: .new))
    }
    let sale = members.merging(["event_id": .string(event.id)]) { own, _ in own }
    return ways + [DeskWay(method: .post, path: "/sales", body: .object(sale), word: .new)]
  }

  private func day(of event: DeskEvent, in scheduleZone: String?, _ desk: Desk) throws -> String {
    if let date {
      guard date.utf8.count == 10, let time = DeskTime.typed(date + "T00:00", in: .utc) else {
        throw desk.failure("--date is no day: write 2026-12-01.", DeskExit.usage)
      }
      return String(time.iso8601Seconds.prefix(10))
    }
    let told = (event.zone ?? scheduleZone).flatMap { ZoneRules.named($0) }
    guard let starts = event.starts, let zone = told ?? desk.zone else {
      throw desk.failure("The event's day is not told: name it by --date.", DeskExit.usage)
    }
    return String(DeskTime.clocks(starts, in: zone).prefix(10))
  }

  /// How many of which type, by the types' ids as the server tells them.
  private func wanted(of event: DeskEvent, _ desk: Desk) throws -> [String: JSONValue] {
    var wanted: [String: JSONValue] = [:]
    for text in tickets {
      let parts = text.split(separator: "=", omittingEmptySubsequences: false)
      let name = parts.dropLast().joined(separator: "=")
      guard parts.count >= 2, let count = parts.last.flatMap({ Int64($0) }), (1...10_000).contains(count) else {
        throw desk.failure("--ticket wants a type and how many: VIP=2.", DeskExit.usage)
      }
      let found = event.tickets.filter { type in
        type.id.map { PublicID.areSame($0, name) } ?? false || type.type?.lowercased() == name.lowercased()
      }
      guard found.count == 1, let id = found[0].id else {
        let known = event.tickets.map(\.words).joined(separator: "; ")
        throw desk.failure(
          "The event has \(found.isEmpty ? "no ticket type" : "several ticket types") “\(TerminalText.clean(name))”; it has: \(known)",
          DeskExit.usage)
      }
      guard wanted.updateValue(.number(String(count)), forKey: id) == nil else {
        throw desk.failure("--ticket names \(TerminalText.clean(name)) twice.", DeskExit.usage)
      }
    }
    guard !wanted.isEmpty else { throw desk.failure("Name a ticket type by --ticket VIP=1.", DeskExit.usage) }
    return wanted
  }
}

extension Desk {
  /// An event's id where a number is wanted.
  static func queried(_ id: String) -> String { PublicID.number(id).map(String.init) ?? id }

  /// The same in a body.
  static func sent(_ id: String) -> JSONValue { PublicID.number(id).map { .number(String($0)) } ?? .string(id) }
}
