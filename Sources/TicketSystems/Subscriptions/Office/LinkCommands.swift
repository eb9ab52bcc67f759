internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// An account and a subscription.
struct LinkArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The account.", valueName: "ftcid")) var ftcID: String
  @Argument(help: ArgumentHelp("The subscription.", valueName: "id")) var id: String

  /// - Throws: that one of them is none, without repeating it.
  func read(_ office: Office) throws -> (ftcID: String, id: SubscriptionID) {
    let id = try office.id(id)
    guard (1...128).contains(ftcID.utf8.count), ftcID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw office.failure("An account's id has up to 128 letters, digits and signs, and this is none.", DeskExit.usage)
    }
    return (ftcID, id)
  }

  static func body(_ ftcID: String, _ id: SubscriptionID, force: Bool = false) -> JSONValue {
    var members: [String: JSONValue] = ["ftcId": .string(ftcID), "originalTxId": .string(id.text)]
    if force { members["force"] = .bool(true) }
    return .object(members)
  }
}

/// `scangate membership link`
struct LinkCommand: OfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "link", abstract: "Make a subscription an account's membership.",
    discussion: """
      What the service knows of the subscription is told before. Whether the two may be linked is the service's decision; see \
      scangate membership explain. What it refuses may leave the subscription claimed for the account: unlink takes that back.
      """)

  @OptionGroup var link: LinkArguments
  @Flag(help: "Put the subscription in the place of another one that the account has.")
  var force = false
  @OptionGroup var office: OfficeArguments

  func run(at office: Office) async throws {
    let (ftcID, id) = try link.read(office)
    office.tell("\(try await office.subscription(id).words).")
    let answer = try await office.change(
      .post, "/apple/link", "/apple/link", LinkArguments.body(ftcID, id, force: force), hiding: [ftcID, id.text],
      look: "list --user FTCID")
    guard let membership = OfficeMembership(answer, hiding: office.calls.secrets) else {
      throw DeskFault.unclear(
        "\(office.calls.host) answered POST /apple/link with something that is no membership. See whether it was done: scangate "
          + "membership list --user FTCID")
    }
    guard membership.subscription == id.text else {
      throw DeskFault.unclear(
        "\(office.calls.host) answered POST /apple/link with a membership that is not of \(id). See whether it was done: "
          + "scangate membership list --user FTCID")
    }
    office.print(answer, membership.fields)
  }
}

/// `scangate membership unlink`
struct UnlinkCommand: OfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlink", abstract: "Delete the membership that a subscription is to an account, after asking.")

  @OptionGroup var link: LinkArguments
  @Flag(help: "Do not ask.")
  var yes = false
  @OptionGroup var office: OfficeArguments

  func run(at office: Office) async throws {
    let (ftcID, id) = try link.read(office)
    if !yes {
      try office.program.confirm(
        "Unlink \(id) from \(Code(ftcID).shortened)? Note: the membership is deleted.", to: "unlink them",
        otherwise: "Nothing was changed.")
    }
    _ = try await office.change(
      .post, "/apple/unlink", "/apple/unlink", LinkArguments.body(ftcID, id), hiding: [ftcID, id.text], done: 204,
      look: "list --user FTCID")
    office.print(
      .object(["ftcId": .string(ftcID), "originalTransactionId": .string(id.text), "linked": .bool(false)]),
      [("Account", ftcID), ("Subscription", id.text), ("Linked", "no")])
  }
}

/// `scangate membership explain`
struct ExplainCommand: AsyncParsableCommand, TicketSystemCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Print which links the service's document allows: all, or those of a state.",
    discussion: """
      By the membership that the account has (--ftc), and by the one that the subscription is already (--iap). Nobody is asked; what \
      the service says counts.
      """)

  @Option(help: ArgumentHelp("What the account has.", valueName: "none|active|expired")) var ftc: LinkSide?
  @Option(help: ArgumentHelp("What the subscription is already.", valueName: "none|active|expired")) var iap: LinkSide?
  @Flag(help: "Print JSON, a line a row.")
  var json = false

  func run(in program: any CommandHost) async throws {
    let rows = LinkTable.rows.filter {
      (ftc ?? $0.account) == $0.account && (iap ?? $0.subscription) == $0.subscription
    }
    guard !json else {
      for row in rows {
        program.out(
          JSONValue.object([
            "ftc": .string(row.account.rawValue), "iap": .string(row.subscription.rawValue),
            "allowed": .bool(row.isAllowed), "reason": .string(row.reason),
          ]).shown(hiding: [], Concealment()))
      }
      return
    }
    var table = DeskTable(heads: ["FTC", "IAP", "LINK", "WHY"])
    let cells = rows.map { [$0.account.rawValue, $0.subscription.rawValue, $0.isAllowed ? "yes" : "no", $0.reason] }
    for line in table.lines(cells) { program.out(line) }
  }
}

extension LinkSide: ExpressibleByArgument {}
