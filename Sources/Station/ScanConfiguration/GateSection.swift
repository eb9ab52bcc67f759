internal import Reading
import ScanModel
internal import TicketSystemKit

/// A name in the file that must be the name of something else in it.
struct NameReference: Sendable, Equatable {
  var name: String
  var position: SourcePosition

  static func kind(_ example: String) -> ValueKind<Self> {
    let name = ValueKind<String>.name(example)
    return ValueKind<Self>(summary: "name", example: example, show: { $0.name }) { node, findings in
      name.parse(node, findings).map { Self(name: $0, position: node.position) }
    }
  }
}

/// `gates.<name>`.
enum GateSection {
  static let readersKey = "readers"
  static let ticketSystemKey = "ticketSystem"
  static let ticketKey = "ticket"

  private static let readers = SchemaKey.required(
    readersKey, .list(of: NameReference.kind("north-scanner"), count: 1...16, noun: "readers"),
    "The readers of this gate; each belongs to exactly one gate.")
  private static let ticketSystem = SchemaKey.required(
    ticketSystemKey, NameReference.kind("main"), "The ticket system that is asked.")
  private static let direction = SchemaKey.key(
    "direction", .choice(GateDirection.self), default: .in,
    "Which way people pass. `out` needs a ticket system with scope `untilExit`: it asks nobody, and the ticket admits again."
  )
  private static let deadline = SchemaKey.key(
    "deadline", .duration(.milliseconds(300) ... .seconds(10), example: "2500 ms"), default: .milliseconds(2500),
    "How long a person waits for a verdict; covers DNS, connect, TLS, request and answer.")
  private static let holdOff = SchemaKey.key(
    "holdOff", .duration(.zero ... .seconds(60), example: "2 s"), default: .seconds(2),
    "How long the same code is ignored since it was last seen.")
  private static let queue = SchemaKey.key(
    "queue", .integer(1...64, "scans", example: "4"), default: 4, "How many scans may wait while one is decided.")
  private static let stale = SchemaKey.key(
    "stale", .duration(.milliseconds(500) ... .seconds(60), example: "3 s"), default: .seconds(3),
    "A scan that waited longer is dropped and signalled.")
  private static let accept = SchemaKey.key(
    "accept", .section(AcceptSection.schema, example: "{ minLength: 8 }", read: AcceptSection.read),
    default: AcceptFilter(),
    "What can be a code here; everything else is refused as `unreadable` without a request. Without it, what the codes of the ticket system look like."
  )
  private static let offline = SchemaKey.key(
    OfflineSection.key,
    .section(OfflineSection.schema, example: "{ policy: list }", read: OfflineSection.read),
    default: OfflinePolicy(), "What the gate does while its ticket system is offline; see docs/signals.md.")
  private static let floodLimit = SchemaKey.key(
    "floodLimit", .integer(1...600, "a minute", example: "20"), default: 20,
    "Requests a minute and reader that admit nobody before its codes are no longer asked.")
  private static let outputs = SchemaKey.key(
    "outputs",
    ValueKind<[ReadOutput]>.named(
      "output", sections: [OutputSection.schema], example: "{ green: { led: \"gate:green:pass\" } }",
      read: OutputSection.read), default: [],
    "Relay, lamps and buzzers. `relay` is the relay, `buzzer` (`buzzer2`, …) a buzzer, every other name a lamp: `green`, `red`, `amber`, `yellow`, or one that `signals` names."
  )
  private static let inputs = SchemaKey.key(
    "inputs",
    ValueKind<[InputConfiguration]>.named(
      "input", sections: [InputSection.schema],
      example: "{ lockout: { gpio: { chip: gate, line: BUTTON0 }, use: maintenanceButton } }", read: InputSection.read),
    default: [], "Buttons, switches and sensors, by a name of your own.")
  private static let signals = SchemaKey.key(
    "signals", SignalsSection.kind, default: [:],
    "What lamps and buzzers do for each signal; what is absent plays the built-in pattern.")

  static let ticketDescription = KeyDescription(
    name: ticketKey, summary: "section of the ticket system's type", example: "{ seat: \"12\" }", isRequired: false,
    defaultText: nil, doc: "What this gate tells its ticket system.", sections: [])

  static let schema = SectionSchema(
    "gates.<name>",
    keys: [
      readers.description, ticketSystem.description, ticketDescription, direction.description, deadline.description,
      holdOff.description,
      queue.description, stale.description, accept.description, offline.description, floodLimit.description,
      outputs.description,
      inputs.description, signals.description,
    ])

