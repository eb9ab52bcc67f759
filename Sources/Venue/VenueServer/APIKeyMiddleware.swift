import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The context of a request before its key is known.
struct VisitorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The peer's address: what the rate limit counts by.
  let address: String
  var holder: KeyHolder?
  /// How far the venue's clock is off for this request, in seconds.
  var clockError = 0

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    address = source.channel.remoteAddress?.ipAddress ?? "local"
  }
}

/// The context of a request whose key is known.
struct HolderContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let holder: KeyHolder
  let clockError: Int

  init(context: VisitorContext) throws {
    guard let holder = context.holder else { throw Answer.error(.unauthorized, "API key is required") }
    coreContext = context.coreContext
    self.holder = holder
    clockError = context.clockError
  }

  /// Ends the request unless its user may do this.
  func requires(_ ability: KeyAbility) throws {
    guard holder.ability.includes(ability) else { throw Answer.message(.forbidden, "Access denied") }
  }
}

/// Stands before the API: key given, address within its rate, key not blocked, key known; in this order.
final class APIKeyMiddleware: RouterMiddleware {
  typealias Context = VisitorContext

  private struct State {
    var rate: RateCounter
    var blocks = KeyBlocks()
  }

  private let store: VenueStore
  private let configuration: VenueConfiguration
  private let state: Mutex<State>

  init(store: VenueStore, configuration: VenueConfiguration) {
    self.store = store
    self.configuration = configuration
    state = Mutex(State(rate: RateCounter(model: configuration.rateModel)))
  }

  func handle(
    _ request: Request, context: VisitorContext,
    next: (Request, VisitorContext) async throws -> Response
  ) async throws -> Response {
    guard let key = key(of: request) else { throw Answer.error(.unauthorized, "API key is required") }
    let hash = APIKeys.hash(key)
    let now = configuration.now().timeIntervalSince1970
    let (counter, limit) = counter(request, context)
    if !configuration.noLimits {
      let refusal: Answer? = state.withLock { state in
        if state.rate.isSpent(counter, at: now, limit: limit) { return .error(.tooManyRequests, "Rate limit exceeded") }
        if state.blocks.isBlocked(hash, at: now) { return .error(Answer.locked, "API key temporarily blocked") }
        return nil
      }
      if let refusal { throw refusal }
    }
    guard let holder = try await store.read({ try APIKeys.holder($0, hash: hash) }) else {
      state.withLock { $0.blocks.fail(hash, at: now) }
      try await Task.sleep(for: configuration.failureDelay)
      throw Answer.error(.unauthorized, "Invalid API key")
    }
    // Only a known key's request counts: guessing does not spend the address' rate.
    state.withLock { $0.rate.count(counter, at: now) }
    var context = context
    context.holder = holder
    return try await next(request, context)
  }

  /// What a request counts in, and how many may.
  private func counter(_ request: Request, _ context: VisitorContext) -> (name: String, limit: Int) {
    guard configuration.serverShape == .upstream else { return (context.address, RateCounter.limit) }
    let isWrite = request.method != .get
    return (context.address + (isWrite ? " writes" : " reads"), isWrite ? 30 : 300)
  }

  private func key(of request: Request) -> String? {
    if let name = HTTPField.Name("X-API-Key"), let key = request.headers[name], !key.isEmpty { return key }
    return configuration.serverShape == .upstream ? nil : KioskController.bearer(request)
  }
}
