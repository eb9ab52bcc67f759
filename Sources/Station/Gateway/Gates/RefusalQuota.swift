internal import ScanModel

/// Which orders are written down of users who may not give them: ten a minute of each, and the rest is counted. Pure.
///
/// Whoever got at a listener could else push everything out of journal and events by orders that nobody obeys.
struct RefusalQuota: Sendable {
  private struct Window {
    var began: MonotonicTime
    var taken = 0
    /// How many were only counted since one was written down.
    var left: UInt64 = 0
  }

  static let most = 10
  private static let minute = Duration.seconds(60)
  /// More users than can be told apart are one.
  private static let mostUsers = 256

  private var windows: [UInt32: Window] = [:]

  /// Takes one.
  /// - Returns: how many of the user were only counted before; `nil` where this one is, too.
  mutating func take(_ user: UInt32, at now: MonotonicTime) -> UInt64? {
    if windows[user] == nil, windows.count >= Self.mostUsers {
      windows = windows.filter { now - $0.value.began < Self.minute }
    }
    let user = windows[user] == nil && windows.count >= Self.mostUsers ? .max : user
    var window = windows[user] ?? Window(began: now)
    defer { windows[user] = window }
    if now - window.began >= Self.minute { (window.began, window.taken) = (now, 0) }
    guard window.taken < Self.most else {
      window.left &+= 1
      return nil
    }
    window.taken += 1
    defer { window.left = 0 }
    return window.left
  }
}
