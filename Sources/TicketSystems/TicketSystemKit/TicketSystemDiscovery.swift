/// What a type of ticket system finds out by an address and a key, for whoever sets a station up: asks, redeems nothing, keeps nothing.
package struct TicketSystemDiscovery: Sendable {
  /// Something that a gate may be for.
  package struct Choice: Sendable, Equatable {
    /// What it is, for people.
    package enum Label: Sendable, Equatable {
      /// Whatever the ticket system has.
      case all
      /// Members of a level; the word is the system's own.
      case level(String)
      /// Tonight's shows; one scan admits one person.
      case eachPerson
      /// The same; one scan admits a whole party.
      case wholeParty
      /// What a server calls it; clean.
      case named(String)
    }

    /// What it is, for people.
    package var label: Label
    /// The gate's section `ticket`, in braces; empty where the gate needs none.
    package var ticket: String

    package init(_ label: Label, ticket: String) {
      self.label = label
      self.ticket = ticket
    }
  }

  /// What was found.
  package struct Found: Sendable, Equatable {
    /// The word after `type:`.
    package var type: String
    /// The address that the file has.
    package var address: String
    /// What its section has besides, a line each.
    package var settings: [String]
    /// What the server tells of itself, a line a fact; clean.
    package var words: [String]
    /// What a gate may be for; the first is for everything.
    package var choices: [Choice]

    package init(type: String, address: String, settings: [String], words: [String] = [], choices: [Choice] = []) {
      self.type = type
      self.address = address
      self.settings = settings
      self.words = words
      self.choices = choices
    }
  }

  /// What is given.
  package struct Given: Sendable {
    /// The address, as it was typed.
    package var address: String
    /// What was answered besides.
    package var answers: [TicketSystemQuestion: String]
    /// The secret.
    package var secret: String
    /// The name of the credential that will hold it.
    package var credential: String

    package init(address: String, answers: [TicketSystemQuestion: String], secret: String, credential: String) {
      self.address = address
      self.answers = answers
      self.secret = secret
      self.credential = credential
    }

    /// What was answered; empty where that was not asked.
    package subscript(question: TicketSystemQuestion) -> String { answers[question] ?? "" }
  }

  /// Why nothing was found, in words for people. Never holds the secret.
  package struct Fault: Error, Equatable {
    package var words: String

    package init(_ words: String) { self.words = words }
  }

  /// What is asked of it.
  package let form: TicketSystemForm
  private let ask: @Sendable (Given) async -> Result<Found, Fault>

  package init(_ form: TicketSystemForm, _ ask: @escaping @Sendable (Given) async -> Result<Found, Fault>) {
    self.form = form
    self.ask = ask
  }

  /// Asks the server.
  /// - Throws: why that is none, or does not take the secret.
  package func find(_ given: Given) async throws(Fault) -> Found { try await ask(given).get() }
}
