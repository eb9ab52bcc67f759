import ScanModel
import StationProtocol
import WireText

/// What stands on the door pages of all gates of a station. Pure: time is an argument.
///
///     awaited ──station answers, and says how it is──▶ idle ──scan──▶ verdict ──6 s──▶ idle
///                                      ▲                                  │
///          away ◀──it does not answer, at any time: nothing lit remains───┘
///
/// An admission that staff take back while it is lit gives way to that at once, for 6 s of its own.
///
/// A verdict is lit for 6 s from when it was decided, not from when it was read here: what waited on its way, because this process slept,
/// is not shown as if it were the next person's.
struct DoorBoards: Sendable {
  /// How long a verdict is shown.
  static let litFor: Duration = .seconds(6)

  /// A verdict that is shown.
  struct Lit: Hashable, Sendable {
    var scan: ShownScan
    /// Another one each time, so that the same verdict for the next person is another one.
    var number: UInt64
    var until: MonotonicTime
  }

  /// What stands on one gate's page.
  enum Face: Hashable, Sendable {
    /// Nobody knows yet.
    case awaited
    /// The station does not answer.
    case away
    /// The station has no such gate.
    case noGate
    /// The station answers: what pages of no one gate are told.
    case station
    case gate(DoorIdle, Lit?)
  }

  /// Whether the station tells what happens; `nil` before anybody knows.
  private(set) var isTelling: Bool?
  /// How it was when it was asked last; `nil` where it did not answer.
  private(set) var station: StationSnapshot?
  /// Whether it did not answer when it was asked last.
  private var isSilent = false
  private var lit: [GateID: Lit] = [:]
  private var lastNumber: UInt64 = 0

  init() {}

  // MARK: What comes

  /// The station tells what happens, or does no longer.
  mutating func become(telling isTelling: Bool) {
    self.isTelling = isTelling
    // What was before is not known to hold.
    (station, lit, isSilent) = (nil, [:], false)
  }

  /// Nobody listens to the station any more.
  mutating func rest() { self = DoorBoards(lastNumber: lastNumber) }

  private init(lastNumber: UInt64) { self.lastNumber = lastNumber }

  /// The station was asked how it is; `nil` where it did not answer.
  mutating func take(_ snapshot: StationSnapshot?) {
    (station, isSilent) = (snapshot, snapshot == nil)
    guard let snapshot else {
      lit = [:]
      return
    }
    let gates = Set(snapshot.gates.map(\.id))
    lit = lit.filter { gates.contains($0.key) }
  }

  /// Takes an event of the station.
  /// - Parameters:
  ///   - line: one line of JSON.
  ///   - wall: now, by the machine's clock.
  mutating func take(line: String, now: MonotonicTime, wall: WallTime) {
    guard isTelling == true, let json = try? JSONValue([UInt8](line.utf8)) else { return }
    switch json["type"]?.string {
    case "scan":
      guard let gate = json["gate"]?.string, let scan = ShownScan(json) else { return }
      light(scan, at: GateID(gate), now, wall)
    case "discarded":
      guard json["reason"]?.string == "several", let reader = json["reader"]?.string else { return }
      var scan = ShownScan(.several)
      scan.at = json["at"]?.string.flatMap(ShownScan.instant)
      for gate in station?.gates ?? [] where gate.readers.contains(ReaderID(reader)) {
        light(scan, at: gate.id, now, wall)
      }
    case "order":
      guard json["order"]?.string == "annul", let gate = json["gate"]?.string, let scan = json["scan"]?.string else {
        return
      }
      let at = json["at"]?.string.flatMap(ShownScan.instant)
      takeBack(scan, at: GateID(gate), for: json["outcome"]?.string, at, now, wall)
    default: break
    }
  }

  /// An admission was taken back, or nobody knows whether it was: it stands no longer. What was decided since is of somebody else, and stays.
  private mutating func takeBack(
    _ scan: String, at gate: GateID, for outcome: String?, _ at: WallTime?, _ now: MonotonicTime, _ wall: WallTime
  ) {
    guard let shown = lit[gate]?.scan, shown.isAdmission, shown.id == scan else { return }
    switch outcome {
    case "done": light(shown.annulled(at: at), at: gate, now, wall)
    case "refused": break
    default: lit[gate] = nil
    }
  }

  private mutating func light(_ scan: ShownScan, at gate: GateID, _ now: MonotonicTime, _ wall: WallTime) {
    // Gates that are not known have no page, and are not remembered.
    guard let station, station.gates.contains(where: { $0.id == gate }) else { return }
    // A clock that was set back makes it no younger than new.
    let age = scan.at.map { max(.zero, wall - $0) } ?? .zero
    lastNumber += 1
    // What is newer stands above what was before, also where it is over already.
    lit[gate] = age < Self.litFor ? Lit(scan: scan, number: lastNumber, until: now + (Self.litFor - age)) : nil
  }

  /// Time has passed.
  mutating func tick(_ now: MonotonicTime) { lit = lit.filter { $0.value.until > now } }

  // MARK: What is shown

  /// What stands on the page of a gate; of no one gate, whether the station answers.
  func face(of gate: GateID?, at now: MonotonicTime) -> Face {
    guard let isTelling else { return .awaited }
    guard isTelling, !isSilent else { return .away }
    guard let station else { return .awaited }
    guard let gate else { return .station }
    guard let found = station.gates.first(where: { $0.id == gate }) else { return .noGate }
    return .gate(DoorIdle(found, of: station), lit[gate].flatMap { $0.until > now ? $0 : nil })
  }

  /// The colours of a gate's ticket system, where they can be read.
  func colours(of gate: GateID) -> PageColours? {
    guard let station, let found = station.gates.first(where: { $0.id == gate }) else { return nil }
    return PageColours(station.ticketSystems.first { $0.id == found.ticketSystem }?.branding)
  }
}
