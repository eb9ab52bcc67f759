internal import TicketTransport
internal import WireText

/// Why the desk has not got what it asked for.
enum DeskFault: Error, Equatable {
  /// The server has no such call: nothing was done, and another way may lead there.
  case noWay(String)
  /// The server refused: nothing was done.
  case refused(status: Int, String)
  /// Nothing was sent, or nothing came back on what changes nothing.
  case unavailable(String)
  /// It was sent, and may have been done.
  case unclear(String)

  /// What happened, and what to do.
  var words: String {
    switch self {
    case .noWay(let words), .refused(_, let words), .unavailable(let words), .unclear(let words): words
    }
  }

  /// The status that the program ends with.
  var exit: Int32 {
    switch self {
    case .refused: DeskExit.refused
    case .unavailable, .noWay: DeskExit.unavailable
    case .unclear: DeskExit.unclear
    }
  }
}

/// What the desk's commands end with (sysexits.h, where it has a word).
enum DeskExit {
  /// The server refused it, or it is not so.
  static let refused: Int32 = 1
  /// The command line asks for what cannot be done.
  static let usage: Int32 = 64
  /// What was put in cannot be used.
  static let data: Int32 = 65
  /// The server cannot be asked.
  static let unavailable: Int32 = 69
  /// The file that was asked for cannot be written.
  static let output: Int32 = 74
  /// The answer to a change is lost: it may have been done.
  static let unclear: Int32 = 76
}

/// What an answer to the desk means. Pure.
///
/// ```
/// 2xx with JSON ─▶ the document          405; 404 in no word of the API ─▶ noWay
/// another 4xx in the API's form ─▶ refused: nothing was done
/// everything else ─▶ unavailable; of a change unclear: whatever stands between can answer while the request arrives
/// ```
struct DeskAnswer {
  let result: Result<JSONValue, DeskFault>

  /// - Parameters:
  ///   - call: what was asked, in words: `GET /api/events`.
  ///   - changes: whether the call can have changed something.
  init(
    _ answer: HTTPAnswer, to call: String, host: String, changes: Bool, hiding secrets: [Redaction],
    words: ServerWords
  ) {
    let said = ServerText(answer.body, hiding: secrets)
    func doubt(_ text: String) -> DeskFault {
      changes ? .unclear("\(text) It may have done it.") : .unavailable(text)
    }
    switch answer.status {
    case 204: result = .success(.object([:]))
    case 200...299:
      if answer.isJSON, let document = try? JSONValue(answer.body) {
        result = .success(document)
      } else {
        result = .failure(
          doubt(
            "\(host) answered \(answer.status) to \(call), but not as JSON that can be read\(answer.placeDoubt)"
              + words.addressCure))
      }
    case 405,
      404 where !(answer.isRefusal && !Self.isAboutRoute(said)):
      result = .failure(.noWay("\(host) has no \(call) (\(answer.status))."))
    case 300...399:
      result = .failure(
        doubt(
          "\(host) wants to send us elsewhere (\(answer.status)): the address must be the final one. \(words.addressCure)"
        ))
    case 400...499 where answer.isRefusal:
      result = .failure(.refused(status: answer.status, Self.refusal(answer, said, host, secrets, words)))
    case 400...499:
      result = .failure(
        doubt(
          "\(host) answered \(answer.status) to \(call), but not as the API does: a firewall, proxy or portal may have "
            + "answered in its place. \(words.addressCure)"))
    default:
      // Whoever tries a change again looks first.
      result = .failure(
        doubt("\(host) is out of order (\(answer.status)\(said.quoted)).\(changes ? "" : " Try again in a while.")"))
    }
  }

  /// Laravel's word for a path that it does not know.
  private static func isAboutRoute(_ said: ServerText) -> Bool {
    said.contains("the route ") && said.contains("could not be found")
  }

  private static func refusal(
    _ answer: HTTPAnswer, _ said: ServerText, _ host: String, _ secrets: [Redaction], _ words: ServerWords
  ) -> String {
    switch answer.status {
    case 401: return "\(host) does not know our API key (401)\(said.quoted). \(words.keyCure)"
    case 403: return "\(host) does not let our API key do that (403)\(said.quoted). Use a key of somebody who may."
    case 404: return "\(host) has nothing of that name (404)\(said.quoted). It may be gone: look it up."
    case 422:
      let errors = ((try? JSONValue(answer.body))?["errors"]?.members ?? [:]).sorted { $0.key < $1.key }.prefix(20)
      let lines = errors.compactMap { name, texts -> String? in
        let text = texts.elements.first?.told(hiding: secrets) ?? texts.told(hiding: secrets)
        guard let text, let name = StaffText.clean(name, hiding: secrets) else { return nil }
        return "\(name): \(text)"
      }
      return "\(host) does not take it (422)\(said.quoted)."
        + (lines.isEmpty ? "" : " " + lines.joined(separator: " "))
    case 423: return "\(host) blocks our API key for 15 minutes after too many failures (423). \(words.keyCure)"
    case 429: return "\(host) gets more requests than it allows (429). Try again in a minute."
    default: return "\(host) refuses it (\(answer.status))\(said.quoted)."
    }
  }
}
