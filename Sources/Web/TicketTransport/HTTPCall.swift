internal import WireText
package import ScanModel

/// One HTTP request, below the server's base URL.
package struct HTTPCall: Sendable {
  /// The methods we use.
  package enum Method: String, Sendable {
    /// Reads.
    case get = "GET"
    /// Changes something; may redeem.
    case post = "POST"
    /// Changes part of something.
    case patch = "PATCH"
    /// Puts something in the place of what was there; repeating is harmless.
    case put = "PUT"
    /// Takes something away; repeating is harmless. Mostly without a body: its head is then what counts as sent.
    case delete = "DELETE"
  }

  /// What one call may take, where that is not what the transport takes for all.
  package struct Limits: Sendable, Equatable {
    /// The largest body that is read, in bytes; `nil` for the transport's own. A packed answer is held to the transport's, too.
    package var mostBytes: Int? { didSet { mostBytes = mostBytes.map { min(max($0, 0), Self.mostOfAll) } } }
    /// How long it may take, from DNS to the end of the answer, where its deadline is later; `nil` for the deadline alone.
    package var longest: Duration?

    /// The largest body that any call may ask for: 16 MiB.
    package static let mostOfAll = 16 * 1_024 * 1_024

    /// The transport's.
    package init() {}
  }

  /// How many headers of its own a call may have.
  package static let mostHeaders = 8

  /// The method.
  package var method: Method
  /// The path below the base, beginning with a slash, already percent-encoded.
  package var path: String
  /// The query's names and values, not encoded yet.
  package var query: [(name: String, value: String)]
  /// A header that carries the key, and what precedes the key in it (`Bearer `).
  package var credential: (header: String, prefix: String, secret: Secret)?
  /// The body; `nil` for none.
  package var body: [UInt8]?
  /// The body's media type.
  package var bodyType = "application/json"
  /// Whether no cache on the way may answer.
  package var skipsCaches = false
  /// The media types that are wanted.
  package var accepts = "application/json"
  /// Its own headers; at most `mostHeaders`, each name once.
  package private(set) var headers: [CallHeader] = []
  /// What it may take.
  package var limits = Limits()
  /// What the server may have done where the answer is lost, a clause; `nil` for what the transport's words say.
  package var whenLost: String?

  package init(
    _ method: Method, path: String, query: [(name: String, value: String)] = [],
    credential: (header: String, prefix: String, secret: Secret)? = nil, body: [UInt8]? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.credential = credential
    self.body = body
  }

  /// Gives it a header of its own.
  /// - Throws: `CallHeader.Fault` where there are too many, or one of that name; the credential's name is taken, too.
  package mutating func add(_ header: CallHeader) throws(CallHeader.Fault) {
    guard headers.count < Self.mostHeaders else { throw .tooMany }
    let name = header.name.lowercased()
    guard credential?.header.lowercased() != name, !headers.contains(where: { $0.name.lowercased() == name }) else {
      throw .repeated(name: header.name)
    }
    headers.append(header)
  }

  /// The headers that are sent; a credential that came after them stands for its name alone.
  var sentHeaders: [CallHeader] { headers.filter { $0.name.lowercased() != credential?.header.lowercased() } }

  /// Path and query, as they follow the base URL.
  var target: String {
    guard !query.isEmpty else { return path }
    return path + "?"
      + query.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
  }
}

/// A whole answer.
package struct HTTPAnswer: Sendable, Equatable {
  /// The status code.
  package var status: Int
  /// The media type without parameters, in lower case; `nil` if none was named.
  package var mediaType: String?
  /// The body, at most the configured size.
  package var body: [UInt8]
  /// The server's clock by its `Date` header; `nil` if there is none that can be read.
  package var serverDate: WallTime?
  /// How far this machine's clock was ahead of `serverDate` when the answer came; negative when it is behind.
  package var clockAhead: Duration?
  /// The server's `Retry-After`, from now; never negative.
  package var retryAfter: Duration?
  /// All its headers but cookies, bounded.
  package var headers: AnswerHeaders
  /// The cookies that it sets. None is sent back by itself.
  package var cookies: AnswerCookies

  package init(
    status: Int, mediaType: String? = nil, body: [UInt8] = [], serverDate: WallTime? = nil, clockAhead: Duration? = nil,
    retryAfter: Duration? = nil, headers: AnswerHeaders = AnswerHeaders(), cookies: AnswerCookies = AnswerCookies()
  ) {
    self.cookies = cookies
    self.headers = headers
    self.status = status
    self.mediaType = mediaType
    self.body = body
    self.serverDate = serverDate
    self.clockAhead = clockAhead
    self.retryAfter = retryAfter
  }

  /// The difference of clocks that is still believed.
  package static let clockTolerance = Duration.seconds(120)

  /// Whether our clock and the server's differ so much that no time in the answer can be believed.
  package var isClockWrong: Bool {
    guard let clockAhead else { return false }
    return clockAhead > Self.clockTolerance || clockAhead < .zero - Self.clockTolerance
  }

  /// Whether the answer says that its body is JSON.
  package var isJSON: Bool { mediaType == "application/json" || mediaType?.hasSuffix("+json") == true }
}

/// Why there is no whole answer.
package struct TransportFault: Error, Sendable, Equatable {
  /// The reason by the words of the house: `unreachable`, `tlsFault`, `clockWrong` or `badAnswer`.
  package var reason: UndecidedReason
  /// What happened, to which host, and what to do.
  package var detail: String
  /// Whether another connection in a moment may do better.
  package var isTransient: Bool
  /// Why the server counts as offline by this; `nil` where it does not.
  package var offline: OfflineCause?
  /// When another try can do better, where that is known.
  package var retryAfter: Duration?

  package init(
    _ reason: UndecidedReason, _ detail: String, isTransient: Bool = false, offline: OfflineCause? = nil,
    retryAfter: Duration? = nil
  ) {
    self.retryAfter = retryAfter
    self.offline = offline
    self.reason = reason
    self.detail = detail
    self.isTransient = isTransient
  }
}

/// How a call ended, and what is known of its bytes.
package struct HTTPOutcome: Sendable, Equatable {
  /// What became of the call.
  package enum Result: Sendable, Equatable {
    /// Nothing that a server could act on went out: the body surely did not.
    case notSent(TransportFault)
    /// A whole answer came.
    case answered(HTTPAnswer)
    /// Sent, and no answer by the deadline; one may still come.
    case pending
    /// Sent, and no whole answer will come.
    case lost(TransportFault)
  }

  /// What became of the call.
  package var result: Result
  /// Just before the first byte of the body (of the head, where there is no body) was handed to the connection.
  package var sentAt: MonotonicTime?
  /// When the result was known.
  package var endedAt: MonotonicTime

  package init(_ result: Result, sentAt: MonotonicTime?, endedAt: MonotonicTime) {
    self.result = result
    self.sentAt = sentAt
    self.endedAt = endedAt
  }
}
