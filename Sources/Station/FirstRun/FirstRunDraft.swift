package import TicketSystemKit
internal import KnownScanners

/// An output that the gate may get.
package struct OutputOffer: Sendable, Equatable {
  /// What it is called, for people; clean.
  package var title: String
  /// What the file has for it, in braces.
  package var target: String

  package init(title: String, target: String) {
    self.title = title
    self.target = target
  }

  /// A line of a GPIO chip.
  /// - Parameter line: its name; its number where it has none.
  package static func line(chip: String, _ line: String, isNumber: Bool) -> OutputOffer {
    OutputOffer(
      title: "line \(line) of \(chip)",
      target:
        "{ gpio: { chip: \(ReaderProposal.quoted(chip)), line: \(isNumber ? line : ReaderProposal.quoted(line)) } }")
  }

  /// An LED by its name.
  package static func led(_ name: String) -> OutputOffer {
    OutputOffer(title: "LED \(name)", target: "{ led: \(ReaderProposal.quoted(name)) }")
  }
}

/// What is known so far of the station that is set up. Holds no key.
package struct FirstRunDraft: Sendable, Equatable {
  /// An output of the gate; the raw values are the names of the file.
  package enum Slot: String, Sendable, CaseIterable {
    case relay, green, red
  }

  /// A gate, and its reader.
  package struct Gate: Sendable, Equatable {
    /// The reader.
    package var reader: FoundReader?
    /// How it is to be configured.
    package var manner = TestCode.Manner()
    /// The outputs.
    package var outputs: [Slot: OutputOffer] = [:]
    /// The gate's section `ticket`.
    package var ticket = ""
    /// The gate's name.
    package var name = "gate"

    package init() {}
  }

  /// The gates that nothing more is asked of.
  package private(set) var gates: [Gate] = []
  /// The gate that is asked about.
  package var gate = Gate()
  /// Which of the ticket systems that are offered.
  package private(set) var kind = 0
  /// The address that was typed.
  package var address = ""
  /// What was answered of the ticket system besides.
  package var answers: [TicketSystemQuestion: String] = [:]
  /// The ticket system, as it was found.
  package private(set) var system: TicketSystemDiscovery.Found?

  package init() {}

  /// Which ticket system is to be set up: what was said of another one is none of its.
  mutating func choose(_ kind: Int) {
    guard kind != self.kind else { return }
    (self.kind, address, answers) = (kind, "", [:])
  }

  /// Takes what a ticket system is: what earlier gates were for is not known of another one.
  package mutating func take(_ found: TicketSystemDiscovery.Found) {
    if let system, (system.type, system.address) != (found.type, found.address) {
      for index in gates.indices { gates[index].ticket = "" }
    }
    system = found
  }

  /// Begins another gate, with a name that none has.
  package mutating func beginGate() {
    gates.append(gate)
    gate = Gate()
    gate.name = Self.free("gate", gates.map(\.name))
  }

  /// The gate that has a reader already; `nil` for none.
  func gate(of reader: FoundReader) -> String? {
    gates.first { $0.reader.map { $0.node == reader.node || $0.match == reader.match } == true }?.name
  }

  /// The reader by a name that no other one has.
  func named(_ reader: FoundReader) -> FoundReader {
    var reader = reader
    reader.name = Self.free(reader.name, gates.compactMap(\.reader?.name))
    return reader
  }

  private static func free(_ name: String, _ taken: [String]) -> String {
    guard taken.contains(name) else { return name }
    return (2...).lazy.map { "\(name)-\($0)" }.first { !taken.contains($0) } ?? name
  }

  /// The configuration.
  package var yaml: String {
    let all = gates + [gate]
    var lines = [
      "# Made by \"scangate setup\". All keys: docs/configuration.md. After a change: scangate config check --online",
      "version: 1", "", "station:", "  name: \((gates.first ?? gate).name)", "", "ticketSystems:", "  main:",
      "    type: \(system?.type ?? "none")",
      "    url: \(ReaderProposal.quoted(system?.address ?? "https://localhost"))",
    ]
    lines += (system?.settings ?? []).map { "    \($0)" } + ["", "readers:"]
    for gate in all { lines += Self.lines(of: gate.reader ?? FoundReader(line: "/dev/null"), gate.manner) }
    lines += ["", "gates:"]
    for gate in all { lines += Self.lines(of: gate) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(of reader: FoundReader, _ manner: TestCode.Manner) -> [String] {
    var lines = ["  \(reader.name):", "    type: \(reader.kind.rawValue)", "    match: { \(reader.match) }"]
    if let layout = manner.layout, reader.kind == .wedge { lines.append("    keymap: \(layout)") }
    guard reader.kind != .camera else { return lines }
    if !manner.hasTerminator { lines.append("    terminators: []") }
    if !manner.prefix.isEmpty { lines.append("    prefix: \(ReaderProposal.quoted(manner.prefix))") }
    if !manner.suffix.isEmpty { lines.append("    suffix: \(ReaderProposal.quoted(manner.suffix))") }
    return lines
  }

  private static func lines(of gate: Gate) -> [String] {
    var lines = [
      "  \(gate.name):", "    readers: [\((gate.reader ?? FoundReader(line: "/dev/null")).name)]",
      "    ticketSystem: main",
    ]
    if !gate.ticket.isEmpty { lines.append("    ticket: \(gate.ticket)") }
    if !gate.outputs.isEmpty { lines.append("    outputs:") }
    for slot in Slot.allCases {
      if let offer = gate.outputs[slot] { lines.append("      \(slot.rawValue): \(offer.target)") }
    }
    return lines
  }

  /// A configuration that has one output and nothing else that matters: to try it.
  /// - Parameter found: a ticket system, which nobody asks.
  package static func trial(of slot: Slot, _ offer: OutputOffer, _ found: TicketSystemDiscovery.Found) -> String {
    var draft = FirstRunDraft()
    draft.system = found
    draft.gate.outputs = [slot: offer]
    return draft.yaml
  }

  /// Whether `text` can be the name of a gate and of a station.
  package static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...32).contains(bytes.count), let first = bytes.first else { return false }
    func isWord(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    return isWord(first) && bytes.allSatisfy { isWord($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }
}
