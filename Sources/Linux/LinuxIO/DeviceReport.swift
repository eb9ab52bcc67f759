package import ScanModel

/// What `scangate devices` tells of a device that a reader could take.
package struct DeviceReport: Sendable, Equatable {
  /// What becomes of the device. The raw values are the names in JSON.
  package enum Outcome: String, Sendable, CaseIterable {
    /// A reader takes it.
    case taken
    /// No reader of the configuration matches it.
    case notMatched
    /// A reader matches it, but this node types nothing.
    case notKeyboard
    /// A reader matches it, but this user may not open it.
    case noPermission
    /// A reader matches it, but another program (a running service perhaps) holds it.
    case grabbed
    /// A reader matches another device as well, or another reader matches this one.
    case ambiguous
    /// It could not be opened for another reason.
    case unusable
  }

  /// The device.
  package var device: DeviceIdentity
  /// The reader that matches it; `nil` where none does or several do.
  package var reader: ReaderID?
  /// What becomes of it.
  package var outcome: Outcome
  /// The same in a sentence, with what to do where something is wrong.
  package var words: String

  package init(device: DeviceIdentity, reader: ReaderID?, outcome: Outcome, words: String) {
    self.device = device
    self.reader = reader
    self.outcome = outcome
    self.words = words
  }
}
