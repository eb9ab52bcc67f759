public import ScanModel

/// What a code is the secret of.
public enum CodeKind: Int64, Sendable {
  /// One entry of a sale: it admits one.
  case entry = 1
  /// A whole sale: it admits as many as the sale has.
  case sale = 2
}

/// A ticket as a source of lists gives it.
public struct ListedCode: Sendable, Equatable {
  /// In the ticket system's own form.
  public var code: Code
  /// What it is the secret of, where the source says so.
  public var kind: CodeKind?
  /// What the list keeps of it.
  public var ticket: ListedTicket
  /// The line of the file, or the number in the answer.
  public var line: Int
  /// The word that told its state, as `FoldedText` has it.
  public var stateWord: String?
  /// The day for which it is, as it is written: `2026-11-21`.
  public var day: String?
  /// The time zone that its line names.
  public var zone: String?
  /// The holder; only where that was asked for.
  public var name: String?
  /// The holder's mail address; likewise.
  public var email: String?
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
        status: status, from: day?.beginning, until: day.map { max($0.end, $0.beginning + .seconds(1)) },
        quantity: told.quantity, sale: told.sale, event: told.event),
      line: line)
  }
}
