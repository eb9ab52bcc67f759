import EventSchedule
import Expectations
import FirstRun
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit

private let scanner = FoundReader(
  kind: .wedge, node: "/dev/input/event5", title: "A scanner", name: "a-scanner", match: "vendor: \"0c2e\"")
private let camera = FoundReader(
  kind: .camera, node: "/dev/video0", title: "A camera", name: "a-camera", match: "vendor: \"046d\"")
private let relay = OutputOffer.line(chip: "gate", "RELAY0", isNumber: false)
private let found = TicketSystemDiscovery.Found(
  type: "eventschedule", address: "https://tickets.example.org", settings: ["apiKey: main"], words: ["Tickets"],
  choices: [.init(.all, ticket: ""), .init(.named("a show"), ticket: "{ events: [\"Mzg5NzM0\"] }")])
private let tickets = TicketSystemForm(.tickets, secret: .apiKey)
private let shows = TicketSystemForm(.shows, secret: .password, questions: [.venue, .zone, .account, .website])

private func begun(_ systems: [TicketSystemForm] = [tickets]) -> FirstRun {
  FirstRun(
    .init(
      readers: [camera], lines: [relay, .line(chip: "gate", "7", isNumber: true)], lamps: [.led("gate:green:pass")],
      file: "/etc/scangate/scangate.yaml", hasFile: true, systems: systems, zone: "Europe/Vienna"))
}

extension FirstRunText: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self = .told(text) }
}

extension FirstRun {
  fileprivate mutating func answer(_ text: String) -> [Effect] { take(.answered(text, question: view.number)) }
}

@Suite struct FirstRunTests {
  @Test func leadsFromAScanToAFile() {
    var run = begun()
    expectEqual(run.first, [.listen(ports: false)])
    expectEqual(run.take(.scanned(scanner)), [.deafen, .hear(scanner)])
    expectEqual(run.view.code, TestCode.text)
    let typed = TestCode.Reading(layout: "de", bytes: [UInt8](TestCode.text.utf8))
    expectEqual(run.take(.read([typed], hasTerminator: true)).last, .deafen)
    expectEqual(run.answer("ok"), [])
    expectEqual(run.answer("1"), [])
    expectEqual(run.view.topic, .trial)
    expectEqual(run.answer("yes"), [.pulse(.relay, relay)])
    expectEqual(run.take(.tried(fault: nil)), [])
    expectEqual(run.answer("yes"), [])
    expectEqual(run.answer("none"), [])
    expectEqual(run.answer("none"), [])
    expectEqual(run.answer("https://tickets.example.org"), [])
    expect(run.view.field?.isSecret == true)
    expectEqual(run.take(.keyTaken), [.discover(tickets, "https://tickets.example.org", [:])])
    expectEqual(run.take(.discovered(found)), [])
    expectEqual(run.answer("2"), [])
    let yaml = run.draft.yaml.replacing("name: gate", with: "name: north").replacing("  gate:", with: "  north:")
    expectEqual(run.answer("north"), [])
    expectEqual(run.view.topic, .another)
    expectEqual(run.answer("no"), [.check(yaml)])
    expectEqual(run.take(.checked(lines: ["answers"], isGood: true)), [])
    expect(run.view.words.contains(.own(.confirmKept, "/etc/scangate/scangate.yaml")))
    expectEqual(run.answer("yes"), [.write(yaml)])
    expectEqual(run.take(.written(["next"])), [])
    expect(run.isWritten)
    expect(yaml.contains("keymap: de") && yaml.contains("events: [\"Mzg5NzM0\"]"))
  }

  @Test func wrongAnswersAreToldAndAskedAgain() {
    var run = begun()
    for wrong in ["", "17", "0", "-1", "99999999999999999999", "scangate", "<script>"] {
      let before = run.view
      expectEqual(run.answer(wrong), [])
      expectEqual(run.view.title, before.title)
      expect(run.view.fault != nil && run.view.number > before.number)
    }
    _ = run.answer("1")
    expectEqual(run.view.topic, .output)
    expectEqual(run.view.fault, nil)
  }

