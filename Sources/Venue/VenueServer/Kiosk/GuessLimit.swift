/// Limits wrong guesses by the address they come from. Time is an argument, in seconds. While more addresses guess than are kept,
/// those that are not among them wait.
struct GuessLimit: Sendable {
  /// How many wrong ones an address has in a window, which begins with its first.
  let most: Int
  /// How long a window lasts, in seconds.
  let length: Double

  private var windows = CountWindows()

  init(most: Int = 10, length: Double = 60) {
    self.most = most
    self.length = length
  }

  /// For how many seconds nothing is taken from `address`; nil where it may guess.
  func wait(_ address: String, at now: Double) -> Int? {
    guard let window = windows.open(address, at: now) else { return windows.isFull(at: now) ? Int(length) : nil }
    return window.count >= most ? Int(min(max(1, (window.ends - now).rounded(.up)), length)) : nil
  }

  /// How many guesses `address` has left.
  func left(_ address: String, at now: Double) -> Int { max(0, most - (windows.open(address, at: now)?.count ?? 0)) }

  /// Notes a guess.
  mutating func count(_ address: String, at now: Double) {
    if windows.isFull(at: now), windows.open(address, at: now) == nil { return }
    windows.count(address, at: now, for: length, isRenewed: false)
  }
}
