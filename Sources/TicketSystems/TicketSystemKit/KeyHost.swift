/// What the program does for commands that keep keys: how they are pasted and sealed is its matter.
package protocol KeyHost: Sendable {
  /// A secret: asked for without showing it, or read from a pipe.
  /// - Parameter refusal: what is told where nobody wants to give one.
  /// - Throws: an exit that has told why there is none.
  func pasted(asking prompt: String, otherwise refusal: String) throws -> String

  /// A person's password, of whatever characters a line has: asked for without showing it, or read from a pipe.
  /// - Parameter refusal: what is told where nobody wants to give one.
  /// - Throws: an exit that has told why there is none.
  func password(asking prompt: String, otherwise refusal: String) throws -> String

  /// Whether there is a credential of that name.
  /// - Parameter state: the state folder; `nil` for the usual one.
  func hasCredential(_ name: String, state: String?) throws -> Bool

  /// Keeps a secret under that name, sealed.
  /// - Throws: also where it can be no secret.
  func keep(_ secret: String, as name: String, state: String?) throws

  /// Forgets a credential.
  /// - Returns: whether there was one.
  func forget(_ name: String, state: String?) throws -> Bool

  /// The names of all records of the station.
  func records(state: String?) throws -> [String]

  /// A record, opened; `nil` where there is none.
  func record(_ name: String, state: String?) throws -> [UInt8]?

  /// Keeps a record, sealed; `nil` forgets it.
  func set(_ bytes: [UInt8]?, record name: String, state: String?) throws
}

extension KeyHost {
  /// As any secret.
  package func password(asking prompt: String, otherwise refusal: String) throws -> String {
    try pasted(asking: prompt, otherwise: refusal)
  }
}
