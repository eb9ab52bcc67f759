/// What staff had ordered of a former version: empty files in the state folder, where orders come by the station's socket now. Only that
/// nothing is to be sent must not be lost by an update; the rest is ordered again.
package struct FormerOrders: Sendable {
  private let state: String

  /// Names the state folder; touches nothing.
  package init(state: String) { self.state = state }

  /// Whether nothing is to be sent from the outbox until further notice.
  /// - Throws: that this cannot be told.
  package func isOutboxHeld() throws(SealFault) -> Bool {
    guard let folder = try PrivateFolder.open(state) else { return false }
    return try folder.has(StateFile.formerHold)
  }

  /// Takes all of them away.
  /// - Throws: why that cannot be.
  package func forget() throws(SealFault) {
    guard let folder = try PrivateFolder.open(state) else { return }
    for name in StateFile.formerOrders { try folder.remove(name, overwriting: false) }
  }
}
