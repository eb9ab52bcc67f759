import LinuxIO
import ScanModel
import WireText

/// An event of the station as a page has it: whose it is, and the words on it.
struct ShownEvent: Equatable, Sendable {
  /// Its type, by `docs/events.md`.
  let type: String
  /// The gate that it is about, if it names one.
  let gate: String?
  /// The reader.
  let reader: String?
  /// The ticket system.
  let system: String?
  /// When it was; `nil` where it does not say.
  let at: WallTime?
  /// The verdict, of a scan.
  let verdict: ShownVerdict?
  /// The words, without time and gate: one line, and another one where there is more to say.
  let words: [ScreenLine]

  /// Reads a line of the event stream; `nil` where it is none.
  init?(line: String, clock: PageClock) {
    guard let json = try? JSONValue([UInt8](line.utf8)), let type = json["type"]?.string else { return nil }
    self.init(json, type, clock)
  }

  private init(_ json: JSONValue, _ type: String, _ clock: PageClock) {
    self.type = type
    gate = json["gate"]?.string
    reader = json["reader"]?.string
    system = json["ticket_system"]?.string
    at = (json["at"] ?? json["read_at"])?.string.flatMap { WallTime(iso8601: $0) }
    verdict = type == "scan" ? ShownVerdict(json, clock) : nil
    words = verdict.map(\.lines) ?? EventWords.lines(json, type)
  }

  /// Events that were lost before the next one.
  init(dropped count: UInt64) {
    self.init(
      .object(["count": .number(String(count))]), "dropped", PageClock(now: WallTime(nanoseconds: 0), zone: .utc))
  }

  /// One line, as it is written where no terminal is.
  /// - Parameter fallback: when it came; for events that do not say when they were.
  func plain(_ clock: PageClock, came fallback: WallTime) -> ScreenLine {
    var line = ScreenLine(clock.full(at ?? fallback))
    line.add(apart: gate ?? system ?? reader ?? "station")
    line.pad(to: 33)
    for (index, words) in (verdict.map { [$0.plain] } ?? words).enumerated() {
      line.add(index == 0 ? "  " : " ")
      line.add(words)
    }
    return line
  }
}
