internal import LinuxIO
internal import ScanModel

/// What staff ask of a running service while a station is set up: a file in the state folder, as with the outbox. It counts
/// until the machine's next start: staff are gone then.
package struct SetUpOrders: Sendable {
  /// For how many minutes set-up codes can be taken by order.
  package static let minutes = 1...60

  private let state: String
  private let boot: String

  /// Names the state folder; touches nothing in it.
  package init(state: String) { self.init(state: state, boot: BootID.current().description) }

  init(state: String, boot: String) {
    self.state = state
    self.boot = boot
  }

  /// Asks that set-up codes are taken for so many minutes, within `Self.minutes`, as far as the station lacks something.
  /// - Throws: why that cannot be noted.
  package func arm(minutes: Int) throws(SealFault) {
    guard let folder = try PrivateFolder.open(state) else {
      throw SealFault(.system, "There is no state folder \(state). The service makes it at its first start.")
    }
    let minutes = min(max(minutes, Self.minutes.lowerBound), Self.minutes.upperBound)
    try folder.replace(StateFile.setUpArm, with: [UInt8]("\(minutes) \(boot)\n".utf8))
  }

  /// Whether that is asked for, and no service has taken it yet. One look, no file is read.
  package func isArmAsked() throws(SealFault) -> Bool {
    guard let folder = try PrivateFolder.open(state) else { return false }
    return try folder.has(StateFile.setUpArm)
  }

  /// Takes the order, for whoever obeys it now.
  /// - Returns: for how many minutes; `nil` where nothing is asked for.
  /// - Throws: why it cannot be taken: then it would be asked for again.
  package func takeArm() throws(SealFault) -> Int? {
    guard let folder = try PrivateFolder.open(state), let file = try folder.read(StateFile.setUpArm, upTo: 128) else {
      return nil
    }
    try folder.remove(StateFile.setUpArm, overwriting: false)
    let parts = String(decoding: file.bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard parts.count == 2, let minutes = Int(parts[0]), Self.minutes.contains(minutes), parts[1] == boot else {
      return nil
    }
    return minutes
  }

  /// Takes the order back, where no service has taken it.
  /// - Returns: whether there was one.
  @discardableResult package func disarm() throws(SealFault) -> Bool {
    guard let folder = try PrivateFolder.open(state) else { return false }
    return try folder.remove(StateFile.setUpArm, overwriting: false)
  }
}
