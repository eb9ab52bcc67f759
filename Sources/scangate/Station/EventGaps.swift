/// How many events were lost, by their numbers: wherever on the way to us that was.
struct EventGaps: Sendable {
  private var last: UInt64?

  /// Takes the next event's number.
  /// - Returns: how many are missing before it. What was before the first one was not to be told, and where numbers begin anew nobody
  ///   can tell.
  mutating func lost(before number: UInt64) -> UInt64 {
    defer { last = number }
    guard let last, number > last else { return 0 }
    return number - last - 1
  }
}
