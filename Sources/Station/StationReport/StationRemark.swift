package import ScanModel

/// Something at a station that is not as it should be.
package struct StationRemark: Equatable, Sendable {
  /// How much it matters. The raw values are what `scangate status` ends with.
  package enum Weight: Int32, Comparable, Sendable {
    /// Somebody should look. Gates go on.
    case warning = 1
    /// A gate cannot admit.
    case cannotAdmit = 2

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// How much it matters.
  package var weight: Weight
  /// What it is about, such as `gate north`.
  package var place: String
  /// What happened.
  package var words: String
  /// The command that cures it, or shows more; `nil` where the words say what to do.
  package var cure: String?

  /// The gate that it is about; `nil` where it is about something else.
  package var gate: GateID?

  package init(weight: Weight, place: String, words: String, cure: String? = nil, gate: GateID? = nil) {
    self.gate = gate
    self.weight = weight
    self.place = place
    self.words = words
    self.cure = cure
  }
}
