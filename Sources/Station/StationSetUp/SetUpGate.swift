package import ScanModel

/// A gate, as far as who sets the station up leads it.
package protocol SetUpGate: AnyObject, Sendable {
  /// Keeps the gate out of service; `nil` lets it work. From any thread, returns at once.
  func setWithholding(_ withholding: GateWithholding?)

  /// Shows a step of setting the station up, where no scan is being decided. From any thread, returns at once.
  func show(_ step: SetUpSignal)
}
