internal import ScanModel

/// What the service has said of single codes, so that the next of a party costs none of the few checks. Pure: time is an argument.
struct CheckBook: Sendable {
  /// So many are remembered: an evening's late bookings.
  static let most = 512
  /// How long a booking counts at least, and how long one that there is not.
  static let shortest = Duration.seconds(15 * 60), unknown = Duration.seconds(5 * 60)
  /// A booking of a show that is on counts until this long after its beginning: nobody is let in any more.
  static let afterBeginning = Duration.seconds(3 * 3_600)
  /// No answer counts for longer.
  static let longest = Duration.seconds(12 * 3_600)

  /// An answer that says something of the code.
  enum Answer: Sendable, Equatable {
    /// It is a booking's.
    case told(ListedTicket)
    /// It is none's, in the service's words.
    case unknown(String?)
  }

  private var answers: [Code: (answer: Answer, at: MonotonicTime, until: MonotonicTime)] = [:]
  /// Who asks.
  var flights: [Code: SharedAnswer<DoorCheck>] = [:]

  /// The last answer on a code, where it still counts.
  func answer(on code: Code, at now: MonotonicTime) -> Answer? {
    answers[code].flatMap { now < $0.until ? $0.answer : nil }
  }

  /// Takes an answer.
  /// - Parameter wall: now, by the civil clock.
  mutating func take(_ answer: Answer, on code: Code, at now: MonotonicTime, wall: WallTime) {
    if answers[code] == nil, answers.count >= Self.most {
      answers = answers.filter { now < $0.value.until }
      // Any may go, for it is asked about again.
      if answers.count >= Self.most, let any = answers.keys.first { answers[any] = nil }
    }
    answers[code] = (answer, now, now + Self.life(of: answer, wall: wall))
  }

  /// Forgets the bookings of a time of which a list has told all since, and not these: each may be over.
  /// - Parameter began: when the list was asked for.
  mutating func forget(of whole: Range<WallTime>, but told: Set<Code>, before began: MonotonicTime) {
    answers = answers.filter { code, entry in
      guard case .told(let ticket) = entry.answer, let from = ticket.from else { return true }
      return entry.at >= began || !whole.contains(from) || told.contains(code)
    }
  }

  /// For how long an answer counts.
  static func life(of answer: Answer, wall: WallTime) -> Duration {
    guard case .told(let ticket) = answer, ticket.status == .valid else { return unknown }
    guard let left = ticket.from.map({ $0 + afterBeginning - wall }), left < longest else { return shortest }
    return max(left, shortest)
  }
}
