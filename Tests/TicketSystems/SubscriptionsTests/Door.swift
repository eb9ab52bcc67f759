import Calls
import LinuxIO
import ScanModel
import Synchronization
import TicketSystemKit
import TicketTransport

@testable import Subscriptions

/// One gate's face of a service, over real HTTP, without a ledger.
struct Door {
  /// What is kept on board, in memory.
  final class Board: TicketList {
    private let tickets = Mutex<[Code: CheckedTicket]>([:])
    var kept: [Code: CheckedTicket] { tickets.withLock { $0 } }
    func keep(_ checked: CheckedTicket?, of code: Code) { tickets.withLock { $0[code] = checked } }
    func state() async throws(TicketListFault) -> TicketListState? { nil }
    func find(_ code: Code) async throws(TicketListFault) -> ListFinding? {
      kept[code].map {
        .named(ListedTicket(status: .valid, until: $0.ends, kind: $0.kind, checkedAt: $0.at), ListAge(asOf: $0.at))
      }
    }
  }

  let transport: HTTPTransport
  let client: SubscriptionsClient
  let board = Board()
  let system: SubscriptionsTicketSystem

  init(
    asking address: String, gate: SubscriptionsSection.Gate = .init(),
    environment: SubscriptionEnvironment = .production,
    grace: Duration = .zero, recheck: Duration = .zero, codes: PassCodes = .both, budget: RateBudget? = nil,
    isTrusted: Bool = true, time: any TimeSource = SystemTime()
  ) throws {
    let url = try ServerAddress(address)
    var transportSettings = HTTPTransport.Settings()
    transportSettings.words.keyCure = "Mend accessToken."
    transportSettings.words.addressCure = "Mend url."
    transportSettings.lateLimit = SubscriptionsClient.longestRefresh
    transport = try HTTPTransport(server: url, settings: transportSettings, time: time)
    client = SubscriptionsClient(
      transport: transport, token: try Secret("test-token"),
      budget: budget ?? RateBudget(limit: SubscriptionsClient.rate, model: .window), recheck: recheck, time: time)
    let list = ListOnBoard(of: Self.id, board, maxAge: .seconds(3_600), freshFor: .seconds(86_400)) {
      JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: isTrusted)
    }
    system = SubscriptionsTicketSystem(
      id: Self.id, client: client, reader: PassReader(codes: codes, files: try passFiles()),
      settings: Self.settings(url, environment: environment, grace: grace, recheck: recheck, codes: codes), gate: gate,
      list: list)
  }

  static let id = TicketSystemID("members")

  /// The section of the file.
  static func settings(
    _ url: ServerAddress, environment: SubscriptionEnvironment = .production, grace: Duration = .zero,
    recheck: Duration = .zero, codes: PassCodes = .both, freshFor: Duration = .seconds(86_400)
  ) -> SubscriptionsSection.System {
    let place = SourcePosition(file: "f", line: 1, column: 1)
    return SubscriptionsSection.System(
      url: url, urlPosition: place, accessToken: CredentialReference(name: "ftc", position: place),
      environment: environment, passes: .init(codes: codes), freshFor: freshFor, renewalGrace: grace, recheck: recheck,
      allowPlainHTTP: false)
  }

  func close() async { await transport.close() }

  /// One presentation. The deadline is far away unless a test is about it: nothing here waits for it.
  func attempt(
    _ code: String = exampleID, within limit: Duration = .seconds(60), owedFor: Duration? = nil,
    late: @escaping @Sendable (AttemptOutcome) -> Void = { _ in }
  ) async -> AttemptOutcome {
    await system.attempt(
      AttemptRequest(
        attempt: AttemptID(), scan: ScanID(), code: system.recognise(Code(code)).code,
        deadline: client.time.now() + limit, isOwed: owedFor != nil, owedFor: owedFor), late: late)
  }
}
