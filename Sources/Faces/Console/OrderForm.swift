import Reading
import ScanModel
import StationProtocol
import WireText

/// An order as it is written to the console: `{"order": "annul", "gate": "north", "why": "nobody passed"}`. Pure.
struct OrderForm: Equatable {
  /// Why a body is no order: words that hold nothing of it.
  struct Fault: Error, Equatable {
    /// Whether it is no JSON at all, rather than JSON that is no order.
    var isMalformed: Bool
    var words: String
  }

  /// The longest code that is taken, in bytes.
  static let longestCode = 4_096

  /// The number.
  let id: OrderID
  let kind: OrderKind
  let action: StationOrder.Action
  /// Why; clean.
  let why: String

  /// Reads a body.
  /// - Throws: what is wrong with it.
  init(_ body: [UInt8]) throws(Fault) {
    let json: JSONValue
    do throws(JSONValue.Fault) {
      json = try JSONValue(body)
    } catch {
      throw Fault(isMalformed: true, words: "The body is no JSON: \(Self.words(of: error)).")
    }
    guard case .object(let members) = json else { throw Self.fault("The body is no JSON object.") }
    guard let kind = members["order"]?.string.flatMap(OrderKind.init(rawValue:)), OrderKind.ofTokens.contains(kind)
    else {
      throw Self.fault(
        "The member order has to be one of \(OrderKind.ofTokens.map(\.rawValue).joined(separator: ", ")).")
    }
    let known = ["order", "id", "why"] + kind.members
    guard members.keys.allSatisfy(known.contains) else {
      throw Self.fault("The order \(kind.rawValue) takes the members \(known.joined(separator: ", ")), and no others.")
    }
    self.kind = kind
    if let id = members["id"] {
      guard let number = id.string.flatMap(OrderID.init(hexadecimal:)) else {
        throw Self.fault("The member id has to be 32 hexadecimal digits.")
      }
      self.id = number
    } else {
      id = OrderID()
    }
    let why = members["why"].map { $0.string }
    guard let why = why ?? "", why.utf8.count <= StationLimits.maximumWhy else {
      throw Self.fault("The member why has to be a text of at most \(StationLimits.maximumWhy) bytes.")
    }
    self.why = TerminalText.clean(why, limit: StationLimits.maximumWhy)
    action = try Self.action(kind, members)
  }

  private static func action(
    _ kind: OrderKind, _ members: [String: JSONValue]
  ) throws(Fault) -> StationOrder.Action {
    switch kind {
    case .maintenance: return .maintenance(try gate(members), isOn: try flag("on", members))
    case .openOnce: return .openOnce(try gate(members))
    case .annul: return .annul(try gate(members))
    case .present:
      let gate = try gate(members)
      guard let code = Normaliser.normalise([UInt8](try text("code", members, upTo: longestCode).utf8)) else {
        throw fault("The member code has to be a code.")
      }
      return .present(gate, code)
    case .search: return .search(try text("text", members, upTo: StationLimits.maximumName))
    case .outboxHold: return .outboxHold(isOn: try flag("on", members))
    case .outboxRetry: return .outboxRetry
    case .listRefresh:
      guard members["ticket_system"] != nil else { return .listRefresh(nil) }
      return .listRefresh(TicketSystemID(try text("ticket_system", members, upTo: StationLimits.maximumName)))
    case .arming:
      guard case .number(let digits)? = members["minutes"], let minutes = UInt8(digits), (1...60).contains(minutes)
      else { throw fault("The member minutes has to be a whole number from 1 to 60.") }
      return .arming(minutes: minutes)
    case .signalTest:
      let gate = try gate(members)
      guard let signal = Signal(text: try text("signal", members, upTo: StationLimits.maximumName)) else {
        throw fault("The member signal has to be the name of a signal, such as admit or refuse.unpaid.")
      }
      return .signalTest(gate, signal)
    case .journalAccept: return .journalAccept
    case .status:
      guard members["status"] != .null else { return .status(nil) }
      let text = try text("status", members, upTo: StationLimits.maximumName)
      guard let status = StationStatus(rawValue: text) else {
        let words = StationStatus.allCases.map(\.rawValue).joined(separator: ", ")
        throw fault("The member status has to be one of \(words), or null for the station's own.")
      }
      return .status(status)
    case .acknowledge:
      guard let id = AttemptID(hexadecimal: try text("conflict", members, upTo: StationLimits.maximumName)) else {
        throw fault("The member conflict has to be the id of a conflict: 32 hexadecimal digits.")
      }
      return .acknowledge(id)
    // Pictures are for people who have signed in.
    case .picture: throw fault("This order is given from a page.")
    }
  }

  private static func gate(_ members: [String: JSONValue]) throws(Fault) -> GateID {
    GateID(try text("gate", members, upTo: StationLimits.maximumName))
  }

  private static func text(
    _ name: String, _ members: [String: JSONValue], upTo limit: Int
  ) throws(Fault) -> String {
    guard let text = members[name]?.string, (1...limit).contains(text.utf8.count) else {
      throw fault("The member \(name) has to be a text of 1 to \(limit) bytes.")
    }
    return text
  }

  private static func flag(_ name: String, _ members: [String: JSONValue]) throws(Fault) -> Bool {
    guard case .bool(let flag)? = members[name] else { throw fault("The member \(name) has to be true or false.") }
    return flag
  }

  private static func fault(_ words: String) -> Fault { Fault(isMalformed: false, words: words) }

  private static func words(of fault: JSONValue.Fault) -> String {
    switch fault {
    case .notUTF8: "it is not UTF-8"
    case .tooDeep: "it is nested more than \(JSONValue.deepest) deep"
    case .malformed(let offset): "it is not understood at byte \(offset), or a name is there twice"
    }
  }
}

extension OrderKind {
  /// What programs may order by a token: all but what shows people.
  static let ofTokens = allCases.filter { $0 != .picture }

  /// The members that it takes besides `order`, `id` and `why`.
  var members: [String] {
    switch self {
    case .maintenance: ["gate", "on"]
    case .openOnce, .annul: ["gate"]
    case .present: ["gate", "code"]
    case .search: ["text"]
    case .outboxHold: ["on"]
    case .listRefresh: ["ticket_system"]
    case .arming: ["minutes"]
    case .signalTest: ["gate", "signal"]
    case .status: ["status"]
    case .acknowledge: ["conflict"]
    case .outboxRetry, .journalAccept, .picture: []
    }
  }
}
