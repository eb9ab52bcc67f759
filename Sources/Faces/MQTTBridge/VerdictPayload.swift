internal import WireText

/// A verdict as it is told: who decided what where, and no code, name, ticket or event of anybody. Pure.
package enum VerdictPayload {
  /// What is passed on of a `scan` event, and nothing else of it.
  private static let texts = ["id", "gate", "reader", "verdict", "reason", "decided_by", "output_fault", "read_at"]

  /// - Parameter line: an event of the station, as `docs/events.md` has it.
  /// - Returns: the gate and the payload; `nil` for every other event, and for what is none.
  package static func of(_ line: String) -> (gate: String, text: String)? {
    // Most events are others, and need not be read.
    guard line.hasPrefix(#"{"type":"scan","#), let event = try? JSONValue(Array(line.utf8)),
      event["type"]?.string == "scan", let gate = event["gate"]?.string, BridgeTopics.isPart(gate)
    else { return nil }
    var told = JSONText()
    for key in texts { told.add(key, event[key]?.string) }
    told.add("admitted", number: event["admitted"]?.integer)
    told.add("allowance", number: event["allowance"]?.integer)
    told.add("provisional", event["provisional"] == .bool(true))
    return (gate, told.text)
  }
}
