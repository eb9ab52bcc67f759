public import ScanPipeline

/// One input of a gate as the configuration gives it: a button, a switch or a sensor on a GPIO line.
public struct InputConfiguration: Hashable, Sendable {
  /// The longest debounce that can be configured; the shortest is none.
  public static let longestDebounce: Duration = .seconds(1)

  /// Its name.
  public var name: InputName
  /// The line; its drive means nothing, for an input drives nothing.
  public var line: GPIOLineConfiguration
  /// How long a level must last before it counts; zero for a sensor that does not bounce.
  public var debounce: Duration
  /// What it is for.
  public var use: InputUse

  /// Makes an input.
  public init(
    name: InputName, line: GPIOLineConfiguration, debounce: Duration = .milliseconds(30), use: InputUse = .log
  ) {
    self.name = name
    self.line = line
    self.debounce = debounce
    self.use = use
  }

  /// What is wrong with it, in words; `nil` when nothing is. Tells nothing of whether the device is there.
  public var problem: String? {
    if let problem = line.problem { return problem }
    guard (.zero...Self.longestDebounce).contains(debounce) else {
      return "a debounce of \(debounce) is out of range: it lasts from 0 to 1 s"
    }
    return nil
  }
}
