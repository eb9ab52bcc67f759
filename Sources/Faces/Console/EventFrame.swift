package import NIOCore
internal import ScanModel
internal import StationProtocol
internal import WireText

/// An event as it goes over the wire to all who are told it, in one buffer that they share.
package struct EventFrame: Sendable {
  /// Its number in its epoch.
  package let number: UInt64
  /// Its type, by `docs/events.md`.
  package let type: String
  /// The gate that it names, if any.
  package let gate: String?
  /// As server-sent events have it: `id:`, `event:`, `data:`, an empty line.
  package let bytes: ByteBuffer

  /// Makes an event of the station.
  /// - Parameters:
  ///   - id: which it is.
  ///   - line: its line of JSON; `nil` is returned where it is none.
  init?(_ id: EventID, line: String) {
    guard let json = try? JSONValue([UInt8](line.utf8)), let type = json["type"]?.string, Self.isName(type) else {
      return nil
    }
    number = id.number
    self.type = type
    gate = json["gate"]?.string
    bytes = Self.encoded(id: id, type: type, line: line)
  }

  /// The event, as the station wrote it but for line ends.
  var line: String {
    let whole = bytes.readableBytesView.dropLast(2)
    // It is the last line, behind its field's name.
    let start = whole.lastIndex(of: 0x0A).map { whole.index(after: $0) } ?? whole.startIndex
    return String(decoding: whole[start...].dropFirst("data: ".utf8.count), as: UTF8.self)
  }

  /// Whether it can stand in a field's line, and be the name of an event.
  static func isName(_ type: String) -> Bool {
    (1...40).contains(type.utf8.count)
      && type.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
  }

  private static func encoded(id: EventID?, type: String, line: String) -> ByteBuffer {
    var text = id.map { "id: \($0)\n" } ?? ""
    text += "event: \(type)\ndata: "
    // Between its tokens JSON may have line ends, and a field may not.
    text +=
      line.utf8.contains { $0 == 0x0A || $0 == 0x0D } ? line.map { $0.isNewline ? " " : String($0) }.joined() : line
    text += "\n\n"
    return ByteBuffer(string: text)
  }

  // MARK: What the console says itself

  /// Events were lost before the next one.
  /// - Parameters:
  ///   - count: how many; `nil` where nobody can tell.
  ///   - last: the last of them; whoever was told this goes on behind it.
  static func dropped(_ count: UInt64?, last: EventID?) -> ByteBuffer {
    var json = JSONText()
    json.add("type", "dropped")
    json.add("count", number: count.map { Int64(clamping: $0) })
    return encoded(id: last, type: "dropped", line: json.text)
  }

  /// Whether the station answers.
  static func presence(_ presence: StationPresence) -> ByteBuffer? {
    var json = JSONText()
    json.add("type", "presence")
    switch presence {
    case .awaited: return nil
    case .here(let welcome):
      json.add("present", true)
      json.add("station", TerminalText.clean(welcome.station))
      json.add("version", TerminalText.clean(welcome.program))
      json.add("detail", nil)
    case .away(let absence):
      json.add("present", false)
      json.add("station", nil)
      json.add("version", nil)
      json.add("detail", TerminalText.clean(absence.description, limit: 1_000))
    }
    return encoded(id: nil, type: "presence", line: json.text)
  }

  /// What keeps a stream open on which nothing happens.
  static let heartbeat = ByteBuffer(string: ": heartbeat\n\n")
}
