internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// How event servers word what a desk is told.
struct EventScheduleManner: DeskManner {
  func lacks(_ answer: HTTPAnswer) -> Bool {
    switch answer.status {
    case 405: true
    case 404: !(answer.isRefusal && !Self.isAboutRoute(ServerText(answer.body, hiding: [])))
    default: false
    }
  }

  /// Laravel's word for a path that it does not know.
  private static func isAboutRoute(_ said: ServerText) -> Bool {
    said.contains("the route ") && said.contains("could not be found")
  }

  func isRefusal(_ answer: HTTPAnswer) -> Bool { answer.isRefusal }

  func quoted(_ answer: HTTPAnswer, hiding secrets: [Redaction]) -> String {
    ServerText(answer.body, hiding: secrets).quoted
  }

  func refusal(_ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords) -> String {
    let said = ServerText(answer.body, hiding: secrets)
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

extension DeskAnswer {
  /// As event servers have it.
  init(
    _ answer: HTTPAnswer, to call: String, host: String, changes: Bool, hiding secrets: [Redaction], words: ServerWords
  ) {
    self.init(
      answer, to: call, host: host, changes: changes, hiding: secrets, words: words, manner: EventScheduleManner())
  }
}

extension PageWalk {
  /// Through the lists of event servers, which say in `meta`, or in `meta.pagination`, which page is the last.
  init(most: Int = Self.most) {
    self.init(most: most, hasMore: { PageMeta($0["meta"]).lastPage ?? 0 > Int64($1) })
  }
}
