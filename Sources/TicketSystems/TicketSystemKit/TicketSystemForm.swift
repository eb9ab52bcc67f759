/// What somebody is asked of a ticket system of one type, besides its address, to set it up.
package struct TicketSystemForm: Sendable, Equatable {
  /// What its gates let in, by which people tell it from others.
  package enum Subject: String, Sendable, CaseIterable {
    case tickets, members, shows
  }

  /// What its secret is.
  package enum Secret: String, Sendable, CaseIterable {
    case apiKey, accessToken, password
  }

  /// What its gates let in.
  package var subject: Subject
  /// What its secret is.
  package var secret: Secret
  /// What is asked besides, in this order.
  package var questions: [TicketSystemQuestion]

  package init(_ subject: Subject, secret: Secret, questions: [TicketSystemQuestion] = []) {
    self.subject = subject
    self.secret = secret
    self.questions = questions
  }
}

/// Something that a ticket system's section of the file may need, and no server tells.
package enum TicketSystemQuestion: String, Sendable, CaseIterable {
  /// The file with the public keys of signed passes; `ids` where bare ids are codes.
  case passKeys
  /// What the server calls the venue.
  case venue
  /// The venue's name in the addresses of the server's pages.
  case venueName
  /// The venue's time zone, by its IANA name.
  case zone
  /// The e-mail address of an account.
  case account
  /// The website that requests say they come from; empty for the server's own.
  case website

  /// What is proposed; empty for nothing.
  package var suggestion: String {
    switch self {
    case .passKeys: "/etc/scangate/pass-keys.txt"
    case .venue, .venueName, .zone, .account, .website: ""
    }
  }

  /// Whether an answer can be one. What the file takes is for its check.
  package func accepts(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count <= 255, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
    switch self {
    case .passKeys: return text == "ids" || text.hasPrefix("/")
    case .venue, .venueName, .zone: return !text.isEmpty
    case .account:
      let parts = text.split(separator: "@", omittingEmptySubsequences: false)
      return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    case .website: return text.isEmpty || text.hasPrefix("https://") || text.hasPrefix("http://")
    }
  }
}
