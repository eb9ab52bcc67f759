package import TicketSystemKit

/// The first run of a station, from nothing to a configuration that was checked. Pure: questions, answers and news in, effects out; no
/// key is in it.
///
///               scanned, or chosen        the test code, or skipped
///     reader ───────────────────▶ test ─────────────────────────▶ judged ──▶ output (relay, then green, then red)
///       ▲ │ a camera                                                          │ none           │ one
///       │ └───────────────────────────────────────────────────────────────────┼──▶ …           ▼
///       │                                                                     │     trial: "Pulse it now?" ── no: taken untried
///       │ another gate                                                        │        │ yes: the one way to a pulse
///       │                                                                     │        ▼
///       │                                                                     │◀───── seen ("Did it move?")
///       │                                                                     ▼
///     another ◀── gate ◀── event ◀── discovering ◀── key ◀── detail … ◀── system ◀── kind
///       │ none        (a second gate is of the same system: event at once)
///       ▼
///     checking ──▶ confirm ──▶ writing ──▶ over
///       │ what keeps it from admitting: system, with words
///
/// From each question `back` leads to the one before, and `cancelled` to the end without anything written. A wrong answer leaves
/// everything as it is, and says why.
package struct FirstRun: Sendable {
  /// What there is to choose from.
  package struct Offers: Sendable, Equatable {
    /// Readers that may be chosen without a scan: cameras, and what looks like a scanner.
    package var readers: [FoundReader]
    /// What could be a relay.
    package var lines: [OutputOffer]
    /// What could be a lamp besides.
    package var lamps: [OutputOffer]
    /// The file that is to be written.
    package var file: String
    /// Whether there is one already, which is kept as `FILE.before`.
    package var hasFile: Bool
    /// The ticket systems that can be set up.
    package var systems: [TicketSystemForm]
    /// The zone of this machine's time, by its IANA name.
    package var zone: String

    package init(
      readers: [FoundReader] = [], lines: [OutputOffer] = [], lamps: [OutputOffer] = [], file: String,
      hasFile: Bool = false, systems: [TicketSystemForm], zone: String = "UTC"
    ) {
      self.readers = readers
      self.lines = lines
      self.lamps = lamps
      self.file = file
      self.hasFile = hasFile
      self.systems = systems
      self.zone = zone
    }
  }

  /// What happens.
  package enum Event: Sendable, Equatable {
    /// Somebody has answered the question of this number.
    case answered(String, question: Int)
    /// The key for the system was taken by whoever keeps it.
    case keyTaken
    /// It was not, in words that hold nothing of it.
    case keyRefused(FirstRunText)
    /// A reader has scanned something.
    case scanned(FoundReader)
    /// Readers that may be chosen without a scan came or went: these there are now.
    case plugged([FoundReader])
    /// Nothing can be listened to, or no more, in words.
    case deaf(FirstRunText)
    /// The reader that is tested has read something.
    case read([TestCode.Reading], hasTerminator: Bool)
    /// The output was tried; why that did not work, where it did not.
    case tried(fault: FirstRunText?)
    /// What the ticket system is.
    case discovered(TicketSystemDiscovery.Found)
    /// Why that could not be had.
    case undiscovered(FirstRunText)
    /// The configuration was checked, and what it speaks to asked.
    case checked(lines: [String], isGood: Bool)
    /// It is written; what to do next.
    case written([FirstRunText])
    /// It is not, and nothing was changed.
    case unwritten(FirstRunText)
    /// Somebody has enough.
    case cancelled
  }

  /// What is to be done.
  package enum Effect: Sendable, Equatable {
    /// Listen to everything that types, with serial ports or without.
    case listen(ports: Bool)
    /// Listen to one reader, for the test code.
    case hear(FoundReader)
    /// End listening.
    case deafen
    /// Pulse a relay once, or light a lamp.
    case pulse(FirstRunDraft.Slot, OutputOffer)
    /// Ask the server at an address what it is, with the key that was taken and what was answered of it.
    case discover(TicketSystemForm, String, [TicketSystemQuestion: String])
    /// Check a configuration, and ask what it speaks to.
    case check(String)
    /// Write it, and the key.
    case write(String)
  }

  /// Where one is.
  enum State: Sendable, Equatable {
    case reader(ports: Bool)
    case test
    case judged
    case output(FirstRunDraft.Slot)
    case trial(FirstRunDraft.Slot, OutputOffer)
    case trying(FirstRunDraft.Slot, OutputOffer)
    case seen(FirstRunDraft.Slot, OutputOffer)
    case kind
    case system
    case detail(Int)
    case key
    case discovering
    case event
    case gate
    case another
    case checking
    case confirm([String])
    case writing
    case over(isWritten: Bool, [FirstRunText])
  }

  /// What there is to choose from.
  package private(set) var offers: Offers
  /// What is known so far.
  package private(set) var draft: FirstRunDraft
  /// Whether there is a question before this one.
  var canGoBack: Bool { !history.isEmpty }
  /// Where one is.
  private(set) var state = State.reader(ports: false)
  /// What was wrong last.
  private(set) var fault: FirstRunText?
  private(set) var number = 1
  /// The questions before, each with what was known when it was left.
  private var history: [(state: State, draft: FirstRunDraft)] = []
  /// The most gates that are asked for.
  private static let mostGates = 16

  /// Begins.
  package init(_ offers: Offers) {
    self.offers = offers
    draft = FirstRunDraft()
  }

  /// What is to be done at the beginning.
  package var first: [Effect] { [.listen(ports: false)] }

  /// Whether the configuration was written.
  package var isWritten: Bool { if case .over(true, _) = state { true } else { false } }

  /// Takes what happens.
  /// - Returns: what is to be done, in this order.
  package mutating func take(_ event: Event) -> [Effect] {
    if case .over = state { return [] }
    switch (event, state) {
    case (.cancelled, .writing): return []
    case (.cancelled, _): return go(to: .over(isWritten: false, [.own(.nothingChanged)]), remembers: false)
    case (.answered(let text, let question), _): return question == number ? answer(text) : []
    case (.scanned(let reader), .reader):
      // News as well: the one that is listened for may come yet.
      if let gate = draft.gate(of: reader) {
        fault = .own(.readerTaken, reader.title, gate)
      } else {
        return choose(reader)
      }
    case (.plugged(let readers), _):
      guard readers != offers.readers else { break }
      offers.readers = readers
      // The numbers mean others now: an answer to the former ones is none.
      if case .reader = state { (fault, number) = (nil, number + 1) }
    // News, and no answer: what somebody is about to send still holds.
    case (.deaf(let words), .reader), (.deaf(let words), .test): fault = words
    case (.read(let readings, let hasTerminator), .test): return judge(readings, hasTerminator)
    case (.tried(let fault), .trying(let slot, let offer)):
      if let fault {
        _ = go(to: .output(slot), remembers: false)
        fail(fault)
      } else {
        return go(to: .seen(slot, offer), remembers: false)
      }
    case (.keyTaken, .key):
      guard let form else { break }
      return go(to: .discovering) + [.discover(form, draft.address, draft.answers)]
    case (.keyRefused(let words), .key): fail(words)
    case (.discovered(let found), .discovering):
      draft.take(found)
      return go(to: .event, remembers: false)
    case (.undiscovered(let words), .discovering):
      _ = go(to: .system, remembers: false)
      fail(words)
    case (.checked(let lines, true), .checking): return go(to: .confirm(lines), remembers: false)
    case (.checked(let lines, false), .checking):
      _ = go(to: .system, remembers: false)
      fail(.told(lines.joined(separator: " ")))
    case (.written(let lines), .writing): return go(to: .over(isWritten: true, lines), remembers: false)
    case (.unwritten(let words), .writing):
      _ = go(to: .confirm([]), remembers: false)
      fail(words)
    default: break
    }
    return []
  }

  // MARK: Answers

  private mutating func answer(_ text: String) -> [Effect] {
    let text = text.trimmed
    if text == "back", !isWaiting, let former = history.popLast() {
      draft = former.draft
      return go(to: former.state, remembers: false)
    }
    if text == "quit", !isWaiting { return take(.cancelled) }
    switch state {
    case .reader(let ports): return answerReader(text, ports)
    case .test:
      guard text == "skip" else { return refuse(.own(.answerTest)) }
      draft.gate.manner = TestCode.Manner()
      return [.deafen] + go(to: .output(.relay))
    case .judged:
      switch text {
      case "ok": return go(to: .output(.relay))
      case "again": return test()
      default: return refuse(.own(.answerChoice))
      }
    case .output(let slot): return answerOutput(text, slot)
    case .trial(let slot, let offer):
      switch text {
      case "yes": return go(to: .trying(slot, offer)) + [.pulse(slot, offer)]
      case "untried": return take(offer, as: slot)
      case "other": return go(to: .output(slot), remembers: false)
      default: return refuse(.own(.answerChoice))
      }
    case .seen(let slot, let offer):
      switch text {
      case "yes": return take(offer, as: slot)
      case "again": return go(to: .trial(slot, offer), remembers: false)
      case "no": return go(to: .output(slot), remembers: false)
      default: return refuse(.own(.answerChoice))
      }
    case .kind, .system, .detail: return answerSystem(text)
    case .event:
      guard let choice = Self.index(text).flatMap({ draft.system?.choices.element($0) }) else {
        return refuse(.own(.answerNumber))
      }
      draft.gate.ticket = choice.ticket
      return go(to: .gate)
    case .gate:
      let name = text.isEmpty ? draft.gate.name : text
      guard FirstRunDraft.isName(name) else { return refuse(.own(.gateName)) }
      guard !draft.gates.contains(where: { $0.name == name }) else { return refuse(.own(.gateTaken, name)) }
      draft.gate.name = name
      return go(to: .another)
    case .another:
      switch text {
      case "no": return go(to: .checking) + [.check(draft.yaml)]
      case "yes" where draft.gates.count + 1 < Self.mostGates:
        let former = draft
        draft.beginGate()
        return go(to: .reader(ports: false), from: former)
      default: return refuse(.own(.answerChoice))
      }
    case .confirm:
      guard text == "yes" else { return refuse(.own(.answerChoice)) }
      return go(to: .writing, remembers: false) + [.write(draft.yaml)]
    case .key, .trying, .discovering, .checking, .writing, .over: return []
    }
  }

  private mutating func answerSystem(_ text: String) -> [Effect] {
    switch state {
    case .kind:
      guard let index = Self.index(text), offers.systems.indices.contains(index) else {
        return refuse(.own(.answerNumber))
      }
      draft.choose(index)
      return go(to: .system)
    case .system:
      let address = text.isEmpty ? draft.address : text
      guard address.hasPrefix("https://") || address.hasPrefix("http://"), address.utf8.count <= 2_048 else {
        return refuse(.own(.answerAddress))
      }
      draft.address = address
      return go(to: form?.questions.isEmpty == false ? .detail(0) : .key)
    case .detail(let index):
      guard let form, let question = form.questions.element(index) else { return [] }
      let given = text.isEmpty ? suggestion(for: question) : text
      guard question.accepts(given) else { return refuse(.own(question.refusal)) }
      draft.answers[question] = given
      return go(to: form.questions.element(index + 1) == nil ? .key : .detail(index + 1))
    default: return []
    }
  }

  /// The ticket system that is set up.
  var form: TicketSystemForm? { offers.systems.element(draft.kind) }

  /// What an empty answer is.
  func suggestion(for question: TicketSystemQuestion) -> String {
    draft.answers[question] ?? (question == .zone ? offers.zone : question.suggestion)
  }

  /// Readers that may be chosen without a scan.
  var readers: [FoundReader] { offers.readers.filter { draft.gate(of: $0) == nil } }

  private mutating func answerReader(_ text: String, _ ports: Bool) -> [Effect] {
    if text == "serial", !ports { return go(to: .reader(ports: true), remembers: false) }
    if text.hasPrefix("/dev/") || text.hasPrefix("/run/"), text.utf8.count <= 255,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    {
      let reader = offers.readers.first { $0.node == text } ?? FoundReader(line: text)
      if let gate = draft.gate(of: reader) { return refuse(.own(.readerTaken, reader.title, gate)) }
      return choose(reader)
    }
    guard let reader = Self.index(text).flatMap({ readers.element($0) }) else { return refuse(.own(.answerReader)) }
    return choose(reader)
  }

  private mutating func choose(_ reader: FoundReader) -> [Effect] {
    draft.gate.reader = draft.named(reader)
    draft.gate.manner = TestCode.Manner()
    // What a camera sees needs no layout and has no end mark.
    guard reader.kind != .camera else { return [.deafen] + go(to: .output(.relay)) }
    return [.deafen] + test()
  }

  private mutating func test() -> [Effect] { go(to: .test) }

  private mutating func judge(_ readings: [TestCode.Reading], _ hasTerminator: Bool) -> [Effect] {
    switch TestCode.judge(readings, hasTerminator: hasTerminator) {
    case .good(let manner):
      draft.gate.manner = manner
      return [.deafen] + go(to: .judged, remembers: false)
    case .bad(let words):
      fault = words
      return []
    }
  }

  private mutating func answerOutput(_ text: String, _ slot: FirstRunDraft.Slot) -> [Effect] {
    if text == "none" {
      draft.gate.outputs[slot] = nil
      return next(after: slot)
    }
    guard let offer = Self.index(text).flatMap({ offers(for: slot).element($0) }) else {
      return refuse(.own(.answerNumber))
    }
    return go(to: .trial(slot, offer))
  }

  /// What is free for an output: what another one has is not.
  func offers(for slot: FirstRunDraft.Slot) -> [OutputOffer] {
    let taken =
      draft.gate.outputs.filter { $0.key != slot }.map(\.value) + draft.gates.flatMap { $0.outputs.map(\.value) }
    return (slot == .relay ? offers.lines : offers.lamps + offers.lines).filter { !taken.contains($0) }
  }

  private mutating func take(_ offer: OutputOffer, as slot: FirstRunDraft.Slot) -> [Effect] {
    draft.gate.outputs[slot] = offer
    return next(after: slot)
  }

  private mutating func next(after slot: FirstRunDraft.Slot) -> [Effect] {
    let slots = FirstRunDraft.Slot.allCases
    guard let index = slots.firstIndex(of: slot), let next = slots.element(index + 1) else {
      // One system a station: what it is is known from the first gate.
      if !draft.gates.isEmpty, draft.system != nil { return go(to: .event) }
      return go(to: offers.systems.count > 1 ? .kind : .system)
    }
    return go(to: .output(next))
  }

  private static func index(_ text: String) -> Int? {
    guard let number = Int(text), (1...10_000).contains(number) else { return nil }
    return number - 1
  }

  // MARK: States

  var isWaiting: Bool {
    switch state {
    case .trying, .discovering, .checking, .writing: true
    default: false
    }
  }

  private mutating func go(to state: State, remembers: Bool = true, from former: FirstRunDraft? = nil) -> [Effect] {
    if remembers, !isWaiting { history.append((self.state, former ?? draft)) }
    let wasListening = isListening
    self.state = state
    fault = nil
    number += 1
    switch state {
    case .reader(let ports): return [.listen(ports: ports)]
    case .test: return draft.gate.reader.map { [.hear($0)] } ?? []
    default: return wasListening ? [.deafen] : []
    }
  }

  private var isListening: Bool {
    switch state {
    case .reader, .test: true
    default: false
    }
  }

  private mutating func refuse(_ words: FirstRunText) -> [Effect] {
    fail(words)
    return []
  }

  /// The question stays, with another number: an answer that was sent twice is one.
  private mutating func fail(_ words: FirstRunText) {
    fault = words
    number += 1
  }
}

extension Array {
  /// The element, where there is one.
  func element(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension String {
  /// Without blanks around it.
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
