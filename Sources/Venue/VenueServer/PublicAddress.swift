import Hummingbird

/// The address by which whoever asks is to reach the venue from then on.
struct PublicAddress: Sendable {
  let configuration: VenueConfiguration
  /// Where the venue is reached, when a request does not say.
  let address: @Sendable () -> String

  /// The given one, else the one that the request has used.
  func url(for request: Request) -> String {
    if let given = configuration.publicURL { return given }
    guard let authority = request.head.authority, (1...255).contains(authority.utf8.count),
      authority.utf8.allSatisfy({
        (0x30...0x3A).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2D || $0 == 0x2E
      })
    else { return address() }
    return (configuration.tls == nil ? "http://" : "https://") + authority
  }
}
