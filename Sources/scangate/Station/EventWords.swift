import StationProtocol
import StationReport
import WireText

/// The events that are no verdicts, in words for whoever looks on.
enum EventWords {
  /// One line; the subject stands before it, where the event has a gate.
  static func lines(_ json: JSONValue, _ type: String) -> [ScreenLine] {
    func text(_ name: String) -> String { json[name]?.string ?? "" }
    let state = text("state")
    let detail = json["detail"]?.string.map { ": \($0.onOneLine)" } ?? ""
    let reason = json["reason"]?.string.map { " (\($0))" } ?? ""
    switch type {
    case "repeat": return [ScreenLine("\(text("code")) again within hold-off: nothing is asked")]
    case "attempt": return [ScreenLine("the request for \(text("code")) is \(state)")]
    case "device":
      let condition = StationSnapshot.Condition(state: state, detail: json["detail"]?.string)
      return [
        mark(condition.state == "reading" ? .green : .amber, "reader \(text("reader")) is \(condition.spokenOfReader)")
      ]
    case "discarded":
      let characters = json["characters"]?.integer ?? 0
      return [ScreenLine("\(characters) characters of reader \(text("reader")) thrown away (\(text("reason")))")]
    case "identityChanged":
      return [
        mark(
          .red,
          "somebody may have shown a programming barcode to reader \(text("reader")): it is another device now. "
            + "See docs/scanners.md")
      ]
    case "gate": return [gate(state, reason, detail)]
    case "input": return [ScreenLine("input \(text("input")) is \(state)")]
    case "ticketSystem":
      let owed = json["owed"]?.integer ?? 0
      let waiting = owed > 0 ? ", \(owed) to be told" : ""
      let words = "ticket system \(text("ticket_system")) is \(state)\(reason)\(waiting)\(detail)"
      return [mark(state == "online" ? .green : .amber, words)]
    case "conflict":
      return [
        mark(
          .red,
          "\(text("code")) was admitted offline, and is \(state)\(reason)\(detail). See: scangate journal conflicts")
      ]
    case "dropped": return [mark(.amber, "\(json["count"]?.integer ?? 0) events were lost: this is read too slowly")]
    case "house":
      let venue = json["in_house"]?.integer.map { "\($0) over all stations" } ?? "not known over all stations"
      return [ScreenLine("in the house: \(venue), \(json["in_house_here"]?.integer ?? 0) by this one")]
    case "order": return [order(json, reason, detail)]
    case "journal": return [mark(["failing", "doubted"].contains(state) ? .red : nil, "journal: \(state)\(detail)")]
    case "configuration": return [mark(state == "applied" ? nil : .red, "configuration: \(state)\(detail)")]
    default: return [ScreenLine("\(subject(json, type)): \(state)\(reason)\(detail)")]
    }
  }

  private static func gate(_ state: String, _ reason: String, _ detail: String) -> ScreenLine {
    switch state {
    case "ready": mark(detail.isEmpty ? .green : .amber, "ready\(detail)")
    case "fault": mark(.red, "it cannot decide\(reason)\(detail)")
    case "maintenance": mark(.amber, "out of service: maintenance\(detail)")
    case "closed", "notSetUp": mark(.amber, "\(state == "closed" ? "out of service" : "not set up")\(detail)")
    default: ScreenLine("\(state)\(detail)")
    }
  }

  /// Who ordered what, why, and what came of it.
  private static func order(_ json: JSONValue, _ reason: String, _ detail: String) -> ScreenLine {
    let what = [json["order"]?.string, json["subject"]?.string].compactMap(\.self).joined(separator: " ")
    let who = json["who"]?.string.map { " by \($0)" } ?? ""
    let why = json["why"]?.string.flatMap { $0.isEmpty ? nil : " “\($0)”" } ?? ""
    let outcome = json["outcome"]?.string ?? ""
    return mark(outcome == "done" ? nil : .amber, "order \(what)\(who)\(why): \(outcome)\(reason)\(detail)")
  }

  private static func subject(_ json: JSONValue, _ type: String) -> String {
    let system = json["ticket_system"]?.string.map { " of \($0)" } ?? ""
    return switch type {
    case "list": "list on board\(system)"
    case "mirror": "log of who came and went\(system)"
    case "clock": "clock\(system)"
    case "setUp": "set-up"
    case "control": "control service"
    default: "\(type)\(system)"
    }
  }

  private static func mark(_ colour: Paint.Colour?, _ words: String) -> ScreenLine {
    colour.map { ScreenLine(words, .glow($0)) } ?? ScreenLine(words)
  }
}
