package import ScanModel

/// When something that failed is tried again: exponential back-off with full jitter between half and the whole of each
/// step, so that stations that lost the same server do not come back in step. Pure: time and chance are arguments.
package struct RetryPolicy: Sendable {
  /// The longest wait before the first retry.
  package var first: Duration
  /// The longest wait before any retry.
  package var longest: Duration
  /// How often is tried in all, the first time included.
  package var mostTries: Int

  /// Makes a policy; `mostTries` below 1 counts as 1.
  package init(first: Duration, longest: Duration, mostTries: Int) {
    self.first = max(first, .zero)
    self.longest = max(longest, .zero)
    self.mostTries = max(mostTries, 1)
  }

  /// For connections that could not be made: nothing was sent, and a person waits.
  package static let connect = RetryPolicy(first: .milliseconds(80), longest: .milliseconds(640), mostTries: 16)
  /// For what its caller tries again at times of its own.
  package static let once = RetryPolicy(first: .zero, longest: .zero, mostTries: 1)
  /// For calls that do not redeem: the document's advice.
  package static let harmlessCall = RetryPolicy(first: .seconds(1), longest: .seconds(60), mostTries: 6)
  /// For a page of a whole list, for which nobody waits: the server's rate window passes in between.
  package static let wholeList = RetryPolicy(first: .seconds(2), longest: .seconds(70), mostTries: 12)

  /// The wait before the next try.
  /// - Parameters:
  ///   - tries: how often was tried already; at least 1.
  ///   - now: the time of the failure.
  ///   - deadline: when the answer must be there; a retry that would begin later is not made.
  ///   - random: the source of chance.
  /// - Returns: the wait; `nil` when there is to be no further try.
  package func wait(
    afterTries tries: Int, at now: MonotonicTime, deadline: MonotonicTime,
    using random: inout some RandomNumberGenerator
  ) -> Duration? {
    guard tries < mostTries else { return nil }
    let doublings = min(max(tries - 1, 0), 30)
    let step = min(first.saturatedNanoseconds.multipliedSaturated(by: 1 << doublings), longest.saturatedNanoseconds)
    let wait = Duration.nanoseconds(Int64.random(in: step / 2...max(step, step / 2), using: &random))
    return now + wait < deadline ? wait : nil
  }

  /// Whether a call that does not redeem is worth repeating after this status: 429 and 5xx, and never 400, 401, 403 or
  /// any other answer. A call that redeems is never repeated once it was sent.
  package static func mayRepeatHarmlessCall(status: Int) -> Bool { status == 429 || (500...599).contains(status) }
}

extension Int64 {
  fileprivate func multipliedSaturated(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }
}
