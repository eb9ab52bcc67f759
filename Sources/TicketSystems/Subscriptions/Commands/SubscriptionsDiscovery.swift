internal import Calls
internal import ScanModel
package import TicketSystemKit
internal import TicketTransport
internal import WireText

extension TicketSystemDiscovery {
  /// The subscription API: whether it takes the access token. Which codes are passes no server tells.
  package static let subscriptions = TicketSystemDiscovery(
    TicketSystemForm(.members, secret: .accessToken, questions: [.passKeys])
  ) { given in
    do throws(Fault) {
      return .success(try await SubscriptionsDiscovery.find(given))
    } catch {
      return .failure(error)
    }
  }
}

private enum SubscriptionsDiscovery {
  private static let patience = Duration.seconds(15)

  static func find(_ given: TicketSystemDiscovery.Given) async throws(TicketSystemDiscovery.Fault)
    -> TicketSystemDiscovery.Found
  {
    let server: ServerAddress
    do { server = try ServerAddress(given.address) } catch {
      throw .init("That is no address of a server. \(error.description)")
    }
    let token: Secret
    do { token = try Secret(given.secret) } catch { throw .init(error.description) }
    var settings = HTTPTransport.Settings()
    settings.words.role = SubscriptionsSection.role
    settings.words.whenLost = "nothing was counted"
    settings.words.keyCure = "Check the access token, or make another one."
    let time = SystemTime()
    let transport: HTTPTransport
    do { transport = try HTTPTransport(server: server, settings: settings, time: time) } catch {
      throw .init(error.description)
    }
    let client = SubscriptionsClient(
      transport: transport, token: token,
      budget: RateBudget(limit: SubscriptionsClient.rate, share: ConnectionUse.list.share, model: .window),
      recheck: .zero, time: time)
    let reach = await client.reach(deadline: time.now() + patience)
    await transport.close()
    switch reach {
    case .answers, .unclear, .unknown: break
    case .fault(_, let detail): throw .init(detail)
    case .offline: throw .init("\(server.hostAndPort) cannot be reached. Check the address, and the network.")
    }
    let keys = given[.passKeys]
    return TicketSystemDiscovery.Found(
      type: SubscriptionsSection.type, address: "\(server)",
      settings: [
        "accessToken: \(given.credential)",
        keys == "ids" ? "passes: { codes: ids }" : "passes: { keys: \(JSONText.string(keys)) }",
      ],
      choices: [.init(.all, ticket: "")]
        + SubscriptionTier.allCases.map { .init(.level($0.rawValue), ticket: "{ tiers: [\($0.rawValue)] }") })
  }
}
