/// What a type of ticket system finds out by an address and a key, for whoever sets a station up: asks, redeems nothing, keeps nothing.
package struct TicketSystemDiscovery: Sendable {
  /// Something that a gate may be for.
  package struct Choice: Sendable, Equatable {
    /// What it is, for people; clean.
    package var title: String
    /// The gate's section `ticket`, in braces; empty where the gate needs none.
    package var ticket: String

    package init(title: String, ticket: String) {
      self.title = title
      self.ticket = ticket
    }
  }

  /// What was found.
  package struct Found: Sendable, Equatable {
    /// The word after `type:`.
    package var type: String
    /// The address that the file has.
    package var address: String
    /// What the server tells of itself, a line a fact; clean.
    package var words: [String]
    /// What a gate may be for; the first is for everything.
    package var choices: [Choice]

    package init(type: String, address: String, words: [String], choices: [Choice]) {
      self.type = type
      self.address = address
      self.words = words
      self.choices = choices
    }
  }

  /// Why nothing was found, in words for people. Never holds the key.
  package struct Fault: Error, Equatable {
    package var words: String

    package init(_ words: String) { self.words = words }
  }

  private let ask: @Sendable (_ address: String, _ key: String) async -> Result<Found, Fault>

  package init(_ ask: @escaping @Sendable (_ address: String, _ key: String) async -> Result<Found, Fault>) {
    self.ask = ask
  }

  /// Asks the server at `address`.
  /// - Throws: why that is none, or does not take the key.
  package func find(at address: String, key: String) async throws(Fault) -> Found { try await ask(address, key).get() }
}
