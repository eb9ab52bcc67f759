internal import Foundation
internal import Glibc
internal import Synchronization

/// Ports of this machine for servers of tests. None is given twice, and none is of those that connections begin from, one of which would
/// have it before the server that it is for.
package enum FreePorts {
  private static let given = Mutex<Set<UInt16>>([])

  /// So many that nobody listens at, on any address.
  package static func take(_ count: Int) throws -> [UInt16] {
    var ports: [UInt16] = []
    for _ in 0..<1_000 where ports.count < count {
      let port = UInt16.random(in: 12_000..<32_000)
      if given.withLock({ $0.insert(port).inserted }), isFree(port) { ports.append(port) }
    }
    guard ports.count == count else { throw POSIXError(.EADDRINUSE) }
    return ports
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
