internal import WireText
internal import NIOCore
internal import NIOHTTP1
internal import ScanModel

/// One try at one call: notes what went out and what came back, and reports each end exactly once.
///
/// It stands between "not sent" and "sent": after the try was given up, nothing is handed over any more.
/// Confined to its event loop.
final class Exchange {
  private enum Phase {
    /// No byte was handed to a connection.
    case connecting
    /// Some byte may have been.
    case sent(MonotonicTime)
    /// Reported as not sent, answered or lost.
    case over
  }

  /// The answer is larger than it may be.
  struct TooLarge: Error {}

  /// What is sent.
  let request: HTTPRequest
  /// What is to be cancelled at the end.
  var timer: Scheduled<Void>?

  private let time: any TimeSource
  private let mostBytes: Int
  private let host: String
  private let words: ServerWords

  private var phase = Phase.connecting
  private var report: ((HTTPOutcome) -> Void)?
  private var late: ((HTTPOutcome) -> Void)?
  private var head: HTTPResponseHead?
  private var headAt = WallTime(nanoseconds: 0)
  private var body: [UInt8] = []

  /// - Parameters:
  ///   - report: called exactly once, by the deadline.
  ///   - late: called exactly once if `report` said `pending`, and never otherwise.
  init(
    _ request: HTTPRequest, host: String, words: ServerWords, mostBytes: Int, time: any TimeSource,
    report: @escaping (HTTPOutcome) -> Void, late: @escaping (HTTPOutcome) -> Void
  ) {
    self.request = request
    self.host = host
    self.words = words
    self.mostBytes = mostBytes
    self.time = time
    self.report = report
    self.late = late
  }

  // MARK: What goes out

  /// Asks to hand the request to a connection. `false` after the try was given up.
  func mayHandOver() -> Bool {
    guard case .connecting = phase else { return false }
    phase = .sent(time.now())
    return true
  }

  // MARK: What comes back

  /// Takes the answer's head. `false` where it announces too much.
  func takes(_ head: HTTPResponseHead) -> Bool {
    headAt = time.wall()
    self.head = head
    return head.headers.first(name: "content-length").flatMap { Int($0) }.map { $0 <= mostBytes } ?? true
  }

  /// Takes a part of the answer's body. `false` where that is too much.
  func takes(_ part: ByteBuffer) -> Bool {
    guard body.count + part.readableBytes <= mostBytes else { return false }
    body.append(contentsOf: part.readableBytesView)
    return true
  }

  /// The answer is whole.
  func answered() { if let head { end(.answered(HTTPAnswer(head, body: body, receivedAt: headAt))) } }

  /// The try failed: nothing more will come.
  func fail(_ error: any Error) {
    let fault =
      error is TooLarge
      ? TransportFault(
        .badAnswer,
        "\(host) sent an answer of more than \(max(mostBytes / 1_024, 1)) KiB. Is this the \(words.role)'s address? \(words.addressCure)"
      )
      : nil
    switch phase {
    case .connecting: end(.notSent(fault ?? FaultWords.beforeSending(error, host: host, words: words)))
    case .sent:
      end(.lost(fault ?? FaultWords.afterSending(error, host: host, words: words, sawHead: head != nil)))
    case .over: break
    }
  }

  // MARK: Time

  /// The deadline has come.
  /// - Returns: when the first byte was handed over, where an answer may still come; `nil` where none is waited for.
  func deadlineCame() -> MonotonicTime? {
    switch phase {
    case .connecting:
      end(.notSent(FaultWords.noConnectionInTime(host: host)))
      return nil
    case .sent(let sentAt):
      let report = report
      self.report = nil
      report?(HTTPOutcome(.pending, sentAt: sentAt, endedAt: time.now()))
      return sentAt
    case .over: return nil
    }
  }

  private func end(_ result: HTTPOutcome.Result) {
    if case .over = phase { return }
    let sentAt: MonotonicTime? = if case .sent(let time) = phase { time } else { nil }
    phase = .over
    timer?.cancel()
    timer = nil
    let receiver = report ?? late
    (report, late) = (nil, nil)
    receiver?(HTTPOutcome(result, sentAt: sentAt, endedAt: time.now()))
  }
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
    var cookies = AnswerCookies()
    for line in head.headers["set-cookie"] { cookies.add(line, at: date ?? wall) }
    self.init(
      status: Int(head.status.code),
      mediaType: type.map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() },
      body: body, serverDate: date, clockAhead: date.map { wall - $0 }, retryAfter: retry, headers: headers,
      cookies: cookies)
  }
}
