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
  /// A button: held for 3 s, it lets the station take set-up codes; see `HeldButton`.
  case setUpButton
}
