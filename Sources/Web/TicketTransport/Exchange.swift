internal import AsyncHTTPClient
internal import WireText
internal import NIOCore
internal import NIOHTTP1
internal import ScanModel
internal import Synchronization

/// One try at one call: notes what went out and what came back, and reports each end exactly once.
///
/// The body is a stream that is asked for only when the head is on a connection. This is the fence between "not sent"
/// and "sent": after the try was given up, the fence hands out no body, and no server acts on a request that lacks it.
final class Exchange: HTTPClientResponseDelegate {
  typealias Response = Void

  private enum Phase {
    /// No byte was handed to a connection.
    case connecting
    /// Some byte may have been.
    case sent(MonotonicTime)
    /// Reported as not sent, answered or lost.
    case over
  }

  private struct State {
    var phase = Phase.connecting
    var report: (@Sendable (HTTPOutcome) -> Void)?
    var late: (@Sendable (HTTPOutcome) -> Void)?
    var head: HTTPResponseHead?
    var headAt = WallTime(nanoseconds: 0)
    var body: [UInt8] = []
  }

  private struct TooLarge: Error {}

  private let state: Mutex<State>
  private let time: any TimeSource
  private let mostBytes: Int
  private let host: String
  private let words: ServerWords

  /// - Parameters:
  ///   - report: called exactly once, by the deadline.
  ///   - late: called exactly once if `report` said `pending`, and never otherwise.
  init(
    host: String, words: ServerWords, mostBytes: Int, time: any TimeSource,
    report: @escaping @Sendable (HTTPOutcome) -> Void,
    late: @escaping @Sendable (HTTPOutcome) -> Void
  ) {
    self.host = host
    self.words = words
    self.mostBytes = mostBytes
    self.time = time
    state = Mutex(State(report: report, late: late))
  }

  // MARK: What goes out

  /// Asks to hand a byte to the connection. `false` after the try was given up.
  func mayHandOver() -> Bool {
    let now = time.now()
    return state.withLock { state in
      switch state.phase {
      case .connecting:
        state.phase = .sent(now)
        return true
      case .sent: return true
      case .over: return false
      }
    }
  }

  func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) { _ = mayHandOver() }

  // MARK: What comes back

  func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
    let wall = time.wall()
    state.withLock { state in
      state.head = head
      state.headAt = wall
      state.body = []
    }
    if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > mostBytes {
      return task.eventLoop.makeFailedFuture(TooLarge())
    }
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
    let fits = state.withLock { state in
      guard state.body.count + buffer.readableBytes <= mostBytes else { return false }
      state.body.append(contentsOf: buffer.readableBytesView)
      return true
    }
    return fits ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(TooLarge())
  }

  func didFinishRequest(task: HTTPClient.Task<Void>) {
    let now = time.now()
    let report = state.withLock { state -> (() -> Void)? in
      guard let head = state.head else { return nil }
      let answer = HTTPAnswer(head, body: state.body, receivedAt: state.headAt)
      return Self.end(&state, .answered(answer), at: now)
    }
    report?()
  }

  func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) { fail(error) }

  /// The try failed: nothing more will come.
  func fail(_ error: any Error) {
    let now = time.now()
    let fault =
      error is TooLarge
      ? TransportFault(
        .badAnswer,
        "\(host) sent an answer of more than \(max(mostBytes / 1_024, 1)) KiB. Is this the \(words.role)'s address? \(words.addressCure)"
      )
      : nil
    let report = state.withLock { state -> (() -> Void)? in
      switch state.phase {
      case .connecting:
        Self.end(&state, .notSent(fault ?? FaultWords.beforeSending(error, host: host, words: words)), at: now)
      case .sent:
        Self.end(
          &state, .lost(fault ?? FaultWords.afterSending(error, host: host, words: words, sawHead: state.head != nil)),
          at: now)
      case .over: nil
      }
    }
    report?()
  }

  // MARK: Time

  /// The deadline has come.
  /// - Returns: whether the request is to be cancelled, for nothing was sent.
  func deadlineCame() -> Bool {
    let now = time.now()
    let (report, cancel) = state.withLock { state -> ((() -> Void)?, Bool) in
      switch state.phase {
      case .connecting:
        return (Self.end(&state, .notSent(FaultWords.noConnectionInTime(host: host)), at: now), true)
      case .sent(let sentAt):
        guard let report = state.report else { return (nil, false) }
        state.report = nil
        return ({ report(HTTPOutcome(.pending, sentAt: sentAt, endedAt: now)) }, false)
      case .over: return (nil, false)
      }
    }
    report?()
    return cancel
  }

  /// When the first byte was handed over; `nil` before, and after the end.
  var sentAt: MonotonicTime? {
    state.withLock { if case .sent(let time) = $0.phase { time } else { nil } }
  }

  /// Ends the try; to be called under the lock, and its result after it.
  private static func end(_ state: inout State, _ result: HTTPOutcome.Result, at now: MonotonicTime) -> (() -> Void)? {
    let sentAt: MonotonicTime?
    switch state.phase {
    case .over: return nil
    case .connecting: sentAt = nil
    case .sent(let time): sentAt = time
    }
    // An answer can overtake the notice that the head went out; it proves that it did.
    let outcome = HTTPOutcome(result, sentAt: sentAt ?? (result.isAnswered ? now : nil), endedAt: now)
    let receiver = state.report ?? state.late
    state = State(phase: .over, report: nil, late: nil)
    return receiver.map { receiver in { receiver(outcome) } }
  }
}

extension HTTPOutcome.Result {
  fileprivate var isAnswered: Bool { if case .answered = self { true } else { false } }
}

extension HTTPAnswer {
  init(_ head: HTTPResponseHead, body: [UInt8], receivedAt wall: WallTime) {
    // Two `Date` or `Content-Type` lines contradict one another at worst: then none counts.
    func only(_ name: String) -> String? {
      let values = head.headers[name]
      return values.count == 1 ? values[0] : nil
    }
    let date = only("date").flatMap { HTTPDate.read($0, now: wall) }
    let type = only("content-type").map { $0.prefix { $0 != ";" } }
    let retry = only("retry-after").flatMap { text -> Duration? in
      if let seconds = Int64(text), seconds >= 0 { return .seconds(min(seconds, 1_000_000)) }
      return HTTPDate.read(text, now: wall).map { max($0 - (date ?? wall), .zero) }
    }
    var headers = AnswerHeaders()
    for (name, value) in head.headers { headers.add(name, value) }
    self.init(
      status: Int(head.status.code),
      mediaType: type.map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() },
      body: body, serverDate: date, clockAhead: date.map { wall - $0 }, retryAfter: retry, headers: headers)
  }
}
