extension Duration {
  /// In the unit that fits an age, such as `90 min`, `36 h` or `3 days`; of something from the future `0 min`.
  package var asAge: String {
    // Two readings of a clock make a whole number of minutes a little less.
    let minutes = max(0, (milliseconds + 1_000) / 60_000)
    switch minutes {
    case 0..<120: return "\(minutes) min"
    case 120..<2_880: return "\(minutes / 60) h"
    default: return "\(minutes / 1_440) days"
    }
  }
}
