package import ScanModel

extension ListFinding {
  /// What a list says that was told of all its tickets at once; `nil` where there is none.
  package init?(_ ticket: ListedTicket?, in list: TicketListState?) {
    guard let list else { return nil }
    self = ticket.map { .named($0, list.told) } ?? .unnamed(all: list.told, any: list.told)
  }
}