  @Test func anAnswerThatIsSentTwiceIsOne() {
    var run = begun()
    _ = run.answer("1")
    let number = run.view.number
    expectEqual(run.take(.answered("1", question: number)), [])
    expectEqual(run.take(.answered("1", question: number)), [])
    expectEqual(run.view.topic, .trial)
    let trial = run.view.number
    expectEqual(run.take(.answered("yes", question: trial)), [.pulse(.relay, relay)])
    expectEqual(run.take(.answered("yes", question: trial)), [])
  }

  @Test func newsLeaveAnAnswerThatIsOnItsWayGood() {
    var run = begun()
    let number = run.view.number
    expectEqual(run.take(.deaf("nothing is plugged in")), [])
    expectEqual(run.view.fault, "nothing is plugged in")
    _ = run.take(.answered("/dev/ttyACM0", question: number))
    expectEqual(run.view.topic, .test)
    let test = run.view.number
    _ = run.take(.read([.init(bytes: [UInt8]("another".utf8))], hasTerminator: true))
    expect(run.view.fault != nil)
    _ = run.take(.answered("skip", question: test))
    expectEqual(run.view.topic, .output)
  }

  /// Answers up to the question for the key; with more systems than one the first of them.
  private func atKey(_ systems: [TicketSystemForm] = [tickets], kind: [String] = []) -> FirstRun {
    var run = begun(systems)
    for answer in ["1", "none", "none", "none"] + kind + ["https://a.example"] { _ = run.answer(answer) }
    return run
  }

  @Test func aTicketSystemIsAskedForWhatItNeeds() {
    var run = atKey([tickets, shows], kind: ["2"])
    expectEqual(run.view.topic, .detail)
    for wrong in ["", "two words", "\u{e9}"] {
      _ = run.answer(wrong)
      expectEqual(run.view.fault, .own(.detailRefusalVenue))
    }
    _ = run.answer("3f0c2a51")
    expectEqual(run.view.field?.suggestion, "Europe/Vienna")
    _ = run.answer("")
    _ = run.answer("nobody")
    expectEqual(run.view.fault, .own(.detailRefusalAccount))
    _ = run.answer("door@a.example")
    // Back, what was said is proposed again.
    _ = run.answer("back")
    expectEqual(run.view.field?.suggestion, "door@a.example")
    _ = run.answer("")
    expectEqual(run.view.field?.suggestion, "")
    _ = run.answer("")
    expectEqual(run.view.topic, .key)
    expectEqual(run.view.title, .own(.keyTitlePassword))
    expectEqual(
      run.take(.keyTaken),
      [
        .discover(
          shows, "https://a.example",
          [.venue: "3f0c2a51", .zone: "Europe/Vienna", .account: "door@a.example", .website: ""])
      ])
    // Whoever chooses another system is not asked what the former one's address was.
    run = atKey([tickets, shows], kind: ["2"])
    for _ in 0..<2 { _ = run.answer("back") }
    expectEqual(run.view.topic, .kind)
    _ = run.answer("1")
    expectEqual(run.view.field?.suggestion, "https://")
  }

