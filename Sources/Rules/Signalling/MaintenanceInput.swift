package import ScanModel

/// Whether a gate is under maintenance, by its buttons and switches. Pure.
///
/// A button begins maintenance, or ends it, each time it is pressed; held down when it is first seen, it was not pressed.
/// A switch means maintenance as long as it is active. Several count together: maintenance lasts as long as one of them
/// wants it. One that cannot be read is taken as it was last seen.
package struct MaintenanceInput: Sendable {
  private let uses: [InputName: InputUse]
  /// The levels that are known; a button's is forgotten when it is lost.
  private var levels: [InputName: Bool] = [:]
  private var isOnByButton = false

  /// Makes the state of a gate with these inputs: no maintenance.
  package init(_ uses: [InputName: InputUse]) { self.uses = uses }

  /// Whether the gate is under maintenance.
  package var isMaintenance: Bool {
    isOnByButton || uses.contains { $0.value == .maintenanceSwitch && levels[$0.key] == true }
  }

  /// The level of an input was told, changed or not.
  /// - Returns: whether the gate is under maintenance from now on; `nil` where nothing changed.
  package mutating func level(of input: InputName, isActive: Bool) -> Bool? {
    let before = isMaintenance
    let earlier = levels.updateValue(isActive, forKey: input)
    if uses[input] == .maintenanceButton, isActive, earlier == false { isOnByButton.toggle() }
    return isMaintenance == before ? nil : isMaintenance
  }

  /// The input failed: its next level is the first one again, so that a button is not taken for pressed.
  package mutating func lost(_ input: InputName) { if uses[input] == .maintenanceButton { levels[input] = nil } }
}
