import ScanModel

/// What other codes of the same folded key mean for a ticket: see `docs/decisions/0026`.
extension TicketRecord {
  /// The ticket's sale, where the ticket system itself has named it; a list may call it otherwise.
  var toldSale: String? { entries.isEmpty ? nil : sale }

  /// Other codes that may be this ticket, and on which somebody is in, or may be.
  func otherSpellings(_ book: SaleBook) -> [Spelling] {
    isDistinct ? [] : book.spellings.others(than: self).filter(mayBeSame)
  }

  private func mayBeSame(_ other: Spelling) -> Bool {
    if let sale = toldSale, let theirs = other.sale, sale != theirs { return false }
    // Where the server takes both for one, a code that shows one entry for ever would show that of the other.
    return !(other.hasEntry && !entries.isEmpty && (kind == .entry || other.isEntry))
  }

  /// Whether somebody was admitted on another spelling without the ticket system's word, which was not told of it yet: whose
  /// an entry is that it shows now could not be told.
  func isOwedOtherwise(_ book: SaleBook) -> Bool { !isSpaced && otherSpellings(book).contains { $0.owed > 0 } }

  /// Why nobody is admitted though the ticket alone has an admission left: as many are in on it and its other spellings as it
  /// may be for. `nil` where there is room.
  func sharedOut(_ book: SaleBook) -> AttemptDecision? {
    let others = otherSpellings(book).filter(\.hasAdmitted)
    // What was read from a damaged file may be any number.
    func bounded(_ admitted: Int) -> Int { Swift.min(Swift.max(admitted, 0), 1_000_000) }
    let inside = others.reduce(bounded(admitted)) { $0 + bounded($1.admitted) }
    let most = kind == .entry ? 1 : Swift.max(allowance, quantity)
    guard !others.isEmpty, inside >= most else { return nil }
    // Another spelling of a sale's secret, or another ticket after all: where the ticket system keeps entries, staff find out.
    guard kind == .book else { return spelledOtherwise(.interrupted) }
    var refusal = decision(.refuse(.alreadyUsed), note: .otherCode)
    refusal.firstUse = firstUse ?? others.compactMap(\.firstUse).first
    return refusal
  }

  /// Somebody is in on another spelling, or may be: nobody passes on that alone, and nobody is refused for it.
  func spelledOtherwise(_ reason: UndecidedReason, detail: String? = nil) -> AttemptDecision {
    decision(
      .undecided(reason), note: .otherCode,
      detail: detail ?? "Another code that the ticket system may take for this one was used. Let staff decide.")
  }
}
