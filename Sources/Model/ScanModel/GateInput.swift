/// The name of one of a gate's inputs, as the configuration gives it, such as `lockout`.
package struct InputName: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name.
  package let name: String
  /// Makes the name of the input called `name`.
  package init(_ name: String) { self.name = name }
  package init(stringLiteral value: String) { name = value }
  package static func < (a: Self, b: Self) -> Bool { a.name < b.name }
  package var description: String { name }
}

/// What an input is for. The raw values are the words in configuration and events.
package enum InputUse: String, Hashable, Sendable, CaseIterable {
  /// Its changes are reported, nothing more.
  case log
  /// A button: each press begins maintenance, or ends it.
  case maintenanceButton
  /// A switch: maintenance as long as it is active.
  case maintenanceSwitch
  /// A sensor that somebody sets off who passes; see `PassageSensor`.
  case passage
  /// A button: held for 3 s, it lets the station take set-up codes; see `HeldButton`.
  case setUpButton
}

/// One input of a gate as the configuration gives it: a button, a switch or a sensor on a GPIO line.
package struct InputConfiguration: Hashable, Sendable {
  /// The longest debounce that can be configured; the shortest is none.
  package static let longestDebounce: Duration = .seconds(1)

  /// Its name.
  package var name: InputName
  /// The line; its drive means nothing, for an input drives nothing.
  package var line: GPIOLineConfiguration
  /// How long a level must last before it counts; zero for a sensor that does not bounce.
  package var debounce: Duration
  /// What it is for.
  package var use: InputUse

  package init(
    name: InputName, line: GPIOLineConfiguration, debounce: Duration = .milliseconds(30), use: InputUse = .log
  ) {
    self.name = name
    self.line = line
    self.debounce = debounce
    self.use = use
  }

  /// What is wrong with it, in words; `nil` when nothing is. Tells nothing of whether the device is there.
  package var problem: String? {
    if let problem = line.problem { return problem }
    guard (.zero...Self.longestDebounce).contains(debounce) else {
      return "a debounce of \(debounce) is out of range: it lasts from 0 to 1 s"
    }
    return nil
  }
}
