package import FleetBook
package import ScanModel

/// What stations say of themselves, as whoever looks reads it.
package enum FleetWords {
  /// Reads the word of each station; whose is not there, or is not believed, is left out.
  package static func read(
    _ store: JetStreamClaimStore, _ seal: ClaimSeal, until end: MonotonicTime
  ) async -> [StationID: KnownWord] {
    var words: [StationID: KnownWord] = [:]
    for station in seal.names {
      let stored = try? await store.read(.word(of: station), until: end)
      if let known = stored.flatMap({ $0 }).flatMap(seal.word) { words[station] = known }
    }
    return words
  }
}
