import ScanModel
import StationProtocol
import StationReport
import WireText

/// Whether a station does its work, by how it is at one moment and with no name in it. Nobody is asked for it: what is said of servers
/// is what the gateway found when it had something to ask of them.
struct StationHealth {
  /// How many gates the station has.
  private(set) var gates = 0
  /// How many of them can decide now.
  private(set) var deciding = 0
  /// How many of them somebody has taken out of service.
  private(set) var outOfService = 0
  private let control: StationSnapshot.Control?
  private let keeps: Bool

  /// - Parameter program: this program's version.
  init(_ station: StationSnapshot, program: String) {
    control = station.control
    keeps = station.journal.state != "failing"
    gates = station.gates.count
    let stuck = Set(
      StationJudgement.remarks(on: station, program: program).filter { $0.weight == .cannotAdmit }.compactMap(\.gate))
    for gate in station.gates {
      switch gate.condition.state {
      case "maintenance", "closed": outOfService += 1
      case "starting": break
      default: if !stuck.contains(gate.id) { deciding += 1 }
      }
    }
  }

  /// Whether everything is as it should be: each gate that is in service can decide, the journal keeps what it is given, and the control
  /// service, where there is one, is reached, believes the station, and has told it what it is.
  var isWell: Bool {
    deciding + outOfService == gates && keeps
      && (control.map { $0.isConnected && $0.isTokenValid && $0.isCurrent } ?? true)
  }

  /// Whether somebody can pass: a gate can decide.
  var isReady: Bool { deciding > 0 }

  /// The kiosk document's `server_connected`, `token_valid` and `config_current` (null without a control service), and the gates.
  var json: String {
    var text = JSONText()
    text.add("running", true)
    Self.add(control, to: &text)
    text.add("gates", Int64(gates))
    text.add("gates_deciding", Int64(deciding))
    text.add("gates_out_of_service", Int64(outOfService))
    text.add("journal_failing", !keeps)
    return text.text
  }

  /// The same of a station that does not answer.
  static var absent: String {
    var text = JSONText()
    text.add("running", false)
    add(nil, to: &text)
    for key in ["gates", "gates_deciding", "gates_out_of_service", "journal_failing"] { text.add(key, object: nil) }
    return text.text
  }

  private static func add(_ control: StationSnapshot.Control?, to text: inout JSONText) {
    let members = [
      ("server_connected", control?.isConnected), ("token_valid", control?.isTokenValid),
      ("config_current", control?.isCurrent),
    ]
    for (name, value) in members {
      if let value { text.add(name, value) } else { text.add(name, object: nil) }
    }
  }
}
