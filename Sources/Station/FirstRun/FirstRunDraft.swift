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

  /// The reader.
  package var reader: FoundReader?
  /// How it is to be configured.
  package var manner = TestCode.Manner()
  /// The outputs.
  package var outputs: [Slot: OutputOffer] = [:]
  /// The ticket system, as it was found.
  package var system: TicketSystemDiscovery.Found?
  /// The gate's section `ticket`.
  package var ticket = ""
  /// The gate's name.
  package var gate = "gate"
  /// The name of the credential that holds the key.
  package var credential = "main"

  package init() {}

  /// The configuration.
  package var yaml: String {
    var lines = [
      "# Made by \"scangate setup\". All keys: docs/configuration.md. After a change: scangate config check --online",
      "version: 1", "", "station:", "  name: \(gate)", "", "ticketSystems:", "  main:",
      "    type: \(system?.type ?? "none")",
      "    url: \(ReaderProposal.quoted(system?.address ?? "https://localhost"))", "    apiKey: \(credential)", "",
    ]
    let reader = reader ?? FoundReader(line: "/dev/null")
    lines += ["readers:", "  \(reader.name):", "    type: \(reader.kind.rawValue)", "    match: { \(reader.match) }"]
    if let layout = manner.layout, reader.kind == .wedge { lines.append("    keymap: \(layout)") }
    if reader.kind != .camera {
      if !manner.hasTerminator { lines.append("    terminators: []") }
      if !manner.prefix.isEmpty { lines.append("    prefix: \(ReaderProposal.quoted(manner.prefix))") }
      if !manner.suffix.isEmpty { lines.append("    suffix: \(ReaderProposal.quoted(manner.suffix))") }
    }
    lines += ["", "gates:", "  \(gate):", "    readers: [\(reader.name)]", "    ticketSystem: main"]
    if !ticket.isEmpty { lines.append("    ticket: \(ticket)") }
    if !outputs.isEmpty { lines.append("    outputs:") }
    for slot in Slot.allCases {
      if let offer = outputs[slot] { lines.append("      \(slot.rawValue): \(offer.target)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A configuration that has one output and nothing else that matters: to try it.
  /// - Parameter type: a type of ticket system, which nobody asks.
  package static func trial(of slot: Slot, _ offer: OutputOffer, type: String) -> String {
    var draft = FirstRunDraft()
    draft.system = .init(type: type, address: "https://localhost", words: [], choices: [])
    draft.outputs = [slot: offer]
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
