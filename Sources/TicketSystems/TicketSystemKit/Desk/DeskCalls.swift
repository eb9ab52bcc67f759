internal import Calls
package import ScanModel
package import TicketTransport
package import WireText

/// A server as a desk asks it: reading is repeated where that helps, a change is sent once.
package struct DeskCalls: Sendable {
  /// For what a person waits for, and changes nothing.
  private static let retry = RetryPolicy(first: .seconds(1), longest: .seconds(4), mostTries: 3)
  private static let readPatience = Duration.seconds(120)
  private static let changePatience = Duration.seconds(30)
  /// How often a rate window is waited for.
  private static let mostWindows = 5

  private let metered: MeteredClient
  private let manner: any DeskManner
  private let time: any TimeSource
  private let tell: @Sendable (String) -> Void

  /// - Parameter tell: told what keeps a person waiting.
  package init(
    _ metered: MeteredClient, _ manner: any DeskManner, time: any TimeSource,
    tell: @escaping @Sendable (String) -> Void
  ) {
    self.metered = metered
    self.manner = manner
    self.time = time
    self.tell = tell
  }

  /// The server, for messages.
  package var host: String { metered.host }

  /// What the server's text must not show.
  package var secrets: [Redaction] { metered.redactions }

  /// Asks what changes nothing.
  /// - Parameters:
  ///   - words: the call for messages: `GET /api/events`.
  ///   - more: what the server's text must not show besides.
  package func read(
    _ call: HTTPCall, _ words: String, hiding more: [Redaction] = []
  ) async throws(DeskFault) -> JSONValue {
    var call = call
    call.limits.mostBytes = HTTPCall.Limits.mostOfAll
    // It can have done nothing.
    call.whenLost = ""
    for _ in 0..<Self.mostWindows {
      let judged: Result<JSONValue, DeskFault>
      do throws(TransportFault) {
        judged = try await metered.read(call, Self.retry, deadline: time.now() + Self.readPatience) {
          answer -> MeteredClient.Reading<Result<JSONValue, DeskFault>> in
          let judged = judge(answer, words, changes: false, more)
          guard RetryPolicy.mayRepeatHarmlessCall(status: answer.status), case .failure(let fault) = judged else {
            return .value(judged)
          }
          return .fault(TransportFault(answer.status == 429 ? .rateLimited : .unreachable, fault.words))
        }
      } catch {
        try await waitForWindow(error)
        continue
      }
      return try judged.get()
    }
    throw .unavailable("\(host) gets more requests than it allows. Try again later.")
  }

  /// Has something changed, once: what was sent is not sent again.
  /// - Parameters:
  ///   - words: the call for messages.
  ///   - more: what the server's text must not show besides.
  ///   - isLong: whether the answer has a list in it, and may be as long as one.
  ///   - done: the one status that says that it was done; `nil` for all of 2xx.
  package func change(
    _ call: HTTPCall, _ words: String, hiding more: [Redaction] = [], isLong: Bool = false, done: Int? = nil
  ) async throws(DeskFault) -> JSONValue {
    var call = call
    if isLong { call.limits.mostBytes = HTTPCall.Limits.mostOfAll }
    for _ in 0..<Self.mostWindows {
      let outcome = await metered.perform(call, deadline: time.now() + Self.changePatience)
      switch outcome.result {
      case .answered(let answer):
        if let done, (200...299).contains(answer.status), answer.status != done {
          throw .unclear("\(host) answered \(answer.status) to \(words), and not \(done). It may have done it.")
        }
        return try judge(answer, words, changes: true, more).get()
      case .lost(let fault): throw .unclear(fault.detail)
      case .pending: throw .unclear("\(host) did not answer \(words) in time; it may have done it.")
      // Nothing has left: it may still be sent.
      case .notSent(let fault): try await waitForWindow(fault)
      }
    }
    throw .unavailable("Nothing was sent: \(host) gets more requests than it allows.")
  }

  private func judge(
    _ answer: HTTPAnswer, _ call: String, changes: Bool, _ more: [Redaction]
  ) -> Result<JSONValue, DeskFault> {
    DeskAnswer(
      answer, to: call, host: host, changes: changes, hiding: secrets + more, words: metered.words, manner: manner
    ).result
  }

  /// Waits until the server's rate allows more.
  /// - Throws: whatever else was the fault.
  private func waitForWindow(_ fault: TransportFault) async throws(DeskFault) {
    guard fault.reason == .rateLimited, let wait = fault.retryAfter, wait <= .seconds(90) else {
      throw .unavailable(fault.detail)
    }
    tell("The rate budget for \(host) is spent: waiting for \(wait.milliseconds / 1_000 + 1) s.")
    guard (try? await Task.sleep(for: wait + .milliseconds(50))) != nil else { throw .unavailable(fault.detail) }
  }
}
