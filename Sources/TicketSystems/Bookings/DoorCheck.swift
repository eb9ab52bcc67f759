internal import ScanModel
internal import TicketTransport
internal import WireText

/// What became of asking about one code.
struct DoorCheck: Sendable, Equatable {
  /// What was said.
  enum Result: Sendable, Equatable {
    /// Something of the code.
    case said(CheckBook.Answer)
    /// Nothing that could be believed, or nothing at all.
    case undecided(UndecidedReason, String)
  }

  /// What was said.
  var result: Result
  /// What became of the request.
  var fate: AttemptOutcome.Fate
  /// When it was sent; `nil` where it was not.
  var sentAt: MonotonicTime?
  /// When its end was known.
  var endedAt: MonotonicTime
  /// The service's clock.
  var serverDate: WallTime?
  /// How long it, or our ration, asks us to wait.
  var retryAfter: Duration?
}

extension DoorCheck {
  /// Judges the end of a request.
  /// - Parameter isDenied: as for `DoorFault.fault`.
  init(_ outcome: HTTPOutcome, of code: Code, _ door: Door, isDenied: Bool = false) {
    self.init(
      result: .undecided(.unreachable, "\(door.host) did not answer in time. Please present the code again."),
      fate: .lost,
      sentAt: outcome.sentAt, endedAt: outcome.endedAt)
    switch outcome.result {
    case .pending: break
    case .notSent(let fault):
      (fate, sentAt) = (.notSent, nil)
      result = .undecided(fault.reason, fault.detail)
    case .lost(let fault): result = .undecided(fault.reason, fault.detail)
    case .answered(let answer):
      fate = .answered
      serverDate = answer.serverDate
      retryAfter = answer.retryAfter
      result = Self.result(answer, of: code, door, isDenied)
    }
  }

  private static func result(_ answer: HTTPAnswer, of code: Code, _ door: Door, _ isDenied: Bool) -> Result {
    let (host, words) = (door.host, door.words)
    func bad(_ what: String) -> Result {
      .undecided(.badAnswer, "\(host) answered 200, but \(what). \(words.addressCure)")
    }
    switch answer.status {
    case 200 where answer.isJSON:
      guard let document = try? JSONValue(answer.body) else { return bad("its JSON cannot be read") }
      if document["success"] == .bool(false) { return bad("says that it did not succeed") }
      do throws(Booking.Fault) {
        let booking = try Booking(document, seats: "seats", in: door.zone)
        guard booking.code == code else { return bad("with another booking than was asked for") }
        guard booking.hasKnownStatus else { return bad("with a booking in a state that is not known") }
        return .said(.told(booking.ticket))
      } catch {
        return bad("what it tells is no booking that can be gone by: it \(error.words)")
      }
    case 404 where answer.isJSON && answer.said?.lowercased().hasPrefix("invalid verification code") == true:
      return .said(.unknown(StaffText.clean(answer.said ?? "", hiding: door.redactions(code))))
    case 404 where answer.isJSON && answer.said?.lowercased().contains("venue not found") == true:
      return .undecided(
        .badAnswer, "\(host) does not know the venue (404). Write its id under venue.id. \(words.addressCure)")
    default:
      let fault = DoorFault.fault(
        answer, host: host, hiding: door.redactions(code), words: words, asking: "a check", isDenied: isDenied)
      return .undecided(fault.reason, fault.detail)
    }
  }
}
