/// Why no pages can be made.
package struct PageFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong.
  package let description: String

  init(_ description: String) { self.description = description }
}
