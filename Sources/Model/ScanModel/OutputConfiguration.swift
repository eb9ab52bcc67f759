/// One output of a gate as the configuration gives it: its name, what it is for, and what it drives.
package struct OutputConfiguration: Hashable, Sendable {
  /// Its name; the standard patterns know `green`, `red`, `amber` and `yellow`.
  package var name: OutputName
  /// What it is for.
  package var kind: OutputKind
  /// What it drives.
  package var target: OutputTarget

  package init(name: OutputName, kind: OutputKind, target: OutputTarget) {
    self.name = name
    self.kind = kind
    self.target = target
  }

  /// What is wrong with it, in words; `nil` when nothing is. Tells nothing of whether the device is there.
  package var problem: String? {
    switch (kind, target) {
    case (.relay, .led): "the relay cannot be an LED"
    case (.relay, .pwm), (.lamp, .pwm): "only a buzzer can be a PWM channel"
    case (.relay, .sound), (.lamp, .sound): "only a buzzer can be a sound device"
    default: target.problem
    }
  }
}

/// What an output drives.
package enum OutputTarget: Hashable, Sendable, CustomStringConvertible {
  /// A line of a GPIO chip.
  case gpio(GPIOLineConfiguration)
  /// An LED of the kernel's LED class: its name in `/sys/class/leds`, such as `ACT` or `tower:red:status`.
  case led(String)
  /// A channel of a PWM chip, for a passive buzzer.
  case pwm(PWMConfiguration)
  /// An input device that makes tones, for a buzzer.
  case sound(SoundConfiguration)

  /// What is wrong with it, in words; `nil` when nothing is. Tells nothing of whether the device is there.
  package var problem: String? {
    switch self {
    case .gpio(let line): line.problem
    case .led(let name): Self.problem(ofLED: name)
    case .pwm(let channel): channel.problem
    case .sound(let device): device.problem
    }
  }

  private static func problem(ofLED name: String) -> String? {
    if name.isEmpty { return "the LED's name is empty" }
    if name == "." || name == ".." || name.contains("/") || name.utf8.contains(0) {
      return "\"\(name.filter { $0 != "\0" })\" is a path, not the name of an LED in /sys/class/leds"
    }
    return nil
  }

  package var description: String {
    switch self {
    case .gpio(let line): line.description
    case .led(let name): "LED \(name)"
    case .pwm(let channel): channel.description
    case .sound(let device): device.description
    }
  }
}

/// A GPIO line and how it is driven.
package struct GPIOLineConfiguration: Hashable, Sendable, CustomStringConvertible {
  /// How a line is found on its chip.
  package enum Selector: Hashable, Sendable, CustomStringConvertible {
    /// By the name that device tree, ACPI or driver gave it, such as `GPIO17`; it must be unique on the chip.
    case name(String)
    /// By its number on the chip, from 0.
    case offset(UInt32)

    package var description: String {
      switch self {
      case .name(let name): "line \(name)"
      case .offset(let offset): "line \(offset)"
      }
    }
  }

  /// The resistor that holds the line when nothing drives it. Not every chip has one.
  package enum Bias: String, Hashable, Sendable, CaseIterable {
    /// As the board or an earlier program set it.
    case asIs = "as-is"
    /// Towards the supply.
    case pullUp = "pull-up"
    /// Towards ground.
    case pullDown = "pull-down"
    /// None.
    case disabled
  }

  /// How the line's two levels are made.
  package enum Drive: String, Hashable, Sendable, CaseIterable {
    /// Driven high and driven low.
    case pushPull = "push-pull"
    /// Driven low, else let go.
    case openDrain = "open-drain"
    /// Driven high, else let go.
    case openSource = "open-source"
  }

  /// The chip's label, such as `pinctrl-bcm2711`; it stays the same from boot to boot, `gpiochip0` does not.
  package var chip: String
  /// The line on the chip.
  package var line: Selector
  /// Whether the output is on when the line is low, as with most relay boards.
  package var isActiveLow: Bool
  /// The resistor.
  package var bias: Bias
  /// The driver.
  package var drive: Drive

  package init(
    chip: String, line: Selector, isActiveLow: Bool = false, bias: Bias = .asIs, drive: Drive = .pushPull
  ) {
    self.chip = chip
    self.line = line
    self.isActiveLow = isActiveLow
    self.bias = bias
    self.drive = drive
  }

  package var description: String { "GPIO chip \(chip), \(line)" }

  /// What is wrong with it, in words; `nil` when nothing is.
  package var problem: String? {
    if chip.isEmpty { return "the chip's label is empty" }
    if let number = Self.chipNumber(chip) {
      return "\"\(chip)\" is no label: chip \(number) can be another one after the next boot; "
        + "take the label that `scangate devices` shows for it"
    }
    // GPIO_MAX_NAME_SIZE is 32, the last byte a NUL.
    if chip.utf8.count > 31 { return "the chip's label is longer than the 31 bytes that a label can have" }
    if case .name(let name) = line {
      if name.isEmpty { return "the line's name is empty" }
      if name.utf8.count > 31 { return "the line's name is longer than the 31 bytes that a name can have" }
    }
    return nil
  }

  /// The number in `gpiochip4`, `/dev/gpiochip4` or a bare `4`, which only say in which order drivers were loaded.
  private static func chipNumber(_ text: String) -> Substring? {
    var rest = Substring(text)
    for prefix in ["/dev/", "gpiochip"] where rest.hasPrefix(prefix) { rest = rest.dropFirst(prefix.count) }
    return !rest.isEmpty && rest.allSatisfy { ("0"..."9").contains($0) } ? rest : nil
  }
}

