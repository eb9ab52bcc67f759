/// Something at a station that is not as it should be.
struct StationRemark: Equatable, Sendable {
  /// How much it matters. The raw values are what `scangate status` ends with.
  enum Weight: Int32, Comparable, Sendable {
    /// Somebody should look. Gates go on.
    case warning = 1
    /// A gate cannot admit.
    case cannotAdmit = 2

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// How much it matters.
  var weight: Weight
  /// What it is about, such as `gate north`.
  var place: String
  /// What happened.
  var words: String
  /// The command that cures it, or shows more; `nil` where the words say what to do.
  var cure: String?
}
