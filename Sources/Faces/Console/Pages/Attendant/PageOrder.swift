import Reading
import ScanModel
import StationProtocol

/// An order as a page's form gives it. Pure.
struct PageOrder: Equatable {
  /// Why a form is no order.
  enum Fault: Error {
    /// It is none of our forms.
    case malformed
    /// What was typed can be no code, or is too long.
    case invalid
  }

  /// What an attendant may order, where the file lets the console.
  static let ofAttendants: Set<OrderKind> = [
    .present, .search, .annul, .openOnce, .maintenance, .status, .acknowledge,
  ]

  let id: OrderID
  let action: StationOrder.Action
  /// Why; clean.
  let why: String
  /// The name of the text that says that it was done.
  let doneText: String

  /// Reads a form of the page of a gate.
  init(_ form: PageForm, at gate: GateID) throws(Fault) {
    guard let id = form["id"].flatMap({ OrderID(hexadecimal: $0) }),
      let kind = form["order"].flatMap({ OrderKind(rawValue: $0) })
    else { throw .malformed }
    self.id = id
    let why = form["why"] ?? ""
    guard why.utf8.count <= StationLimits.maximumWhy else { throw .invalid }
    self.why = TerminalText.clean(why, limit: StationLimits.maximumWhy)
    var text = kind.rawValue
    switch kind {
    case .present:
      guard let typed = form["code"], (1...OrderForm.longestCode).contains(typed.utf8.count),
        let code = Normaliser.normalise([UInt8](typed.utf8))
      else { throw .invalid }
      action = .present(gate, code)
    case .search:
      let typed = Self.trimmed(form["text"] ?? "")
      guard (1...StationLimits.maximumName).contains(typed.utf8.count) else { throw .invalid }
      action = .search(typed)
    case .annul: action = .annul(gate)
    case .openOnce: action = .openOnce(gate)
    case .maintenance:
      guard let state = form["on"], state == "on" || state == "off" else { throw .malformed }
      action = .maintenance(gate, isOn: state == "on")
      text = state == "on" ? "maintenanceOn" : "maintenanceOff"
    case .status:
      guard let typed = form["status"] else { throw .malformed }
      let status = StationStatus(rawValue: typed)
      guard status != nil || typed == "own" else { throw .malformed }
      action = .status(status)
    case .acknowledge:
      guard let conflict = form["conflict"].flatMap({ AttemptID(hexadecimal: $0) }) else { throw .malformed }
      action = .acknowledge(conflict)
    case .outboxHold, .outboxRetry, .listRefresh, .arming, .signalTest, .journalAccept, .picture: throw .malformed
    }
    doneText = text
  }

  private static func trimmed(_ text: String) -> String {
    let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    let scalars = text.unicodeScalars.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return String(String.UnicodeScalarView(scalars))
  }
}
