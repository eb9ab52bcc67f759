internal import Glibc
internal import NIOCore

/// Looks names up where each address has to be judged before anything is sent to it.
enum NameLookUp {
  /// The name has no address.
  struct NoAddress: Error {}

  /// The addresses of a host, in the system's order; blocks.
  /// - Throws: `NoAddress`.
  static func addresses(of host: String, port: Int) throws -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0 else { throw NoAddress() }
    defer { freeaddrinfo(found) }
    var addresses: [SocketAddress] = []
    var entry = found
    while let one = entry?.pointee {
      entry = one.ai_next
      guard let address = one.ai_addr else { continue }
      let raw = UnsafeRawPointer(address)
      switch one.ai_family {
      case AF_INET where Int(one.ai_addrlen) >= MemoryLayout<sockaddr_in>.size:
        addresses.append(SocketAddress(raw.loadUnaligned(as: sockaddr_in.self), host: host))
      case AF_INET6 where Int(one.ai_addrlen) >= MemoryLayout<sockaddr_in6>.size:
        addresses.append(SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self), host: host))
      default: break
      }
    }
    guard !addresses.isEmpty else { throw NoAddress() }
    return addresses
  }

  /// Whether an address is a public one.
  static func isPublic(_ address: SocketAddress) -> Bool {
    // Where it stands in both of the system's structures (ip(7), ipv6(7)).
    let place: Range<Int>
    switch address {
    case .v4: place = 4..<8
    case .v6: place = 8..<24
    case .unixDomainSocket: return false
    }
    return address.withSockAddr { start, size in
      size >= place.upperBound
        && PublicAddress.isPublic(Array(UnsafeRawBufferPointer(start: start, count: size)[place]))
    }
  }
}
