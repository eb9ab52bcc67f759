package import ScanModel

/// The seam below a gate's outputs: devices, a terminal, or a test's record of what was switched.
///
/// Called from the thread of the outputs' loop alone, one call at a time.
package protocol OutputDriver: Sendable {
  /// Switches `output`, and opens its device first where that is needed; when it returns, the device has been told.
  /// - Throws: what happened, to which device, and what to do; and by `mayHaveHappened`, whether the device may have been
  ///   told all the same: that it was not must be certain. The caller calls again later, and the driver then tries to
  ///   open the device anew.
  func set(_ output: OutputName, on: Bool) throws(DeviceError)

  /// Lets go of every device: relays and lamps as they are, buzzers silent, and what was changed on a device that others
  /// had set up is given back. The next `set` opens again.
  func close()
}
