import ScanModel
import StationProtocol

/// What stands on a door page while no verdict does, before it is in anybody's language. Pure.
struct DoorIdle: Hashable, Sendable {
  /// What is seen of it from afar. The raw values are the names in pages, style and script.
  enum Kind: String, Sendable, CaseIterable {
    case ready
    case starting
    case maintenance
    case closed
    case notSetUp
    case fault
    /// It is ready, and its outputs do not let it open.
    case cannotOpen
  }

  var kind: Kind
  var station: String
  var gate: String
  var isExit: Bool
  /// How many passed since the service was started.
  var passed: UInt64
  /// By the names of events; of a fault.
  var reason: String?
  /// What happened, and what to do.
  var detail: String?
  /// Whether the gate decides by itself, because its ticket system does not answer.
  var isAlone: Bool
  /// Tonight's event.
  var event: String?
  /// What greets people, where the control service has something.
  var welcome: String?
  /// Where this is.
  var room: String?
  /// What the control service has to be said of the station's status.
  var status: String?
  /// Whose tickets these are: what stands in the logo's place, or the name.
  var brand: String?
  /// How many tickets there are for it in all: sold, or on the list.
  var sold: UInt64?

  init(_ gate: StationSnapshot.Gate, of station: StationSnapshot) {
    self.station = TerminalText.clean(station.station, limit: ShownScan.longestFact)
    self.gate = TerminalText.clean(gate.id.name, limit: ShownScan.longestFact)
    isExit = gate.isExit
    passed = gate.passed
    isAlone = gate.offline != nil
    reason = gate.reason?.rawValue
    func short(_ text: String?, _ limit: Int = ShownScan.longestFact) -> String? {
      text.map { TerminalText.clean($0, limit: limit) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let system = station.ticketSystems.first { $0.id == gate.ticketSystem }
    event = short(gate.event ?? system?.event)
    brand = short(system?.branding?.logoText ?? system?.branding?.name)
    sold = system?.seats?.sold
    let board = station.control?.board
    welcome = short(board?.welcomeMessage, 160)
    room = short(board?.room)
    status = short(board?.statusText, 160)
    detail = gate.condition.detail.map { TerminalText.clean($0, limit: ShownScan.longestDetail) }
    switch gate.condition.state {
    case "ready": kind = .ready
    case "maintenance": kind = .maintenance
    case "closed": kind = .closed
    case "notSetUp": kind = .notSetUp
    case "fault": kind = .fault
    default: kind = .starting
    }
    if kind == .ready, let fault = gate.outputFault {
      kind = .cannotOpen
      detail = TerminalText.clean(fault, limit: ShownScan.longestDetail)
    }
  }
}
