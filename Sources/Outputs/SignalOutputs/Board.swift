internal import LinuxIO

/// A board that stations are made of: which lines of its header may drive a relay, and which chip has them.
package struct Board: Hashable, Sendable {
  /// A line that is proposed for a relay.
  package struct Line: Hashable, Sendable {
    /// The label of its chip.
    package var chip: String
    /// Its name.
    package var line: String

    package init(chip: String, line: String) {
      self.chip = chip
      self.line = line
    }
  }

  /// What the device tree's model begins with.
  package var model: String
  /// The label of the chip that has the lines of the header.
  package var chip: String
  /// The lines that are proposed, by number, in that order.
  package var offsets: [UInt32]

  /// Lines of a Raspberry Pi's header that the chip pulls down from power-on, so that a relay which switches at high level stays
  /// off, and that nothing else of the header wants: not I²C, SPI, the serial line, PWM or a board's EEPROM.
  private static let header: [UInt32] = [17, 27, 22, 23, 24, 25]

  /// The boards that are known. The longest model that fits counts.
  package static let known: [Self] = [
    Self(model: "Raspberry Pi Zero 2", chip: "pinctrl-bcm2835", offsets: header),
    Self(model: "Raspberry Pi 3", chip: "pinctrl-bcm2835", offsets: header),
    Self(model: "Raspberry Pi Compute Module 3", chip: "pinctrl-bcm2835", offsets: header),
    Self(model: "Raspberry Pi 4", chip: "pinctrl-bcm2711", offsets: header),
    Self(model: "Raspberry Pi Compute Module 4", chip: "pinctrl-bcm2711", offsets: header),
    Self(model: "Raspberry Pi 5", chip: "pinctrl-rp1", offsets: header),
    Self(model: "Raspberry Pi Compute Module 5", chip: "pinctrl-rp1", offsets: header),
  ]

  /// Where the kernel tells the model; no such file where there is no device tree, as on a PC.
  package static let modelFile = "/proc/device-tree/model"

  /// The machine's model, such as `Raspberry Pi 4 Model B Rev 1.4`; `nil` where none is told.
  package static func model(in file: String = modelFile) -> String? {
    guard let text = try? SystemFiles.text(of: file) else { return nil }
    // A device tree's texts end with a zero byte.
    let model = text.prefix { $0 != "\0" && !$0.isNewline }
    return model.isEmpty ? nil : String(model)
  }

  /// The board of that model; `nil` where none is known. A model goes on behind what is known of it by a word of its own or a
  /// revision: "Raspberry Pi 400" is a 4 in another case, "Raspberry Pi 3000" would be none.
  package static func named(_ model: String) -> Self? {
    let name = model == "Raspberry Pi 400" || model.hasPrefix("Raspberry Pi 400 ") ? "Raspberry Pi 4" : model
    return known.filter { board in
      name.hasPrefix(board.model) && name.dropFirst(board.model.count).first?.isNumber != true
    }.max { $0.model.count < $1.model.count }
  }

  /// The lines to propose for relays: those of the board that are there, have a name, and are used by nobody.
  package func freeLines(of chips: [OutputInventory.Chip]) -> [Line] {
    guard let header = chips.first(where: { $0.label == chip }) else { return [] }
    return offsets.compactMap { offset in
      guard let line = header.lines.first(where: { $0.offset == offset }), !line.isUsed, !line.name.isEmpty
      else { return nil }
      return Line(chip: chip, line: line.name)
    }
  }
}
