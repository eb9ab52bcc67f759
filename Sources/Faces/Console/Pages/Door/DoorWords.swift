import ScanModel
import WireText

/// What stands on a door page, in a language: ready texts, which a page takes as they are.
struct DoorWords: Hashable, Sendable {
  /// Which shape and colour: a verdict's, an idle gate's, `awaited`, `away` or `noGate`.
  var kind: String
  /// The one word that is read from 3 m.
  var head: String
  /// Why, or what else matters as much.
  var reason: String?
  /// What stands beside the word: that it is provisional.
  var mark: String?
  /// A few words each; at most `mostFacts`.
  var facts: [String] = []
  var code: String?
  /// What happened, and what to do; for staff.
  var detail: String?
  /// For how many milliseconds it is shown; `nil` where that is until something else comes.
  var left: Int64?
  /// What stands there when that is over.
  var idle: [DoorWords] = []
  /// How many passed, and what else is told while nothing happens; empty where nobody knows.
  var notes: [String] = []

  /// As many as a page has places for.
  static let mostFacts = 8
  static let mostNotes = 6

  init(kind: String, head: String) { (self.kind, self.head) = (kind, head) }

  init(_ face: DoorBoards.Face, _ texts: PageTexts, at now: MonotonicTime, _ time: PageTime) {
    switch face {
    case .awaited: self.init(kind: "awaited", head: texts["door.starting"])
    case .away:
      self.init(kind: "away", head: texts["door.away"])
      reason = texts["door.awayWords"]
    case .station: self.init(kind: "station", head: "")
    case .noGate: self.init(kind: "noGate", head: texts["door.noGate"])
    case .gate(let idle, let lit):
      if let lit {
        self.init(lit.scan, isExit: idle.isExit, texts, time)
        left = max(0, (lit.until - now).saturatedNanoseconds / 1_000_000)
        self.idle = [DoorWords(idle, texts)]
      } else {
        self.init(idle, texts)
      }
      notes = Array(Self.notes(of: idle, texts).prefix(Self.mostNotes))
    }
  }

  // MARK: Idle

  private init(_ idle: DoorIdle, _ texts: PageTexts) {
    self.init(kind: idle.kind.rawValue, head: texts["door.\(idle.kind == .starting ? "starting" : idle.kind.rawValue)"])
    switch idle.kind {
    case .ready:
      reason = idle.isAlone ? texts["door.offline"] : nil
      // What greets people is said beside what they are to do.
      facts = [idle.welcome].compactMap(\.self)
    case .fault, .notSetUp, .closed, .maintenance: reason = idle.reason.map { texts.named("reason", $0) }
    case .starting, .cannotOpen: break
    }
    detail = idle.detail
  }

  private static func notes(of idle: DoorIdle, _ texts: PageTexts) -> [String] {
    let count =
      idle.isExit
      ? texts("door.left", String(idle.passed))
      : idle.sold.map { texts("verdict.of", String(idle.passed), String($0)) }
        ?? texts("door.inside", String(idle.passed))
    return [idle.event, count, idle.room, idle.status, idle.brand].compactMap(\.self)
  }

  // MARK: Verdicts

  init(_ scan: ShownScan, isExit: Bool = false, _ texts: PageTexts, _ time: PageTime) {
    let head =
      switch scan.kind {
      case .admit, .provisional: texts[isExit ? "verdict.out" : "verdict.admit"]
      case .refuse: texts["verdict.refuse"]
      case .undecided: texts["verdict.undecided"]
      case .several: texts["verdict.several"]
      case .annulled: texts["verdict.annulled"]
      }
    self.init(kind: scan.kind.rawValue, head: head)
    if scan.kind == .provisional { mark = texts["verdict.provisional"] }
    reason =
      switch scan.kind {
      case .several: texts["verdict.one"]
      case .annulled: texts["verdict.again"]
      default: scan.reason.map { texts.named("reason", $0) }
      }
    if scan.outputFault != nil { reason = texts["verdict.byHand"] }
    code = scan.code
    detail = scan.detail
    facts = Array(Self.facts(of: scan, texts, time).prefix(Self.mostFacts))
  }

  /// What else is to be seen, what matters most first.
  private static func facts(of scan: ShownScan, _ texts: PageTexts, _ time: PageTime) -> [String] {
    var facts: [String] = []
    if let fault = scan.outputFault { facts.append(texts("verdict.relay", fault)) }
    if let admitted = scan.admitted {
      facts.append(
        scan.allowance.map { texts("verdict.of", String(admitted), String($0)) }
          ?? texts("verdict.in", String(admitted)))
    }
    if let used = scan.used {
      facts.append(
        scan.usedGate.map { texts("verdict.usedGate", time.short(used), $0) } ?? texts("verdict.used", time.short(used))
      )
    }
    if let tickets = scan.tickets { facts.append(texts("verdict.tickets", String(tickets))) }
    if let seats = scan.seats { facts.append(texts("verdict.seats", seats)) }
    facts += [scan.holder, scan.event, scan.ticketKind].compactMap(\.self)
    if let note = scan.note { facts.append("(\(texts.named("note", note)))") }
    if scan.isTyped { facts.append(texts["verdict.typed"]) }
    return facts
  }

  // MARK: As it is sent

  /// For the script of the page: one object of texts.
  /// - Parameter now: in milliseconds of it the script finds out how long this was under way.
  func json(at now: MonotonicTime) -> String {
    var json = JSONText()
    json.add("at", now.nanoseconds / 1_000_000)
    json.add("kind", kind)
    json.add("head", head)
    json.add("mark", mark)
    json.add("reason", reason)
    json.add("facts", texts: facts)
    json.add("code", code)
    json.add("detail", detail)
    json.add("notes", texts: notes)
    json.add("left", number: left)
    json.add("then", object: idle.first?.json(at: now))
    return json.text
  }

  /// For the template of the page.
  var model: PageModel {
    [
      "kind": .text(kind), "head": .text(head), "mark": mark.map { .text($0) }, "reason": reason.map { .text($0) },
      "facts": .list(Self.places(facts, Self.mostFacts)), "code": code.map { .text($0) },
      "detail": detail.map { .text($0) }, "notes": .list(Self.places(notes, Self.mostNotes)),
    ]
  }

  /// As many places as there may be texts, for the script to fill.
  private static func places(_ texts: [String], _ count: Int) -> [PageModel] {
    (0..<count).map { index in
      ["words": index < texts.count ? .text(texts[index]) : nil, "isEmpty": .flag(index >= texts.count)]
    }
  }
}
