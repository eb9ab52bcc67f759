package import ScanModel
package import StationProtocol
internal import LibCrypto
internal import WireText

/// What somebody orders over MQTT.
package struct BridgeCommand: Sendable, Equatable {
  /// Its number, as it came: 1 to 64 letters, digits and `._:-`.
  package var number: String
  /// When it was given, by the clock of whoever gave it.
  package var at: WallTime
  /// What is to be done.
  package var action: StationOrder.Action
  /// Why; empty where nobody said.
  package var why = ""

  /// Why a payload is none.
  package enum Fault: Error, Sendable, Equatable {
    /// It is no JSON object.
    case unreadable
    /// It has no number that can be one.
    case number
    /// It does not say when it was given.
    case time
    /// It does not say what is to be done; a word of what is missing.
    case subject(String)

    /// What is wrong, and what would be right.
    package var words: String {
      switch self {
      case .unreadable: "it is no JSON object"
      case .number: #"it has no number: "id", a text of 1 to 64 letters, digits and ._:-, another one each time"#
      case .time: #"it does not say when it was given: "at", in seconds since 1970"#
      case .subject(let words): words
      }
    }
  }

  /// Reads a payload.
  /// - Parameter kind: what is ordered: `maintenance` or `listRefresh`; another one has no payload that can be read.
  package init(_ kind: OrderKind, payload: [UInt8]) throws(Fault) {
    guard let value = try? JSONValue(payload), case .object = value else { throw .unreadable }
    guard let number = Self.number(in: payload, value) else { throw .number }
    guard case .number(let digits)? = value["at"], let at = Self.time(digits) else { throw .time }
    self.number = number
    self.at = at
    switch kind {
    case .maintenance:
      guard let gate = value["gate"]?.string, BridgeTopics.isPart(gate) else {
        throw .subject(#"it names no gate: "gate""#)
      }
      guard case .bool(let isOn)? = value["on"] else { throw .subject(#"it does not say "on": true or false"#) }
      action = .maintenance(GateID(gate), isOn: isOn)
    case .listRefresh:
      switch value["ticket_system"] {
      case nil, .null: action = .listRefresh(nil)
      case .string(let system)? where BridgeTopics.isPart(system): action = .listRefresh(TicketSystemID(system))
      default: throw .subject(#""ticket_system" is no name"#)
      }
    default: throw .subject("\(kind.rawValue) is never ordered over MQTT")
    }
    why = value["why"]?.string.map { TerminalText.clean($0, limit: 100) } ?? ""
  }

  /// The number of a payload that may otherwise be none, for an answer.
  package static func number(in payload: [UInt8]) -> String? {
    guard let value = try? JSONValue(payload) else { return nil }
    return number(in: payload, value)
  }

  private static func number(in payload: [UInt8], _ value: JSONValue) -> String? {
    guard let text = value["id"]?.string, (1...BridgeLimits.maximumNumber).contains(text.utf8.count) else { return nil }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isPlain ? text : nil
  }

  /// Seconds since 1970, with a fraction or without; no exponent, nothing negative.
  private static func time(_ digits: String) -> WallTime? {
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, (1...10).contains(whole.utf8.count), let seconds = Int64(whole), seconds >= 0 else {
      return nil
    }
    guard parts.count == 2 else { return WallTime(seconds: seconds) }
    guard (1...20).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let fraction = Int64(parts[1].prefix(9))
    else { return nil }
    var nanoseconds = fraction
    for _ in 0..<max(0, 9 - parts[1].utf8.count) { nanoseconds *= 10 }
    return WallTime(seconds: seconds) + .nanoseconds(nanoseconds)
  }

  /// The number of the order that it becomes: the same for the same number and kind, and for nobody else's.
  package func orderID(_ topics: BridgeTopics) -> OrderID? {
    let text = "scangate mqtt\u{0}\(topics.command(action.kind))\u{0}\(number)"
    return OrderID(bytes: SHA256.hash(data: Array(text.utf8)).prefix(16))
  }
}
