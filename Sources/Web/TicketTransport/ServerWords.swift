/// How messages speak of a server, and which settings they name. Each cure is one sentence or more, and follows another one.
package struct ServerWords: Sendable, Equatable {
  /// What it is: “Is this the …'s address?”
  package var role = "ticket system"
  /// What it may have done where its answer is lost; a clause, empty where it can have done nothing.
  package var whenLost = "it may have counted the scan"
  /// What to do where it does not take our key.
  package var keyCure = "Put the right key in place, then reload the service."
  /// What to do where something else than the server answers.
  package var addressCure = "Check the address."
  /// What to do where its certificate is not trusted.
  package var trustCure = "Check the address, and the CA file if one is configured."

  /// The words for a ticket system of which no setting is known.
  package init() {}
}
