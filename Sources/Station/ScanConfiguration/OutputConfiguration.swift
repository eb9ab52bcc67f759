/// An output of a gate.
package struct OutputConfiguration: Sendable, Equatable {
  /// What an output is for, by its name.
  package enum Role: Sendable, Equatable {
    /// `relay`: opens the gate for `pulse`, then rests for `gap` at least; `fail` says what it is when not commanded.
    case relay(pulse: Duration, gap: Duration, fail: Fail)
    /// `buzzer`, `buzzer2`, …
    case buzzer
    /// Every other name.
    case lamp
  }

  /// What the gate is while nobody commands the relay.
  package enum Fail: String, Sendable, CaseIterable {
    /// Locked: the relay is off.
    case secure
    /// Released: the relay is on.
    case safe
  }

  /// What is driven.
  package enum Target: Sendable, Hashable {
    /// A line of a GPIO chip.
    case gpio(GPIOLine)
    /// An LED of the kernel, by its name in `/sys/class/leds`.
    case led(String)
    /// A channel of a PWM chip; buzzers only.
    case pwm(PWMChannel)
    /// An input device that makes tones; buzzers only.
    case sound(SoundDevice)
  }

  /// The name.
  package var name: String
  /// What it is for.
  package var role: Role
  /// What is driven.
  package var target: Target
}

/// A channel of a PWM chip, and the tone on it.
package struct PWMChannel: Sendable, Hashable {
  /// The name of the chip's device; its number changes between boots.
  package var chip: String
  /// The channel on the chip, from 0 to 255.
  package var channel: Int
  /// The tone in hertz, from 20 to 20,000.
  package var frequency: Int
}

/// An input device that makes tones, and the tone.
package struct SoundDevice: Sendable, Hashable {
  /// The kernel's name for it.
  package var name: String
  /// The tone in hertz, from 20 to 20,000.
  package var frequency: Int
}

/// An input of a gate: a button, a switch or a sensor.
package struct InputConfiguration: Sendable, Equatable {
  /// What an input does.
  package enum Use: String, Sendable, CaseIterable {
    /// Its changes are reported.
    case log
    /// Each press begins maintenance, or ends it.
    case maintenanceButton
    /// Maintenance as long as it is active.
    case maintenanceSwitch
    /// Held for 3 s, it lets the station take set-up codes.
    case setUpButton
  }

  /// The name.
  package var name: String
  /// The line; its drive means nothing.
  package var line: GPIOLine
  /// How long a level must last before it counts; zero for not at all.
  package var debounce: Duration
  /// What it does.
  package var use: Use
}

/// A GPIO line and how it is requested.
package struct GPIOLine: Sendable, Hashable {
  /// Which line of the chip.
  package enum Line: Sendable, Hashable {
    /// By the name that the kernel knows.
    case name(String)
    /// By its number on the chip, from 0.
    case offset(Int)
  }

  /// The bias of a line.
  package enum Bias: String, Sendable, CaseIterable {
    /// Left as it is.
    case asIs = "as-is"
    /// Pulled up.
    case pullUp = "pull-up"
    /// Pulled down.
    case pullDown = "pull-down"
    /// Without bias.
    case disabled
  }

  /// How a line is driven.
  package enum Drive: String, Sendable, CaseIterable {
    /// Driven both ways.
    case pushPull = "push-pull"
    /// Only pulled low.
    case openDrain = "open-drain"
    /// Only pulled high.
    case openSource = "open-source"
  }

  /// The chip's label; its number changes between boots.
  package var chip: String
  /// The line.
  package var line: Line
  /// Whether the output is on, or the input active, when the line is low.
  package var activeLow: Bool
  /// The bias.
  package var bias: Bias
  /// The drive.
  package var drive: Drive
}
