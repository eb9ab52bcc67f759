package import ScanModel
internal import Synchronization

/// The gates of the station that runs now, for who sets the station up and speaks with its control service: outlives a
/// reload, which brings other gates.
///
/// It is the one place that decides what keeps a gate out of service from outside.
package final class GateRegistry: Sendable {
  /// A gate of the station.
  package struct Seat: Sendable {
    package var controller: any SetUpGate
    package var system: TicketSystemID
    package var readers: [ReaderID]

    package init(controller: any SetUpGate, system: TicketSystemID, readers: [ReaderID]) {
      self.controller = controller
      self.system = system
      self.readers = readers
    }
  }

  /// What is known of the station's set-up.
  package struct SetUp: Sendable, Equatable {
    /// Whether set-up codes are taken now.
    var isArmed = false
    /// What is missing for an activation, in words; `nil` where nothing is.
    var activation: String?
    /// What is missing for each ticket system that is to be enrolled, in words.
    var enrolments: [TicketSystemID: String] = [:]
    /// Those of them that were enrolled since: their gates wait for the station to be put together anew, and for no code.
    var enrolled: Set<TicketSystemID> = []
    /// Why the control service keeps the gates out of service; `nil` where it does not.
    var closed: String?
    /// When trying codes is stopped, where the control service has said so.
    var lockOut: ControlConfiguration.LockOut?

    /// Whether it is unknown what the station has: then no code is taken.
    var isUnreadable = false

    /// Whether a code can bring something, as far as that is known.
    var isMissing: Bool { activation != nil || !enrolments.isEmpty }

    func awaitsCode(_ system: TicketSystemID) -> Bool {
      activation != nil || (enrolments[system] != nil && !enrolled.contains(system))
    }

    /// What keeps a gate of `system` out of service.
    func withholding(of system: TicketSystemID) -> GateWithholding? {
      if activation == nil, enrolments[system] != nil, enrolled.contains(system) {
        return .notSetUp(
          isArmed: false,
          "Its ticket system \(system) is enrolled, and comes into service with the configuration's next reload.")
      }
      if let words = activation ?? enrolments[system] {
        let next =
          isUnreadable
          ? ""
          : isArmed
            ? " Hold its code to the scanner."
            : " No codes are taken now: hold the set-up button, restart the service, or run: scangate kiosk activate --wait"
        return .notSetUp(isArmed: isArmed, words + next)
      }
      return closed.map { .closed($0) }
    }
  }

  private struct State {
    var seats: [GateID: Seat] = [:]
    var routes: [ReaderID: GateID] = [:]
    var activities: [GateID: GateActivity] = [:]
    var setUp = SetUp()
  }

  private let state = Mutex(State())
  private let bell: AsyncStream<Void>.Continuation
  /// An element after the station's status may have changed; those that nobody awaited are one.
  package let statusChanges: AsyncStream<Void>

  package init() { (statusChanges, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// Takes the gates of a station that begins.
  package func attach(_ seats: [GateID: Seat]) {
    state.withLock { state in
      state.seats = seats
      state.activities = seats.mapValues { _ in .outOfService }
      state.routes = [:]
      for (gate, seat) in seats {
        for reader in seat.readers { state.routes[reader] = gate }
        seat.controller.setWithholding(state.setUp.withholding(of: seat.system))
      }
    }
  }

  /// Lets go of the gates of a station that has ended; those of the next one may be there already.
  package func detach(_ seats: [GateID: Seat]) {
    state.withLock { state in
      for (gate, seat) in seats where state.seats[gate]?.controller === seat.controller {
        state.seats[gate] = nil
        state.activities[gate] = nil
        for reader in seat.readers where state.routes[reader] == gate { state.routes[reader] = nil }
      }
    }
  }

  /// Takes what is known of the set-up, and has each gate obey.
  package func take(_ change: (inout SetUp) -> Void) {
    state.withLock { state in
      let before = state.setUp
      change(&state.setUp)
      guard state.setUp != before else { return }
      for seat in state.seats.values { seat.controller.setWithholding(state.setUp.withholding(of: seat.system)) }
    }
  }

  /// What is known of the set-up.
  var setUp: SetUp { state.withLock { $0.setUp } }

  /// The gate of a reader, and whether it awaits a set-up code.
  package func gate(of reader: ReaderID) -> (id: GateID, seat: Seat, awaitsCode: Bool)? {
    state.withLock { state in
      guard let id = state.routes[reader], let seat = state.seats[id] else { return nil }
      return (id, seat, state.setUp.awaitsCode(seat.system))
    }
  }

  /// Whether the station has a gate of that name.
  package func has(_ gate: GateID) -> Bool { state.withLock { $0.seats[gate] != nil } }

  /// Takes what a gate does; from any thread, returns at once.
  package func note(_ gate: GateID, _ activity: GateActivity) {
    state.withLock { $0.activities[gate] = activity }
    bell.yield()
  }

  /// What the control service is told of all gates together: one that decides counts most, then one that is open.
  package var status: StationStatus {
    let activities = state.withLock { $0.activities.values.map(\.self) }
    if activities.contains(.deciding) { return .inUse }
    return activities.contains(.open) ? .available : .unavailable
  }
}
