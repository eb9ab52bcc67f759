/// A code that was made for one activation at a control service.
package struct ActivationCode: Sendable, Hashable, Unshown {
  /// The code as the service wants it: letters in upper case. A secret until it is used.
  package var code: String
  /// The station that it was made for, where it says so.
  package var kioskID: String?
  /// Whether it came in a link, as services with a beacon print it.
  package var isLinked: Bool

  package init(code: String, kioskID: String? = nil, isLinked: Bool = false) {
    self.code = code
    self.kioskID = kioskID
    self.isLinked = isLinked
  }

  package var description: String { "(activation code)" }
}

/// Why a set-up code did not set the station up. The raw values are the names in events, configuration and documentation.
package enum SetUpRefusal: String, Sendable, CaseIterable, Codable {
  /// It is no set-up code, or the service does not know it.
  case wrong
  /// It was good until a time that has passed.
  case expired
  /// Somebody has used it before.
  case used
  /// The service does not know this station.
  case unknownStation
  /// The service cannot be reached.
  case offline
  /// It names a server that this station does not trust.
  case untrusted
  /// Too many were refused: none is taken for a while.
  case lockedOut
  /// Anything else: an operator must look.
  case fault
}

/// What a person at a scanner is shown while a station is being set up.
package enum SetUpSignal: Hashable, Sendable {
  /// Set-up codes are taken: the next scan may be one. A background.
  case armed
  /// A code was read and is being tried.
  case working
  /// The station is set up.
  case done
  /// It is not, by this code.
  case refused(SetUpRefusal)

  /// The name in configuration and on the command line.
  package var name: String {
    switch self {
    case .armed: "armed"
    case .working: "working"
    case .done: "done"
    case .refused(let refusal): refusal.rawValue
    }
  }

  /// All of them, in the order of the documentation.
  package static var all: [Self] { [.armed, .working, .done] + SetUpRefusal.allCases.map { .refused($0) } }

  /// The one that is called `name`; `nil` where none is.
  package init?(name: String) {
    guard let signal = Self.all.first(where: { $0.name == name }) else { return nil }
    self = signal
  }
}
