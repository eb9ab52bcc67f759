package import ScanModel

/// What a code is the secret of.
package enum CodeKind: Int64, Sendable {
  /// One entry of a sale: it admits one.
  case entry = 1
  /// A whole sale: it admits as many as the sale has.
  case sale = 2
}

/// A ticket as a source of lists gives it.
package struct ListedCode: Sendable, Equatable {
  /// In the ticket system's own form.
  package var code: Code
  /// What it is the secret of, where the source says so.
  package var kind: CodeKind?
  /// What the list keeps of it.
  package var ticket: ListedTicket
  /// The line of the file, or the number in the answer.
  package var line: Int
  /// The word that told its state, as `FoldedText` has it.
  package var stateWord: String?
  /// The day for which it is, as it is written: `2026-11-21`.
  package var day: String?
  /// The time zone that its line names.
  package var zone: String?
  /// Whether another line of the same booking that names other seats adds to it.
  package var joinsSeats = false
  /// The holder; only where that was asked for.
  package var name: String?
  /// The holder's mail address; likewise.
  package var email: String?
}

extension CivilText {
  /// Judges a ticket that a ticket system told.
  mutating func read(
    _ told: ToldTicket, line: Int, _ recognise: (Code) -> Code
  ) throws(BadLine) -> ListedCode {
    if let obstacle = told.obstacle { throw BadLine(obstacle) }
    guard let status = told.status else { throw BadLine("its state is none that is known") }
    guard (1...TicketLineReader.most).contains(told.quantity) else { throw BadLine("it admits nobody") }
    var day: Reading?
    if let text = told.day {
      do throws(Problem) {
        day = try read(trimmed([UInt8](text.utf8)[...]), zone: nil)
      } catch {
        throw BadLine("its day is none that can be read")
      }
    }
    return ListedCode(
      code: try TicketLineReader.code([UInt8](told.code.utf8)[...], recognise), kind: told.isWholeSale ? .sale : .entry,
      ticket: ListedTicket(
        status: status, from: told.from ?? day?.beginning,
        until: told.until ?? day.map { max($0.end, $0.beginning + .seconds(1)) }, quantity: told.quantity,
        sale: told.sale, event: told.event, eventID: told.eventID, kind: told.kind,
        holder: told.holder, seats: told.seats),
      line: line)
  }
}
