/// Who gives an order, as the kernel says, and by which program.
package struct OrderGiver: Hashable, Sendable, CustomStringConvertible {
  /// The user.
  package var user: UInt32
  /// The process.
  package var process: Int32
  /// What the program calls itself.
  package var program: String

  /// Whether it may be told the names of tickets' holders.
  package var names: Bool

  package init(user: UInt32, process: Int32, program: String, names: Bool = false) {
    self.names = names
    self.user = user
    self.process = process
    self.program = program
  }

  package var description: String { "user \(user), process \(process)" }
}