  static func read(_ name: String, _ node: SourceNode, _ findings: Findings) -> GateConfiguration? {
    guard let reader = SectionReader(node, schema, findings) else { return nil }
    let readers = reader.read(readers)
    let system = reader.read(ticketSystem)
    let ticket = readTicket(reader, system?.name)
    let direction = reader.read(direction)
    let deadline = reader.read(deadline)
    let holdOff = reader.read(holdOff)
    let queue = reader.read(queue)
    let stale = reader.read(stale)
    let accept = reader.entry("accept") == nil ? usualCodes(system?.name, findings) : reader.read(accept)
    var offline = reader.read(offline)
    let flood = reader.read(floodLimit)
    let outputs = reader.read(outputs)
    let inputs = reader.read(inputs)
    let signals = reader.read(signals)
    if let outputs {
      checkOutputs(reader, outputs, stale)
      SignalChecks(
        outputs: reader.entry("outputs")?.value, signals: reader.entry("signals")?.value, findings
      ).run(signals)
    }
    if let policy = offline {
      let mayOpenByForm = system.flatMap { findings.systemTypes[$0.name]?.mayOpenByForm } ?? true
      let isOpen = usualCodes(system?.name, findings) == AcceptFilter()
      offline = OfflineChecks(gate: reader, offline: policy, isOpen: isOpen, mayOpenByForm: mayOpenByForm).run(
        deadline: deadline, direction: direction, signals: signals)
    }
    guard let readers, let system, let direction, let deadline, let holdOff, let queue, let stale, let accept,
      let offline, let flood, let outputs, let inputs, let signals
    else { return nil }
    return GateConfiguration(
      id: GateID(name), readers: readers.map { ReaderID($0.name) }, ticketSystem: TicketSystemID(system.name),
      direction: direction, ticket: ticket, deadline: deadline, holdOff: holdOff, queue: queue, stale: stale,
      accept: accept, offline: offline,
      floodLimit: flood, outputs: outputs.map(\.configuration), relay: outputs.compactMap(\.relay).first,
      inputs: inputs, signals: signals)
  }

  /// The ticket system's part; where the gate's ticket system is unknown, that is the error, and its part cannot be judged.
  private static func readTicket(_ reader: SectionReader, _ system: String?) -> (any Sendable)? {
    guard let entry = reader.entry(ticketKey), let system, let type = reader.findings.systemTypes[system] else {
      return nil
    }
    return TicketSystemReading.readGate(type, entry.value, reader.findings)
  }

  /// What the codes of the gate's ticket system look like.
  private static func usualCodes(_ system: String?, _ findings: Findings) -> AcceptFilter {
    system.flatMap { findings.systemTypes[$0]?.accept } ?? AcceptFilter()
  }

  private static func checkOutputs(_ reader: SectionReader, _ outputs: [ReadOutput], _ stale: Duration?) {
    if reader.entry("outputs") == nil {
      reader.findings.warning(
        at: reader.node.label, "\(quoted(reader.node.path)) has no outputs: nobody at it sees a verdict",
        "add outputs, at least a lamp")
    }
    for timing in outputs.compactMap(\.relay?.timing) {
      guard let stale, timing.pulse + timing.gap >= stale else { continue }
      reader.findings.warning(
        at: reader.position(of: "stale"),
        "who is behind an admission waits \(written(timing.pulse + timing.gap)) (pulse and gap), and is dropped after \(written(stale))",
        "make stale longer than pulse and gap together")
    }
  }
}

/// `gates.<name>.accept`.
enum AcceptSection {
  private static let minLength = SchemaKey.key(
    "minLength", .integer(1...4096, "characters", example: "8"), default: AcceptFilter().length.lowerBound,
    "The fewest characters of a code.")
  private static let maxLength = SchemaKey.key(
    "maxLength", .integer(1...4096, "characters", example: "128"), default: AcceptFilter().length.upperBound,
    "The most characters of a code.")
  private static let alphabet = SchemaKey.key(
    "alphabet", .choice(CodeAlphabet.self), default: AcceptFilter().alphabet, "The characters of a code.")
  private static let pattern = SchemaKey<CodePattern>.optional(
    "pattern",
    ValueKind<CodePattern>(summary: "regular expression", example: "\"[a-z0-9]{32}\"", show: \.description) {
      node, findings in
      guard let text = ValueKind<String>.text(upTo: 1024, example: "\"[a-z0-9]{32}\"").parse(node, findings) else {
        return nil
      }
      do throws(PatternError) {
        return try CodePattern(text)
      } catch {
        node.refuse(text, error.description, findings)
        return nil
      }
    }, "A regular expression that the whole code must match.")

  static let schema = SectionSchema(
    "gates.<name>.accept",
    minLength, maxLength, alphabet, pattern)

  static func read(_ reader: SectionReader) -> AcceptFilter? {
    let least = reader.read(minLength)
    let most = reader.read(maxLength)
    let alphabet = reader.read(alphabet)
    let pattern = reader.read(pattern)
    if let least, let most, least > most {
      let place = reader.keyPosition(of: "minLength") != nil ? "minLength" : "maxLength"
      reader.findings.error(
        at: reader.position(of: place), "no code has at least \(least) and at most \(most) characters",
        "make minLength no larger than maxLength")
      return nil
    }
    guard let least, let most, let alphabet else { return nil }
    return AcceptFilter(length: least...most, alphabet: alphabet, pattern: pattern)
  }
}
