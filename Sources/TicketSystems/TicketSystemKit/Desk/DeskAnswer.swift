package import TicketTransport
package import WireText

/// How a service words what its desk is told, as far as services differ.
package protocol DeskManner: Sendable {
  /// Whether an answer says that there is no such call.
  func lacks(_ answer: HTTPAnswer) -> Bool

  /// Whether it is a refusal of the service itself, in its own form: nothing else tells that nothing was done.
  func isRefusal(_ answer: HTTPAnswer) -> Bool

  /// Why an answer on what changes nothing is not the service's own, and what to do; `nil` where nothing says so.
  func foreign(_ answer: HTTPAnswer, host: String) -> String?

  /// That refusal in words.
  func refusal(_ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords) -> String

  /// The text of an error as it follows a sentence of ours; empty where there is none.
  func quoted(_ answer: HTTPAnswer, hiding secrets: [Redaction]) -> String
}

extension DeskManner {
  package func foreign(_ answer: HTTPAnswer, host: String) -> String? { nil }
}

/// What an answer to a desk means. Pure.
///
/// ```
/// 2xx with JSON ─▶ the document; 204 ─▶ null          what the service says of a call that it has not ─▶ noWay
/// a 4xx in the service's form ─▶ refused: nothing was done
/// everything else ─▶ unavailable; of a change unclear: whatever stands between can answer while the request arrives
/// ```
package struct DeskAnswer {
  package let result: Result<JSONValue, DeskFault>

  /// - Parameters:
  ///   - call: what was asked, in words: `GET /api/events`.
  ///   - changes: whether the call can have changed something.
  package init(
    _ answer: HTTPAnswer, to call: String, host: String, changes: Bool, hiding secrets: [Redaction],
    words: ServerWords, manner: some DeskManner
  ) {
    func doubt(_ text: String) -> DeskFault {
      changes ? .unclear("\(text) It may have done it.") : .unavailable(text)
    }
    if !changes, let words = manner.foreign(answer, host: host) {
      result = .failure(.unavailable(words))
      return
    }
    switch answer.status {
    case 204: result = .success(.null)
    case 200...299:
      if answer.isJSON, let document = try? JSONValue(answer.body) {
        // A null says as little as an object without members; that nothing is to be said is 204's to tell.
        result = .success(document == .null ? .object([:]) : document)
      } else {
        result = .failure(
          doubt(
            "\(host) answered \(answer.status) to \(call), but not as JSON that can be read\(answer.placeDoubt)"
              + words.addressCure))
      }
    case _ where manner.lacks(answer): result = .failure(.noWay("\(host) has no \(call) (\(answer.status))."))
    case 300...399:
      result = .failure(
        doubt(
          "\(host) wants to send us elsewhere (\(answer.status)): the address must be the final one. \(words.addressCure)"
        ))
    case 400...499 where manner.isRefusal(answer):
      result = .failure(
        .refused(
          status: answer.status, manner.refusal(answer, host: host, hiding: secrets, words: words)))
    case 400...499:
      result = .failure(
        doubt(
          "\(host) answered \(answer.status) to \(call), but not as the API does: a firewall, proxy or portal may have "
            + "answered in its place. \(words.addressCure)"))
    default:
      // Whoever tries a change again looks first.
      let said = manner.quoted(answer, hiding: secrets)
      result = .failure(
        doubt("\(host) is out of order (\(answer.status)\(said)).\(changes ? "" : " Try again in a while.")"))
    }
  }
}

extension HTTPAnswer {
  /// The end of a sentence about an answer that is none of the API's: who may have given it.
  package var placeDoubt: String {
    isJSON ? ". " : ": a firewall, proxy or portal may have answered in its place. Check the way to it. "
  }
}
