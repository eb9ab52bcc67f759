internal import Admission
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
import StationProtocol
internal import TicketSystemKit

/// What the station knows of a code without asking anybody: by its lists on board, and by its own book.
///
/// Whoever searches has a whole code, or the four characters that are shown of one. More of its end would be confirmed a character at a
/// time until the whole code is known: so no more than what everybody is shown anyway finds anything, and only what was presented here
/// lately. Lists have codes as digests, and find whole ones alone.
extension RunningStation {
  /// How long lists and book are waited for.
  private static let patience = Duration.seconds(2)
  /// How many characters of a code are shown, see `Code.shortened`; a text of so many is its end, and no code.
  private static let shown = 4

  func search(_ text: String, names: Bool) async -> OrderOutcome {
    let isEnd = text.hasPrefix("…")
    let searched = isEnd ? String(text.dropFirst()) : text
    let length = searched.unicodeScalars.count
    guard length >= Self.shown, !isEnd || length == Self.shown else {
      return .refused(.unknown, "Give the whole code, or the last \(Self.shown) characters of it.")
    }
    var found = isEnd ? [] : await find(Code(searched), names: names)
    if length == Self.shown { found += await find(endingWith: searched, names: names) }
    return .found(Array(found.prefix(StationLimits.maximumFound)))
  }

  /// What is known of codes with such an end that were presented here lately.
  private func find(endingWith shown: String, names: Bool) async -> [FoundTicket] {
    let shortened = "…\(shown)"
    let answer = OneAnswer<[Code]>()
    Task { [memory] in answer.give(await memory.presented(shortened)) }
    var found: [FoundTicket] = []
    // Lists and book may hang, at each of them.
    let end = time.now() + Self.patience * 2
    for code in await answer.first(within: Self.patience, else: [])
    where found.count < StationLimits.maximumFound && time.now() < end {
      for ticket in await find(code, names: names) where !found.contains(ticket) { found.append(ticket) }
    }
    return found
  }

  private func find(_ code: Code, names: Bool) async -> [FoundTicket] {
    var found: [FoundTicket] = []
    for system in configuration?.ticketSystems ?? [] {
      guard let face = face(of: system.id) else { continue }
      let answer = OneAnswer<FoundTicket?>()
      Task { [memory] in answer.give(await memory.find(code, in: system, face, names: names)) }
      if let ticket = await answer.first(within: Self.patience, else: nil) { found.append(ticket) }
    }
    return found
  }
}

extension StationMemory {
  /// What is known of a code; `nil` where nothing is.
  fileprivate func find(
    _ presented: Code, in system: TicketSystemConfiguration, _ face: any TicketSystem, names: Bool
  ) async -> FoundTicket? {
    let code = face.recognise(presented).code
    let listed = try? await list(of: system).list?.find(face.listedCode(code))
    let use = await keeper(of: system.address)?.use(of: code, in: face)
    guard listed?.ticket != nil || use?.first != nil else { return nil }
    var ticket = FoundTicket(code: code.shortened, system: system.id, admitted: UInt32(clamping: use?.admitted ?? 0))
    if let listed = listed?.ticket {
      ticket.holder = names ? listed.holder.map { TerminalText.clean($0) } : nil
      ticket.event = listed.event.map { TerminalText.clean($0) }
      ticket.allowance = UInt32(clamping: listed.quantity)
      ticket.words = listed.status == .valid ? nil : listed.status.rawValue
    }
    ticket.firstAdmitted = use?.first?.at
    ticket.gate = use?.first?.gate
    return ticket
  }
}

extension LedgerKeeper {
  /// Who was admitted on a code; `nil` where nobody was, or that cannot be told.
  func use(of code: Code, in system: any TicketSystem) async -> (admitted: Int, first: AttemptDecision.FirstUse?)? {
    guard case .proceed(let found) = system.examine(code, at: time.wall()) else { return nil }
    let key = stored.key(found)
    guard (try? await stored.remember(key)) != nil else { return nil }
    return stored.ledger.use(of: key)
  }
}
