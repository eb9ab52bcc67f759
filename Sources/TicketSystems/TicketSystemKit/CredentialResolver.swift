package import ScanModel

/// Finds what a station keeps secret for its ticket systems.
package struct CredentialResolver: Sendable {
  private let find: @Sendable (_ name: String) throws(SetupError) -> String

  /// Where sessions are kept that were signed in for; `nil` where each process signs in anew.
  package let sessions: (any SessionRecords)?

  /// Makes one.
  /// - Parameters:
  ///   - sessions: where sessions are kept.
  ///   - find: finds a credential by its name; throws that there is none, or why it cannot be had, and what to do.
  package init(
    sessions: (any SessionRecords)? = nil, _ find: @escaping @Sendable (_ name: String) throws(SetupError) -> String
  ) {
    self.find = find
    self.sessions = sessions
  }

  /// A credential of the station.
  /// - Throws: that there is none, or why it cannot be had, and what to do.
  package func callAsFunction(_ name: String) throws(SetupError) -> String { try find(name) }
}

/// What a station keeps of sessions that it has signed in for, sealed, for the next process: a session is a secret as its password is.
/// Calls block on the disk.
package protocol SessionRecords: Sendable {
  /// What was kept under a name last; `nil` where nothing was, or it cannot be read: then one signs in anew.
  func read(_ name: String) -> [UInt8]?

  /// Why what is kept under a name cannot be read, in words, for whoever has to tell that; `nil` where it can, or nothing is there.
  func fault(of name: String) -> String?

  /// Keeps something under a name (`[a-z0-9][a-z0-9.-]{0,63}`), or forgets it. What cannot be kept is signed in for again.
  func keep(_ bytes: [UInt8]?, as name: String)
}

extension SessionRecords {
  /// Nobody can tell.
  package func fault(of name: String) -> String? { nil }
}
