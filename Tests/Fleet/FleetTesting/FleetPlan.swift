package import FleetBook
package import ScanModel

/// What happens in a world: who comes where with what, and how much may go wrong.
package struct FleetPlan: Hashable, Sendable {
  /// Somebody comes to a station.
  package struct Presentation: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      case enter
      /// Whoever came in with that presentation leaves.
      case leave(Int)
    }
    package var station: Int
    package var code: Int
    package var kind = Kind.enter

    package init(station: Int, code: Int, kind: Kind = .enter) {
      self.station = station
      self.code = code
      self.kind = kind
    }

    package static func enter(_ station: Int, _ code: Int = 0) -> Self { Self(station: station, code: code) }
  }

  /// A fault that is built in, so that the checker can be seen to find it.
  package enum Plant: Hashable, Sendable, CaseIterable {
    /// The store lets two create one key, as one without a majority's word does.
    case storeWithoutComparing
    /// The station takes a lost answer for a good one.
    case lostIsWritten
    /// The station opens without looking at the clock, and who takes over is told that the place is free.
    case takeOverFrees
    /// What is to be told is forgotten when the process ends.
    case debtsAreForgotten
    /// An entry that was not found is taken for one that never comes.
    case absentIsNever
    /// Two stations that went on alone are told of to nobody.
    case silentMerge
  }

  package var stations = 2
  /// How often each code admits; as often as the sale does, where it is of one.
  package var quantity: UInt32 = 1
  package var presentations: [Presentation]
  /// Whether a ticket system is asked that records admissions.
  package var redeems = false
  /// Whether all codes are of one sale, for `quantity` persons.
  package var isSale = false
  package var interval: Duration?
  package var alone = AlonePolicy.refuse
  /// How much may go wrong: messages lost, late or doubled, ends of processes, impatience.
  package var faults = 1
  /// How many of these may be ends of a process.
  package var crashes = 1
  /// How often the clocks go on by `step`.
  package var steps = 0
  package var step: Duration = .seconds(31)
  /// Whether stations begin with what they know of a watch, which may be old.
  package var isWatching = false
  package var plant: Plant?

  package init(presentations: [Presentation]) { self.presentations = presentations }

  /// The rule of a code.
  package var rule: ClaimDemand.Rule { interval.map { .interval($0) } ?? .quantity(isSale ? 1 : quantity) }

  package static func key(_ kind: ClaimKey.Kind, _ number: Int) -> ClaimKey {
    guard let key = ClaimKey(kind, digest: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)) else {
      preconditionFailure("a digest has 16 bytes")
    }
    return key
  }

  package static func scan(_ number: Int) -> ScanID {
    let bytes =
      [UInt8](repeating: 0, count: 14) + [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    guard let scan = ScanID(bytes: bytes) else { preconditionFailure("a scan has 16 bytes") }
    return scan
  }

  package static func station(_ number: Int) -> StationID {
    guard let station = StationID("gate\(number)") else { preconditionFailure("it is a name") }
    return station
  }
}
