/// Limits wrong guesses by the address they come from. Time is an argument, in seconds. While more addresses guess than are kept,
/// those that are not among them wait.
struct GuessLimit: Sendable {
  /// How many wrong ones an address has in a window, which begins with its first.
  let most: Int
  /// How long a window lasts, in seconds.
  let length: Double

  private var windows: [String: (count: Int, ends: Double)] = [:]

  /// How many addresses are kept.
  static let mostAddresses = 1_024

  init(most: Int = 10, length: Double = 60) {
    self.most = most
    self.length = length
  }

  /// For how many seconds nothing is taken from `address`; nil where it may guess.
  func wait(_ address: String, at now: Double) -> Int? {
    guard let window = windows[address] else {
      let isFull = windows.count >= Self.mostAddresses && windows.values.allSatisfy { now < $0.ends }
      return isFull ? Int(length) : nil
    }
    guard window.count >= most, now < window.ends else { return nil }
    return Int(min(max(1, (window.ends - now).rounded(.up)), length))
  }

  /// How many guesses `address` has left.
  func left(_ address: String, at now: Double) -> Int {
    guard let window = windows[address], now < window.ends else { return most }
    return max(0, most - window.count)
  }

  /// Notes a guess.
  mutating func count(_ address: String, at now: Double) {
    if windows.count >= Self.mostAddresses { windows = windows.filter { now < $0.value.ends } }
    if windows.count >= Self.mostAddresses, windows[address] == nil { return }
    if let window = windows[address], now < window.ends {
      windows[address] = (window.count + 1, window.ends)
    } else {
      windows[address] = (1, now + length)
    }
  }
}
