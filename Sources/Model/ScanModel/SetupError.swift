/// Why a station cannot be put together: what is wrong, with which file or part, and what to do.
package struct SetupError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The words, ready to print.
  package let description: String

  package init(_ description: String) { self.description = description }
}
