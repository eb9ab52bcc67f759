internal import Admission
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
import StationProtocol
internal import TicketSystemKit

/// What the station knows of a code without asking anybody: by its lists on board, and by its own book.
extension RunningStation {
  /// How long lists and book are waited for.
  private static let patience = Duration.seconds(2)
  /// The least that is looked for: a shorter text is no code.
  private static let leastSearched = 4

  func search(_ text: String, names: Bool) async -> OrderOutcome {
    let code = Code(text)
    guard code.bytes.count >= Self.leastSearched else {
      return .refused(.unknown, "Give the whole code: \(Self.leastSearched) characters at least.")
    }
    var found: [FoundTicket] = []
    for system in configuration?.ticketSystems ?? [] {
      guard let face = face(of: system.id) else { continue }
      let answer = OneAnswer<FoundTicket?>()
      Task { [memory] in answer.give(await memory.find(code, in: system, face, names: names)) }
      if let ticket = await answer.first(within: Self.patience, else: nil) { found.append(ticket) }
    }
    return .found(found)
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
