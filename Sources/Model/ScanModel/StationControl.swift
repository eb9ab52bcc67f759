/// The port to a service that tells a station what it is: it activates it, configures it, and is told how it is. It redeems no
/// tickets, opens nothing, and holds no gate open.
///
/// Every call is made by its deadline at the latest and sends a request that changes something at most once, unless said
/// otherwise. An implementation keeps no token: what it needs comes with each call.
package protocol StationControl: Sendable {
  /// The server, for messages: host and port.
  var server: String { get }

  /// Whether the server answers and says that it is well. Repeating is harmless.
  func health(deadline: MonotonicTime) async throws(ControlFault)

  /// Announces the station. Repeating is harmless.
  /// - Parameter token: what the service wants to see of a new station; `nil` where none is known.
  func register(_ station: StationIdentity, token: ControlToken?, deadline: MonotonicTime) async throws(ControlFault)

  /// Activates the station. Never repeated by itself: the code may be used up by a request whose answer was lost.
  func activate(
    _ code: ActivationCode, as station: StationIdentity, deadline: MonotonicTime
  ) async throws(ActivationFault) -> Activation

  /// What the station is to be. Repeating is harmless.
  /// - Parameter refreshing: whether the service is to look for what is newest, and no cache may answer.
  func configuration(
    of activation: Activation, refreshing: Bool, deadline: MonotonicTime
  ) async throws(ControlFault) -> ControlConfiguration

  /// Tells how the station is. Repeating is harmless.
  /// - Parameter isManual: whether staff have set it by hand.
  func report(
    _ status: StationStatus, isManual: Bool, at time: WallTime, of activation: Activation, deadline: MonotonicTime
  ) async throws(ControlFault)

  /// Whether the service accepts the token; one that it refuses throws a fault of the kind `authentication`.
  func validate(_ activation: Activation, deadline: MonotonicTime) async throws(ControlFault)

  /// Ends its connections.
  func close() async
}

/// Who the station is to a control service.
package struct StationIdentity: Sendable, Hashable {
  /// A UUID in lower case with dashes (RFC 9562), made once and kept.
  package var id: String
  /// The program's version.
  package var version: String

  package init(id: String, version: String) {
    self.id = id
    self.version = version
  }
}

/// A token of a control service: a JSON web token or an opaque text. Printing, reflecting and interpolating it show no part.
package struct ControlToken: Sendable, Hashable, Unshown {
  /// The longest token, in bytes.
  package static let longest = 4_096

  /// The token itself, for a request's header and for sealing; printable ASCII without blanks.
  package let text: String

  /// Takes a token; `nil` where `text` is none: empty, too long, or with what no header can carry.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    self.text = text
  }

  package var description: String { "(token)" }
}

/// What an activation has given a station.
package struct Activation: Sendable, Equatable {
  /// How the service calls the station from then on.
  package var kioskID: String
  /// What it is to show with each request; `nil` where the service has given none.
  package var token: ControlToken?
  /// When the token ends, as the service or the token itself says (whichever is earlier); `nil` where neither does.
  package var expires: WallTime?

  package init(kioskID: String, token: ControlToken?, expires: WallTime?) {
    self.kioskID = kioskID
    self.token = token
    self.expires = expires
  }
}

/// What a control service can do wrong. The raw values are the names in events, counters and documentation.
package enum ControlFaultKind: String, Sendable, CaseIterable, Codable {
  /// It cannot be reached, or does not answer in time.
  case network
  /// It does not accept the token (401, 403), or there is none.
  case authentication
  /// It answers with what cannot be a configuration, or knows no such station.
  case configuration
  /// It answers that it is out of order (5xx, 429).
  case server
  /// Anything else: an answer that this service cannot have given, TLS that cannot be trusted.
  case unknown
}

/// Why a control service did not do what it was asked for.
package struct ControlFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of fault it is; decides what is done about it.
  package var kind: ControlFaultKind
  /// What happened, to which host, and what to do; without secrets, cleaned of what steers terminals.
  package var detail: String
  /// The answer's status; `nil` where there was none.
  package var status: Int?
  /// How long the service asks to be left alone.
  package var retryAfter: Duration?
  /// Whether a byte of the request may have reached the service.
  package var wasSent: Bool

  package init(
    _ kind: ControlFaultKind, _ detail: String, status: Int? = nil, retryAfter: Duration? = nil, wasSent: Bool = true
  ) {
    self.kind = kind
    self.detail = detail
    self.status = status
    self.retryAfter = retryAfter
    self.wasSent = wasSent
  }

  package var description: String { detail }
}

/// Why an activation did not come about.
package struct ActivationFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What the person at the scanner is shown.
  package var refusal: SetUpRefusal
  /// What happened, to which host, and what to do.
  package var detail: String
  /// What kind of fault it counts as; `nil` where the service has judged the code.
  package var kind: ControlFaultKind?
  /// Whether the code may be used up although nothing was given for it.
  package var mayBeUsed: Bool

  package init(_ refusal: SetUpRefusal, _ detail: String, kind: ControlFaultKind? = nil, mayBeUsed: Bool = false) {
    self.refusal = refusal
    self.detail = detail
    self.kind = kind
    self.mayBeUsed = mayBeUsed
  }

  package var description: String { detail }
}

/// How a station is, as a control service is told. The raw values are the document's spelling.
package enum StationStatus: String, Sendable, CaseIterable, Codable {
  /// A gate is open for the next person.
  case available
  /// A scan is being decided.
  case inUse = "in-use"
  /// Staff are in a meeting.
  case meeting
  /// Staff will be right back.
  case brb
  /// Staff are at lunch.
  case lunch
  /// No gate can admit.
  case unavailable
}
