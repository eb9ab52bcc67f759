/// Why a station cannot be put together: what is wrong, with which file or part, and what to do.
public struct SetupError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The words, ready to print.
  public let description: String

  /// Makes an error of its words.
  public init(_ description: String) { self.description = description }
}
