package import ScanConfiguration
package import ScanModel

/// What can be wrong, at one thing: a reader, a ticket system.
package struct AlertKey: Sendable, Hashable, Comparable {
  /// What is watched.
  package var condition: AlertCondition
  /// Of which thing, by its name in the configuration; empty where there is one only.
  package var subject: String

  package init(_ condition: AlertCondition, _ subject: String = "") {
    self.condition = condition
    self.subject = subject
  }

  /// What people call it, such as `reader left`.
  package var spoken: String {
    let noun =
      switch condition {
      case .service: "service"
      case .gate: "gate"
      case .reader: "reader"
      case .ticketSystem: "ticket system"
      case .key: "key of"
      case .outbox: "outbox"
      case .conflict: "conflicts"
      case .disk: "disk"
      case .clock: "clock"
      case .certificate: "certificate of"
      }
    if !subject.isEmpty { return "\(noun) \(subject)" }
    return switch condition {
    case .key: "token of the control service"
    case .certificate: "certificate of the console"
    default: noun
    }
  }

  package static func < (a: Self, b: Self) -> Bool {
    (a.condition.rawValue, a.subject) < (b.condition.rawValue, b.subject)
  }
}

/// How one thing was when it was looked at.
package enum AlertEvidence: Sendable, Equatable {
  /// All is well.
  case good
  /// It is not.
  case bad(AlertWords)
  /// Nobody can tell now: what was known before stays so.
  case unknown
}

/// What is told of something that is wrong: names of the configuration, words and numbers of ours. What devices, servers and people
/// have written stays at home.
package struct AlertWords: Sendable, Hashable {
  /// What happened: a sentence.
  package var what: String
  /// The command that shows more, or cures it.
  package var command: String
  /// Since when it is so, where the station knows; else since it was found.
  package var since: WallTime?

  package init(_ what: String, _ command: String, since: WallTime? = nil) {
    self.what = what
    self.command = command
    self.since = since
  }
}
