import ScanModel
import WireText

/// A verdict as a page shows it: what of a `scan` event people are told, before it is in anybody's language. Pure.
struct ShownScan: Hashable, Sendable {
  /// What is seen of it from afar. The raw values are the names in pages, style and script.
  enum Kind: String, Sendable, CaseIterable {
    case admit
    case provisional
    case refuse
    case undecided
    /// A camera saw several codes, and decided none.
    case several
    /// Staff have taken an admission back.
    case annulled
  }

  /// The longest text of one fact, in characters.
  static let longestFact = 60
  /// The longest words of what happened, in characters.
  static let longestDetail = 300

  var kind: Kind
  /// By which an order names it; of what is no scan there is none.
  var id: String?
  /// By the names of events.
  var reason: String?
  /// The last characters of the code, at most four.
  var code: String?
  /// Whose ticket it is; there only where the station tells names.
  var holder: String?
  var event: String?
  /// What sort of ticket it is.
  var ticketKind: String?
  var seats: String?
  /// How many tickets it stands for, where they are more than one.
  var tickets: Int64?
  /// How many are in, of how many.
  var admitted: Int64?
  var allowance: Int64?
  /// When and where it was used before; of what is no admission.
  var used: WallTime?
  var usedGate: String?
  /// By the names of events.
  var note: String?
  var isTyped = false
  /// Why the relay did not work, although it is an admission.
  var outputFault: String?
  /// What happened, and what to do.
  var detail: String?
  /// When it was decided, by the machine's clock; `nil` where the event does not say.
  var at: WallTime?

  init(_ kind: Kind) { self.kind = kind }

  /// Reads a `scan` event; `nil` of what is none.
  init?(_ json: JSONValue) {
    switch json["verdict"]?.string {
    case "admit": kind = json["provisional"] == .bool(true) ? .provisional : .admit
    case "refuse": kind = .refuse
    case "undecided": kind = .undecided
    default: return nil
    }
    func short(_ name: String, _ limit: Int = Self.longestFact) -> String? {
      json[name]?.string.map { TerminalText.clean($0, limit: limit) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    (id, reason) = (short("id"), short("reason"))
    code = json["code"]?.string.map(Self.shortened)
    (holder, event, ticketKind) = (short("holder"), short("event"), short("kind"))
    let seats = json["seats"]?.array?.compactMap(\.string) ?? []
    if !seats.isEmpty { self.seats = TerminalText.clean(seats.joined(separator: ", "), limit: Self.longestFact) }
    let tickets =
      json["tickets"]?.array?.reduce(Int64(0)) { saturatingSum($0, max(0, $1["quantity"]?.integer ?? 0)) } ?? 0
    if tickets > 1 { self.tickets = tickets }
    if let admitted = json["admitted"]?.integer, admitted > 0 {
      (self.admitted, allowance) = (admitted, json["allowance"]?.integer)
    }
    if !isAdmission {
      used = json["first_used_at"]?.string.flatMap { WallTime(iso8601: $0) }
      usedGate = short("first_used_gate")
    }
    note = short("note")
    isTyped = json["reader"]?.string == "console"
    outputFault = short("output_fault", Self.longestDetail)
    detail = short("detail", Self.longestDetail)
    at = json["read_at"]?.string.flatMap(Self.instant).map { $0 + Self.time(json["decided_ms"]) }
  }

  /// What becomes of an admission that is taken back.
  func annulled(at: WallTime?) -> ShownScan {
    var scan = ShownScan(.annulled)
    (scan.id, scan.code, scan.at) = (id, code, at)
    return scan
  }

  /// Whether somebody may pass on it.
  var isAdmission: Bool { kind == .admit || kind == .provisional }

  /// The station has shortened it; one that it has not is no reason to show more.
  private static func shortened(_ code: String) -> String {
    code.unicodeScalars.count <= 5 ? TerminalText.clean(code) : Code(code).shortened
  }

  /// A time to the millisecond, as events write it.
  static func instant(_ text: String) -> WallTime? {
    guard let second = WallTime(iso8601: text) else { return nil }
    let digits = text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst().prefix { (0x30...0x39).contains($0) }.prefix(3)
    let fraction = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return second + .milliseconds([0, fraction * 100, fraction * 10, fraction][digits.count])
  }

  /// Whole milliseconds; zero where the event does not say, or says what cannot be.
  private static func time(_ json: JSONValue?) -> Duration {
    guard case .number(let text)? = json, let whole = text.split(separator: ".").first, whole.utf8.count < 8 else {
      return .zero
    }
    return .milliseconds(max(0, Int64(whole) ?? 0))
  }
}
