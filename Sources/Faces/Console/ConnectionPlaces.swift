import NIOCore
import Synchronization

/// How many connections there are, and from where: so many in all, so many from one address elsewhere, some that only this machine gets
/// and some that only others get. Whoever floods the console from one side does not hide it from who watches the station on the other.
final class ConnectionPlaces: Sendable {
  private struct State {
    var all = 0
    var others = 0
    var byAddress: [String: Int] = [:]
  }

  private let limits: ConsoleLimits
  private let state = Mutex(State())

  init(_ limits: ConsoleLimits) { self.limits = limits }

  /// How many there are.
  var count: Int { state.withLock { $0.all } }

  /// Takes a place; false where there is none.
  func take(_ peer: SocketAddress?) -> Bool {
    let address = peer?.plainAddress ?? ""
    let isOwn = peer?.isLoopback ?? false
    return state.withLock { state in
      let mostOfASide = limits.connections - limits.reserved
      guard state.all < limits.connections, (isOwn ? state.all - state.others : state.others) < mostOfASide else {
        return false
      }
      if !isOwn {
        guard state.byAddress[address, default: 0] < limits.connectionsPerAddress else { return false }
        state.others += 1
        state.byAddress[address, default: 0] += 1
      }
      state.all += 1
      return true
    }
  }

  /// Gives one back that was taken.
  func give(_ peer: SocketAddress?) {
    let address = peer?.plainAddress ?? ""
    let isOwn = peer?.isLoopback ?? false
    state.withLock { state in
      state.all -= 1
      if isOwn { return }
      state.others -= 1
      state.byAddress[address] = state.byAddress[address].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
  }
}
