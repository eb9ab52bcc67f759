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

  /// Makes a channel's configuration.
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

  /// Makes a sound device's configuration.
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
