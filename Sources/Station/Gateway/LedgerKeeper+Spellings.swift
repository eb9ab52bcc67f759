import ScanModel

/// Codes that the ticket system may take for spellings of one: see `docs/decisions/0026`.
extension LedgerKeeper {
  /// The folded key of a code as of now; `nil` where it has one spelling only.
  func folded(of code: Code, _ system: any TicketSystem) -> TicketKey? {
    system.foldedKey(of: code).map { store.folded($0, in: part) }
  }

  /// Whether the list on board names another code, too, that the ticket system may take for this one.
  func namesOtherSpelling(_ code: Code, _ system: TicketSystemID) async -> Bool {
    guard let list = store.dependencies.list(system, store.server) else { return false }
    return (try? await list.find(code))?.hasOtherSpelling == true
  }
}