  @Test func anotherGateHasItsOwnReaderOutputsAndName() throws {
    var run = begun()
    _ = run.take(.scanned(scanner))
    for answer in ["skip", "1", "untried", "1", "untried", "none", "https://a.example"] { _ = run.answer(answer) }
    _ = run.take(.keyTaken)
    _ = run.take(.discovered(found))
    for answer in ["2", "north"] { _ = run.answer(answer) }
    expectEqual(run.answer("yes"), [.listen(ports: false)])
    // Its scanner is not the other's, nor are its outputs.
    _ = run.take(.scanned(scanner))
    expectEqual(run.view.topic, .reader)
    expectEqual(run.view.fault, .own(.readerTaken, scanner.title, "north"))
    var other = scanner
    (other.node, other.match) = ("/dev/input/event6", "serial: \"2\"")
    var named = other
    named.name = "a-scanner-2"
    expectEqual(run.take(.scanned(other)), [.deafen, .hear(named)])
    _ = run.answer("skip")
    expectEqual(run.view.choices.map(\.id).filter { Int($0) != nil }, ["1"])
    for answer in ["1", "untried", "none", "none"] { _ = run.answer(answer) }
    // The ticket system is known.
    expectEqual(run.view.topic, .event)
    _ = run.answer("1")
    expectEqual(run.view.field?.suggestion, "gate")
    _ = run.answer("north")
    expectEqual(run.view.fault, .own(.gateTaken, "north"))
    _ = run.answer("south")
    let effects = run.answer("no")
    guard case .check(let text)? = effects.first else {
      expect(false, "nothing is checked")
      return
    }
    let configuration = try ConfigurationFile.parse(
      text: text, file: "first.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule], keymapValidator: { _, _, _, _ in nil })
    ).configuration
    expectEqual(configuration.gates.map(\.id.name), ["north", "south"])
    expectEqual(configuration.gates.map(\.outputs.count), [2, 1])
    expectEqual(configuration.wedges.count, 2)
    // Back to where the second gate was not begun.
    _ = run.take(.checked(lines: [], isGood: true))
    for _ in 0..<40 where run.view.topic != .another || run.draft.gates.count != 0 { _ = run.answer("back") }
    expectEqual(run.view.words, [.own(.anotherWords, "north")])
  }

  @Test func whatIsPluggedInRenumbersWhatIsOffered() {
    var run = begun()
    let number = run.view.number
    _ = run.take(.plugged([camera]))
    expectEqual(run.view.number, number)
    _ = run.take(.plugged([scanner, camera]))
    // An answer to the former numbers is none.
    _ = run.take(.answered("1", question: number))
    expectEqual(run.view.topic, .reader)
    _ = run.answer("1")
    expectEqual(run.view.topic, .test)
  }

  @Test func whatTheCheckFindsLeadsBackToTheAddress() {
    var run = begun()
    for answer in ["1", "none", "none", "none", "https://a.example"] { _ = run.answer(answer) }
    _ = run.take(.keyTaken)
    _ = run.take(.undiscovered("nobody answers"))
    expectEqual(run.view.fault, "nobody answers")
    expectEqual(run.view.topic, .system)
  }
}

@Suite struct FirstRunPropertyTests {
  /// Whatever happens in whatever order: nothing moves and nothing is written that was not agreed to a moment ago, nothing happens
  /// behind the end, and each question can be answered.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 200, release: 2_000))))
  func nothingMovesOrIsWrittenUnasked(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var run = begun(Bool.random(using: &random) ? [tickets] : [tickets, shows])
    var checked: Set<String> = []
    var asked: String?
    for _ in 0..<120 {
      let view = run.view
      let event = event(for: view, &random)
      let effects = run.take(event)
      for effect in effects {
        switch effect {
        case .pulse:
          expectEqual(view.topic, .trial)
          expectEqual(event, .answered("yes", question: view.number))
        case .check(let text): asked = text
        case .write(let text):
          expectEqual(view.topic, .confirm)
          expectEqual(event, .answered("yes", question: view.number))
          expect(checked.contains(text), "seed \(seed)")
        default: break
        }
      }
      if case .checked(_, true) = event, view.isWaiting, let asked { checked.insert(asked) }
      if view.isOver { expectEqual(effects, []) }
      if view.isOver { expect(run.view.isOver) }
      let now = run.view
      expect(now.isWaiting || now.isOver || !now.choices.isEmpty || now.field != nil, "seed \(seed)")
    }
  }

