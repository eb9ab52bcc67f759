internal import ScanModel
internal import Synchronization
internal import TicketTransport
internal import WireText

/// The subscriptions that the service tells of, all or one user's, as a list to be taken on board: `GET /apple/subs`, page by page. What a
/// page says of the whole is not believed: it goes on until a page has nothing new, so that pages which loop end as well.
final class SubscriptionsRoster: TicketRoster {
  /// How many subscriptions a page has.
  private static let size = 100
  /// So many are taken.
  private static let most = 1_000_000

  private let client: SubscriptionsClient
  private let environment: SubscriptionEnvironment
  private let user: SubscriptionUser?
  /// What was told since the first page.
  private let seen = Mutex(Seen())

  private struct Seen: Sendable {
    var ids: Set<SubscriptionID> = []
    /// What is no subscription.
    var others: Set<Int> = []
    var count: Int { ids.count + others.count }
  }

  /// - Parameter user: whose subscriptions; `nil` for all that the service tells.
  init(client: SubscriptionsClient, environment: SubscriptionEnvironment, of user: SubscriptionUser? = nil) {
    self.client = client
    self.environment = environment
    self.user = user
  }

  func of(user: String) throws(TicketListFault) -> (any TicketRoster)? {
    guard let named = SubscriptionUser(user) else {
      throw TicketListFault("--user is no account's id: write it as the service does.")
    }
    return SubscriptionsRoster(client: client, environment: environment, of: named)
  }

  func page(_ number: Int) async throws(TicketListFault) -> RosterPage {
    let answer: HTTPAnswer
    do throws(TransportFault) {
      answer = try await client.page(
        number, size: Self.size, of: user, deadline: client.time.now() + .seconds(60))
    } catch {
      throw TicketListFault(error.detail)
    }
    guard let data = (try? JSONValue(answer.body))?["data"]?.array else {
      throw TicketListFault("\(client.host) answered with a list that cannot be read. \(client.words.addressCure)")
    }
    let told = data.map { document in Result { () throws(Subscription.Fault) in try Subscription(document) } }
    let isNew = try seen.withLock { seen throws(TicketListFault) in
      if number <= 1 { seen = Seen() }
      let before = seen.count
      for (document, result) in zip(data, told) {
        switch result {
        case .success(let subscription): seen.ids.insert(subscription.id)
        case .failure: seen.others.insert(document.hashValue)
        }
      }
      guard seen.count <= Self.most else {
        throw TicketListFault("\(client.host) tells more than \(Self.most) subscriptions: that cannot be.")
      }
      return seen.count > before
    }
    return RosterPage(
      tickets: told.compactMap { result in
        switch result {
        case .failure(let fault):
          return ToldTicket(
            code: "", isWholeSale: false, status: nil, obstacle: "it is no subscription: \(fault.words)")
        case .success(let subscription):
          // Test purchases and others stand in one list.
          guard subscription.environment == environment else { return nil }
          return ToldTicket(
            code: subscription.id.text, isWholeSale: false, status: .valid, until: subscription.ends,
            kind: subscription.tier.rawValue)
        }
      }, hasMore: isNew)
  }

  /// It tells of no days.
  func page(_ number: Int, of day: CivilDay) async throws(TicketListFault) -> RosterPage? { nil }
}
