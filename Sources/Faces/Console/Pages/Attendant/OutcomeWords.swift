import ScanModel
import StationProtocol

/// What became of an order, as a page says it.
struct OutcomeWords: Sendable {
  let texts: PageTexts
  let time: PageTime

  /// For the template: `outcome`.
  func model(_ outcome: PageOutcome?) -> PageModel {
    guard let outcome else { return ["isTrouble": true, "title": .text(texts["order.gone"])] }
    switch outcome {
    case .done(let text): return ["title": .text(texts["order.done"]), "words": .text(texts["done.\(text)"])]
    case .decided(let scan): return decided(scan)
    case .found(let tickets): return found(tickets)
    case .refused(let refusal, let words):
      // One reason, in the page's language. Of what failed the station alone can tell what it was.
      let isOfDevice = refusal == .outOfService || refusal == .notWritten
      return trouble("order.refused", texts.named("refused", refusal.rawValue), isOfDevice ? words : nil)
    case .unknown: return trouble("order.unknown", texts["order.unknownWords"], nil)
    case .away: return trouble("order.refused", texts["order.away"], nil)
    case .invalid: return trouble("order.refused", texts["order.invalid"], nil)
    }
  }

  private func trouble(_ title: String, _ words: String, _ detail: String?) -> PageModel {
    [
      "isTrouble": true, "title": .text(texts[title]), "words": .text(words),
      "detail": detail.map { .foreign($0, limit: ShownScan.longestDetail) },
    ]
  }

  private func decided(_ scan: ShownScan) -> PageModel {
    let words = DoorWords(scan, texts, time)
    return [
      "verdict": .text(words.kind),
      "title": .text([words.head, words.mark].compactMap(\.self).joined(separator: ", ")),
      "words": words.reason.map { .text($0) },
      "facts": .list((words.facts + [words.code].compactMap(\.self)).map { ["words": .text($0)] }),
      "detail": words.detail.map { .text($0) },
    ]
  }

  private func found(_ tickets: [FoundTicket]) -> PageModel {
    guard !tickets.isEmpty else {
      return ["title": .text(texts["attendant.found"]), "words": .text(texts["attendant.foundNothing"])]
    }
    let rows = tickets.prefix(StationLimits.maximumFound).map { ticket -> PageModel in
      ["facts": .list(facts(of: ticket).map { ["words": .foreign($0, limit: ShownScan.longestDetail)] })]
    }
    return ["title": .text(texts["attendant.found"]), "tickets": .list(rows)]
  }

  private func facts(of ticket: FoundTicket) -> [String] {
    func short(_ text: String?) -> String? { text.map { TerminalText.clean($0, limit: ShownScan.longestFact) } }
    var facts = [
      // The service has shortened it; one that has not is no reason to show more.
      ticket.code.unicodeScalars.count <= 5 ? ticket.code : Code(ticket.code).shortened, ticket.system.name,
    ]
    facts += [short(ticket.holder), short(ticket.event)].compactMap(\.self)
    facts.append(
      ticket.allowance.map { texts("verdict.of", String(ticket.admitted), String($0)) }
        ?? texts("verdict.in", String(ticket.admitted)))
    if let used = ticket.firstAdmitted {
      facts.append(
        ticket.gate.flatMap { short($0.name) }.map { texts("verdict.usedGate", time.short(used), $0) }
          ?? texts("verdict.used", time.short(used)))
    }
    if let words = ticket.words { facts.append(words) }
    return facts
  }
}