  private func event(for view: FirstRunView, _ random: inout SeededGenerator) -> FirstRun.Event {
    switch Int.random(in: 0..<25, using: &random) {
    case 0: return .scanned(scanner)
    case 1: return .read([.init(bytes: [UInt8](TestCode.text.utf8))], hasTerminator: Bool.random(using: &random))
    case 2, 3: return .tried(fault: Bool.random(using: &random) ? "broken" : nil)
    case 4, 5: return .keyTaken
    case 6: return .keyRefused("no")
    case 7, 8: return .discovered(found)
    case 9: return .undiscovered("away")
    case 10, 11: return .checked(lines: ["said"], isGood: Bool.random(using: &random))
    case 12: return .unwritten("full")
    case 13 where Int.random(in: 0..<20, using: &random) == 0: return .written(["done"])
    case 14: return .deaf("gone")
    case 24: return .plugged(Bool.random(using: &random) ? [camera] : [scanner, camera])
    case 15:
      return .answered(
        ["", "\u{0}", "https://a.example", "north", "yes"].randomElement(using: &random) ?? "", question: view.number)
    case 16: return .answered("yes", question: view.number - 1)
    default:
      let choices = view.choices.map(\.id).filter { $0 != "quit" }
      return .answered(choices.randomElement(using: &random) ?? "https://a.example", question: view.number)
    }
  }

  /// Whatever a device or server is called, the file can be read and says what was chosen.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 50, release: 500))))
  func theFileCanAlwaysBeRead(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let marks = ["\"", "\\", "\n", "#", ": ", "{", "}", "é", "\u{202E}", "a", "0"]
    var draft = FirstRunDraft()
    draft.take(found)
    draft.gate.reader = scanner
    draft.gate.manner.layout = [nil, "de", "fr"].randomElement(using: &random) ?? nil
    draft.gate.manner.prefix = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
      marks.randomElement(using: &random) ?? ""
    }
    .joined()
    draft.gate.manner.suffix = draft.gate.manner.prefix
    draft.gate.manner.hasTerminator = Bool.random(using: &random)
    if Bool.random(using: &random) { draft.gate.outputs[.relay] = relay }
    if Bool.random(using: &random) { draft.gate.outputs[.green] = .led("gate:green:pass") }
    draft.gate.ticket = found.choices[Int.random(in: 0...1, using: &random)].ticket
    let reading = try ConfigurationFile.parse(
      text: draft.yaml, file: "first.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule], keymapValidator: { _, _, _, _ in nil }))
    expectEqual(reading.configuration.gates.map(\.id.name), ["gate"])
    expectEqual(reading.configuration.gates.first?.outputs.count, draft.gate.outputs.count)
  }
}

@Suite struct TestCodeTests {
  private func judged(_ text: String, layout: String? = "us", hasTerminator: Bool = true) -> TestCode.Judgement {
    TestCode.judge([.init(layout: layout, bytes: [UInt8](text.utf8))], hasTerminator: hasTerminator)
  }

  @Test func layoutAndFramesAreTold() {
    expectEqual(judged(TestCode.text), .good(.init()))
    expectEqual(judged(TestCode.text, layout: "de"), .good(.init(layout: "de")))
    expectEqual(judged("]Q1\(TestCode.text)"), .good(.init()))
    expectEqual(judged("\u{2}\(TestCode.text)\u{3}"), .good(.init(prefix: "\u{2}", suffix: "\u{3}")))
    expectEqual(judged(TestCode.text, hasTerminator: false), .good(.init(hasTerminator: false)))
  }

  @Test func whatIsWrongIsNamedAndNotRepeated() {
    let faults = [
      TestCode.text.replacing("yzYZ", with: "zyZY"): "exchanged", TestCode.text.uppercased(): "Caps Lock",
      "short": "another code", TestCode.text.replacing("-", with: "ß"): "layout",
      String(repeating: "x", count: 65) + TestCode.text: "prefix",
    ]
    for (came, word) in faults {
      guard case .bad(let words) = judged(came) else {
        expect(false, "nothing is wrong with what came")
        continue
      }
      let text = FirstRunTexts.of(.en)(words)
      expect(text.contains(word), "it is not named")
      expect(!text.contains(came))
    }
    expect(judged("") != .good(.init()))
  }
}
