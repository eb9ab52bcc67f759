internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// `scangate membership list`
struct ListSubscriptionsCommand: OfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List subscriptions, the one that was changed last first.",
    discussion: """
      All pages, until the service tells no more; with --page that one. Real services tell those of one user alone, whom --user names.
      """)

  static let takesUser = true

  @Option(help: ArgumentHelp("Whose: the account's id.", valueName: "ftcid")) var user: String?
  @Option(help: ArgumentHelp("This page alone.", valueName: "number")) var page: Int?
  @Option(help: ArgumentHelp("How many a page.", valueName: "1 to 500")) var perPage = 100
  @OptionGroup var office: OfficeArguments

  func validate() throws {
    guard (1...500).contains(perPage) else { throw ValidationError("--per-page wants 1 to 500.") }
    guard page.map({ (1...PageWalk.most).contains($0) }) ?? true else {
      throw ValidationError("--page wants 1 to \(PageWalk.most).")
    }
  }

  func run(at office: Office) async throws {
    var headers: [CallHeader] = []
    if let user {
      guard let named = SubscriptionUser(user) else {
        throw office.failure("--user is no account's id.", DeskExit.usage)
      }
      headers = [named.header]
    }
    var found: [OfficeSubscription] = []
    var (unread, seen) = (0, Set<String>())
    var total: Int64?
    // What it tells of the length of its list is not believed: it ends where nothing more comes.
    var walk = PageWalk { _, _ in true }
    var end: PageWalk.End?
    while end == nil {
      let number = page ?? walk.page
      let document = try await office.read(
        "/apple/subs", "/apple/subs", [("page", "\(number)"), ("per_page", "\(perPage)")], headers,
        hiding: [user].compactMap { $0 })
      guard let taken = walk.take(document) else {
        throw DeskFault.unavailable(
          "\(office.calls.host) answered GET /apple/subs with something that is no list. Check the address.")
      }
      total = document["total"]?.integer ?? total
      let records = taken.elements.compactMap { OfficeSubscription($0, hiding: office.calls.secrets) }
      unread += taken.elements.count - records.count
      found += records.filter { seen.insert($0.id).inserted }
      end = page == nil ? taken.end : .whole
    }
    found.sort { ($0.changed, $1.id) > ($1.changed, $0.id) }
    if office.isJSON {
      for subscription in found { office.out(subscription.told) }
    } else {
      var table = DeskTable(heads: OfficeSubscription.heads)
      for line in table.lines(found.map(\.cells)) { office.out(line) }
    }
    try conclude(office, end, unread: unread, total: page == nil ? total : nil, found: found.count)
  }

  private func conclude(
    _ office: Office, _ end: PageWalk.End?, unread: Int, total: Int64?, found: Int
  ) throws(DeskFault) {
    let host = office.calls.host
    if unread > 0 { office.tell("\(unread) could not be read: they have no id.") }
    if let total, total != Int64(found + unread) { office.tell("\(host) tells of \(total); \(found + unread) came.") }
    switch end {
    case .repeated: office.tell("\(host) told a page a second time: the list ends here.")
    case .tooMany:
      throw .unavailable("\(host) has more than \(PageWalk.most) pages: the rest was not asked for.")
    case .whole, nil: break
    }
  }
}

/// `scangate membership show`
struct ShowSubscriptionCommand: OfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a subscription as the service knows it.")

  @Argument(help: ArgumentHelp("The subscription.", valueName: "id")) var id: String
  @OptionGroup var office: OfficeArguments

  func run(at office: Office) async throws {
    let subscription = try await office.subscription(try office.id(id))
    office.print(subscription.told, subscription.fields)
  }
}

/// `scangate membership refresh`
struct RefreshSubscriptionCommand: OfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Have the service ask the store about a subscription, and print what it knows then.",
    discussion: """
      What the service answers to that may be empty although it has learnt something: it is asked for the subscription afterwards, and \
      that is printed.
      """)

  @Argument(help: ArgumentHelp("The subscription.", valueName: "id")) var id: String
  @OptionGroup var office: OfficeArguments

  func run(at office: Office) async throws {
    let id = try office.id(id)
    var doubt: DeskFault?
    do throws(DeskFault) {
      let answer = try await office.change(
        .patch, "/apple/subs/\(id.text)", "/apple/subs/ID", hiding: [id.text], look: "show \(id)")
      if let told = answer["membership"],
        let membership = OfficeMembership(told, hiding: office.calls.secrets)
      {
        office.tell("It changed a membership: \(membership.words).")
      }
    } catch {
      guard case .unclear = error else { throw error }
      doubt = error
    }
    let subscription = try await office.subscription(id)
    office.print(subscription.told, subscription.fields)
    if let doubt { throw doubt }
  }
}
