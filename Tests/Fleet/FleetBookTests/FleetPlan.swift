import FleetBook
import ScanModel

/// What happens in a world: who comes where with what, and how much may go wrong.
struct FleetPlan: Hashable, Sendable {
  /// Somebody comes to a station.
  struct Presentation: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case enter
      /// Whoever came in with that presentation leaves.
      case leave(Int)
    }
    var station: Int
    var code: Int
    var kind = Kind.enter

    static func enter(_ station: Int, _ code: Int = 0) -> Self { Self(station: station, code: code) }
  }

  /// A fault that is built in, so that the checker can be seen to find it.
  enum Plant: Hashable, Sendable, CaseIterable {
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

  var stations = 2
  /// How often each code admits; as often as the sale does, where it is of one.
  var quantity: UInt32 = 1
  var presentations: [Presentation]
  /// Whether a ticket system is asked that records admissions.
  var redeems = false
  /// Whether all codes are of one sale, for `quantity` persons.
  var isSale = false
  var interval: Duration?
  var alone = AlonePolicy.refuse
  /// How much may go wrong: messages lost, late or doubled, ends of processes, impatience.
  var faults = 1
  /// How many of these may be ends of a process.
  var crashes = 1
  /// How often the clocks go on by `step`.
  var steps = 0
  var step: Duration = .seconds(31)
  var plant: Plant?

  /// The rule of a code.
  var rule: ClaimDemand.Rule { interval.map { .interval($0) } ?? .quantity(isSale ? 1 : quantity) }

  static func key(_ kind: ClaimKey.Kind, _ number: Int) -> ClaimKey {
    guard let key = ClaimKey(kind, digest: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)) else {
      preconditionFailure("a digest has 16 bytes")
    }
    return key
  }

  static func scan(_ number: Int) -> ScanID {
    let bytes =
      [UInt8](repeating: 0, count: 14) + [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    guard let scan = ScanID(bytes: bytes) else { preconditionFailure("a scan has 16 bytes") }
    return scan
  }

  static func station(_ number: Int) -> StationID {
    guard let station = StationID("gate\(number)") else { preconditionFailure("it is a name") }
    return station
  }
}
