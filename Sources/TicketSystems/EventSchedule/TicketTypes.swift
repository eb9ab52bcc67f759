internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// A type of tickets as an event tells it.
struct TicketType: Sendable, Equatable {
  var id: EventID
  /// Made fit for staff.
  var name: String
  /// How many there are to be had; `nil` where that is not told, or without end.
  var quantity: UInt64? = nil
  /// How many are sold, by days: `2026-11-27`; nothing of a day says that none is. `nil` where it is not told.
  var sold: [String: UInt64]? = nil

  /// The most days that are kept of one type.
  private static let mostDays = 400

  /// How many are sold for a day.
  func sold(on day: CivilDay) -> UInt64? { sold.map { $0["\(day)"] ?? 0 } }

  private static func sold(_ value: JSONValue?) -> [String: UInt64]? {
    switch value {
    // PHP writes a list where there is nothing.
    case .array(let days) where days.isEmpty: return [:]
    case .object(let days) where days.count <= mostDays:
      return days.compactMapValues { count in count.integer.flatMap { UInt64(exactly: $0) } }
    default: return nil
    }
  }

  /// The types of an event that have both; at most 1,000.
  static func all(of event: JSONValue?, hiding secrets: [Redaction]) -> [TicketType] {
    (event?["tickets"]?.elements ?? []).prefix(1_000).compactMap { type in
      guard let id = type["id"]?.identifier,
        let name = type["type"]?.string.flatMap({ StaffText.clean($0, hiding: secrets) })
      else { return nil }
      return TicketType(
        id: EventID(id), name: name, quantity: type["quantity"]?.integer.flatMap { UInt64(exactly: $0) },
        sold: Self.sold(type["sold"]))
    }
  }
}

/// The types of tickets that a gate takes, by their names or identifiers.
struct TicketTypes: Sendable, Equatable {
  /// As servers' are compared: without what nobody sees.
  private(set) var names: Set<String> = []
  private var ids: Set<EventID> = []
  private var hasNumbers = false

  init(_ types: [String]) {
    for type in types {
      let id = EventID(type)
      ids.insert(id)
      // A number is an identifier, whatever a type may be called. What a server has made up may be either.
      if id.number == nil { names.insert(StaffText.clean(type) ?? type) } else { hasNumbers = true }
    }
  }

  /// Whether it can never be told of a ticket by the identifier of its type.
  var needsNames: Bool { !hasNumbers }

  /// Whether a line of a sale is of one of them; `nil` where too little is known.
  /// - Parameter name: what its type is called, where somebody told that.
  func matches(_ line: SaleLine, called name: String?) -> Bool? {
    if line.type.map({ ids.contains($0) }) == true || name.map({ names.contains($0) }) == true { return true }
    return line.type == nil && hasNumbers || name == nil && !names.isEmpty ? nil : false
  }

  /// By a type's name alone.
  func word(on kind: String?) -> GateWord {
    guard let kind = kind.flatMap({ StaffText.clean($0) }) else { return .unknown }
    if names.contains(kind) { return .takes }
    return hasNumbers ? .unknown : .bars(GateBar(.refuse(.wrongKind), detail: "The ticket is a “\(kind)”."))
  }
}
