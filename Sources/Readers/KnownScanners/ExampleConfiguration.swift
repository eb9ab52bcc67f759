/// A whole configuration for what is plugged in: a start for a machine that has none. It checks as it is; the server, the
/// key file and the outputs are the technician's.
package struct ExampleConfiguration: Sendable {
  /// A line that could drive a relay: the chip's label, and the line's name or number.
  package struct Line: Hashable, Sendable {
    /// The label of its chip.
    package var chip: String
    /// Its name, or its number where it has none.
    package var line: String

    package init(chip: String, line: String) {
      self.chip = chip
      self.line = line
    }
  }

  /// The readers.
  package var readers: [ReaderProposal]
  /// The section of the ticket system, a line each.
  package var ticketSystem: [String]
  /// Lines that nobody uses, in the order in which they are proposed.
  package var lines: [Line]
  /// LEDs that no trigger drives.
  package var leds: [String]

  package init(readers: [ReaderProposal], ticketSystem: [String], lines: [Line] = [], leds: [String] = []) {
    self.readers = readers
    self.ticketSystem = ticketSystem
    self.lines = lines
    self.leds = leds
  }

  /// The file. Without a reader it has one that no device fits, and says so.
  package var yaml: String {
    var text = """
      # Made by "scangate devices --example" from what is plugged in here. To do: the server's address, its API key, and the
      # outputs at each gate. Then: scangate config check FILE. All keys: docs/configuration.md.
      version: 1

      station:
        name: \(readers.count == 1 ? "gate" : "gates")

      ticketSystems:
        main:
      \(ticketSystem.map { "    \($0)\n" }.joined())

      """
    if readers.isEmpty {
      text += """
        # No scanner was found: plug one in and ask again, or see "scangate devices" for those that must be programmed first.
        # Until then a reader stands here that no device fits.
        readers:
          scanner:
            type: wedge
            match: { name: "no scanner yet" }  # what "scangate devices" says of yours

        gates:
          gate:
            readers: [scanner]
            ticketSystem: main

        """ + Self.outputs(relay: lines.first, green: leds.first, red: leds.dropFirst().first)
      return text
    }
    text += "readers:\n"
    for reader in readers {
      text += "  # \(Self.comment(reader.candidate.title)), \(reader.candidate.node)\n"
      if reader.isShared {
        text +=
          "  # This id is shared by keyboards and other gadgets: when \"scangate devices identify\" has named this one,\n"
        text += "  # uncomment it here and under gates.\n"
      }
      text += reader.isShared ? Self.commented(reader.yaml) : reader.yaml
    }
    text += "\ngates:\n"
    var (free, lamps) = (lines[...], leds[...])
    for (index, reader) in readers.enumerated() {
      var gate = "  \(Self.gate(index, of: readers.count)):\n"
      gate += "    readers: [\(reader.reader)]\n"
      gate += "    ticketSystem: main\n"
      text += reader.isShared ? Self.commented(gate) : gate
      text += Self.outputs(relay: free.popFirst(), green: lamps.popFirst(), red: lamps.popFirst())
    }
    return text
  }

  /// As comments: a relay that is wired elsewhere must not move because somebody pasted a file.
  private static func outputs(relay: Line?, green: String?, red: String?) -> String {
    var text = "    # outputs:  # uncomment what is wired; \"scangate signal test\" tries it\n"
    if let relay {
      let chip = ReaderProposal.quoted(relay.chip)
      text += "    #   relay: { gpio: { chip: \(chip), line: \(ReaderProposal.quoted(relay.line)) } }\n"
    } else {
      text += "    #   relay: { gpio: { chip: LABEL, line: NAME } }  # no free GPIO line was found here\n"
    }
    for case (let name, let led?) in [("green", green), ("red", red)] {
      text += "    #   \(name): { led: \(ReaderProposal.quoted(led)) }\n"
    }
    return text
  }

  /// Each line of a block as a comment. A shared id is never made a reader by pasting a file: it may be the keyboard's.
  private static func commented(_ block: String) -> String {
    block.split(separator: "\n").map { "  # " + $0.dropFirst(2) + "\n" }.joined()
  }

  private static func gate(_ index: Int, of count: Int) -> String { count == 1 ? "gate" : "gate-\(index + 1)" }

  /// Text in a comment: whatever a device calls itself, the line does not end.
  private static func comment(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }))
  }
}
