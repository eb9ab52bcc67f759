import Hummingbird
import NIOCore
package import ScanConfiguration

/// A request on its way through the console.
struct ConsoleContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Where it comes from.
  let peer: SocketAddress?
  /// Where it came to: the address by which the peer reached this machine.
  let local: SocketAddress?
  /// Done when the connection is closed, by whomever.
  let closing: EventLoopFuture<Void>
  /// Who asks; `nil` before anybody has looked, and where nobody said.
  var caller: ConsoleCaller?
  /// Who asks for a page; `nil` before anybody has looked, and where nobody knows.
  var pageCaller: PageCaller?
  /// What a page's form sent, once it is known to come from a page of ours.
  var pageForm: PageForm?

  /// A request's body is a small order; longer ones are not read.
  var maxUploadSize: Int { ConsoleLimits.maximumBody }

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    peer = source.channel.remoteAddress
    local = source.channel.localAddress
    closing = source.channel.closeFuture
  }

  /// Whether it comes from this machine.
  var isLoopback: Bool { peer.map { $0.isLoopback } ?? false }

  /// Who asks, if it may do this.
  /// - Throws: what whoever asks is answered: 401 without a token, 403 with one that is not good for it.
  @discardableResult
  func requires(_ scope: ConsoleScope) throws(ConsoleAnswer) -> ConsoleCaller {
    guard let caller else { throw .unauthorized }
    // Who shows a token may show another one; who shows none is asked for one.
    guard caller.scopes.contains(scope) else { throw caller.hasToken ? .forbidden(scope) : .unauthorized }
    return caller
  }
}

/// Who asks something of the console.
package struct ConsoleCaller: Sendable, Hashable {
  /// The name of its token's file; `loopback` where this machine asked without a token.
  package var name: String
  /// What it may do.
  package var scopes: Set<ConsoleScope>
  /// Whether it showed a token.
  package var hasToken: Bool

  package init(name: String, scopes: Set<ConsoleScope>, hasToken: Bool = true) {
    self.name = name
    self.scopes = scopes
    self.hasToken = hasToken
  }

  /// This machine, which needs no token for what it can know anyway.
  static let loopback = ConsoleCaller(name: "loopback", scopes: [.metrics], hasToken: false)
}

extension SocketAddress {
  /// Whether it is this machine's own: 127.0.0.0/8 or ::1, also as `::ffff:127.0.0.1`.
  var isLoopback: Bool { plainAddress.map { $0 == "::1" || $0.hasPrefix("127.") } ?? false }
}