/// The tones that a buzzer can be configured for, in hertz: what people hear.
package let buzzerFrequencies: ClosedRange<UInt32> = 20...20_000

/// A channel of a PWM chip that a passive buzzer hangs on, and the tone.
package struct PWMConfiguration: Hashable, Sendable, CustomStringConvertible {
  /// The name of the chip's device, such as `fe20c000.pwm`; it stays from boot to boot, `pwmchip0` does not.
  package var chip: String
  /// The channel on the chip, from 0.
  package var channel: UInt32
  /// The tone in hertz.
  package var frequency: UInt32

  package init(chip: String, channel: UInt32, frequency: UInt32) {
    self.chip = chip
    self.channel = channel
    self.frequency = frequency
  }

  package var description: String { "PWM chip \(chip), channel \(channel)" }

  /// What is wrong with it, in words; `nil` when nothing is.
  package var problem: String? {
    if chip.isEmpty { return "the PWM chip's name is empty" }
    if chip == "." || chip == ".." || chip.contains("/") || chip.utf8.contains(0) {
      return "\"\(chip.filter { $0 != "\0" })\" is a path, not the name of a PWM chip's device"
    }
    // NAME_MAX: it is a directory's name.
    if chip.utf8.count > 255 { return "the PWM chip's name is longer than the 255 bytes that a name can have" }
    let number = chip.hasPrefix("pwmchip") ? chip.dropFirst(7) : chip[...]
    if number.allSatisfy({ ("0"..."9").contains($0) }) {
      return
        "\"\(chip)\" can be another PWM chip after the next boot; take the name that `scangate devices` shows for it"
    }
    return frequencyProblem(frequency)
  }
}

/// An input device that makes tones (EV_SND), such as the speaker of a PC, and the tone.
package struct SoundConfiguration: Hashable, Sendable, CustomStringConvertible {
  /// The kernel's name for the device, such as `PC Speaker`.
  package var device: String
  /// The tone in hertz.
  package var frequency: UInt32

  package init(device: String, frequency: UInt32) {
    self.device = device
    self.frequency = frequency
  }

  package var description: String { "sound device \(device)" }

  /// What is wrong with it, in words; `nil` when nothing is.
  package var problem: String? {
    if device.isEmpty { return "the sound device's name is empty" }
    if device.hasPrefix("/dev/") || device.utf8.contains(0) {
      return "\"\(device.filter { $0 != "\0" })\" is no name: take the one that `scangate devices` shows for the device"
    }
    if device.utf8.count > 255 { return "the sound device's name is longer than 255 bytes" }
    return frequencyProblem(frequency)
  }
}

private func frequencyProblem(_ frequency: UInt32) -> String? {
  buzzerFrequencies.contains(frequency)
    ? nil
    : "a tone of \(frequency) Hz cannot be heard: write \(buzzerFrequencies.lowerBound) Hz to "
      + "\(buzzerFrequencies.upperBound) Hz"
}
