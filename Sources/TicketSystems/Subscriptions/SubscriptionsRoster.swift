internal import ScanModel
internal import Synchronization
internal import TicketTransport
internal import WireText

/// The subscriptions that the service tells of, as a list to be taken on board: `GET /apple/subs`, page by page. What a page says of the
/// whole is not believed: it goes on until a page has nothing new, so that pages which loop end as well.
final class SubscriptionsRoster: TicketRoster {
  /// How many subscriptions a page has.
  private static let size = 100
  /// So many are taken.
  private static let most = 1_000_000

  private let client: SubscriptionsClient
  private let environment: SubscriptionEnvironment
  /// What was told since the first page.
  private let seen = Mutex<Set<SubscriptionID>>([])

  init(client: SubscriptionsClient, environment: SubscriptionEnvironment) {
    self.client = client
    self.environment = environment
  }

  func page(_ number: Int) async throws(TicketListFault) -> RosterPage {
    let answer: HTTPAnswer
    do throws(TransportFault) {
      answer = try await client.page(number, size: Self.size, deadline: client.time.now() + .seconds(60))
    } catch {
      throw TicketListFault(error.detail)
    }
    guard let data = (try? JSONValue(answer.body))?["data"]?.array else {
      throw TicketListFault("\(client.host) answered with a list that cannot be read. \(client.words.addressCure)")
    }
    let told = data.map { document in Result { () throws(Subscription.Fault) in try Subscription(document) } }
    let isNew = try seen.withLock { seen throws(TicketListFault) in
      if number <= 1 { seen = [] }
      let before = seen.count
      for case .success(let subscription) in told { seen.insert(subscription.id) }
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
