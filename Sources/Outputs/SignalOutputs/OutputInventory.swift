import LinuxIO

/// What this machine offers as outputs; inputs are lines of the same GPIO chips.
package struct OutputInventory: Hashable, Sendable {
  /// A GPIO chip.
  package struct Chip: Hashable, Sendable {
    /// Its device node; it can be another one after the next boot.
    package var node: String
    /// Its label, which the configuration names.
    package var label: String
    /// Its lines, by offset.
    package var lines: [GPIOLineDescription]
  }

  /// An LED.
  package struct LED: Hashable, Sendable {
    /// Its name, which the configuration names.
    package var name: String
    /// The trigger that drives it; `nil` when none does.
    package var trigger: String?
  }

  /// A PWM chip, for passive buzzers.
  package struct PWMChip: Hashable, Sendable {
    /// The name of its device, which the configuration names.
    package var name: String
    /// How many channels it has.
    package var channelCount: UInt32
  }

  /// An input device that makes tones.
  package struct Sound: Hashable, Sendable {
    /// Its name, which the configuration names, such as `PC Speaker`.
    package var name: String
    /// Its device node; it can be another one after the next boot.
    package var node: String
  }

  /// The chips that can be opened, by node.
  package var chips: [Chip]
  /// The LEDs, by name.
  package var leds: [LED]
  /// The PWM chips, in the kernel's order.
  package var pwmChips: [PWMChip] = []
  /// The sound devices, by node.
  package var sounds: [Sound] = []
  /// What could not be looked into: which node, why, and what to do.
  package var problems: [String]
}

/// A line of a GPIO chip.
package struct GPIOLineDescription: Hashable, Sendable {
  /// Its number on the chip, from 0.
  package var offset: UInt32
  /// Its name; empty where it has none.
  package var name: String
  /// Whether somebody holds it, so that it cannot be requested.
  package var isUsed: Bool
  /// Who holds it, as they call themselves; may be empty.
  package var consumer: String
}

/// Lists what this machine offers as outputs. Opens GPIO chips for it, and changes nothing.
package func listOutputs() -> OutputInventory {
  listOutputs(
    devices: "/dev", leds: LEDOutput.directory, pwm: PWMOutput.directory, inputs: SoundOutput.directory)
}

func listOutputs(devices: String, leds: String, pwm: String, inputs: String) -> OutputInventory {
  let (chips, failures) = GPIOChip.all(in: devices)
  var inventory = OutputInventory(chips: [], leds: [], problems: [])
  for failure in failures {
    inventory.problems.append(
      "\(failure.node): \(failure.error.words). Allow this user to open it, for example by its group.")
  }
  for chip in chips {
    do throws(SystemError) {
      inventory.chips.append(.init(node: chip.node, label: chip.label, lines: try chip.lines()))
    } catch {
      inventory.problems.append("\(chip.node): \(error.words). Its lines cannot be listed.")
    }
  }
  for name in (try? SystemFiles.names(in: leds)) ?? [] {
    let active = (try? SystemFiles.text(of: "\(leds)/\(name)/trigger")).flatMap { LEDOutput.activeTrigger($0) }
    inventory.leds.append(.init(name: name, trigger: active.flatMap { $0 == "none" ? nil : String($0) }))
  }
  inventory.pwmChips = PWMChip.all(in: pwm).map { .init(name: $0.name, channelCount: $0.channelCount) }
  inventory.sounds = OutputInventory.Sound.all(in: inputs)
  return inventory
}
