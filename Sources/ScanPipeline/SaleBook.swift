import ScanModel

/// What one code of a ticket system means for another: codes of the same sale share what was paid, and two spellings of
/// one code share its record.
struct SaleBook: Sendable {
  private struct Sale {
    var admitted = 0
    var quantity: Int?
    var firstUse: AttemptDecision.FirstUse?
  }

  /// The code that a record was first seen for, and whether somebody passed on it.
  struct Owner: Sendable {
    let key: TicketKey
    var firstUse: AttemptDecision.FirstUse?
  }

  private var sales: [String: Sale] = [:]
  private var owners: [String: Owner] = [:]

  /// Whether somebody of the sale is still outside, as far as is known.
  func hasRoom(in sale: String?) -> Bool {
    guard let sale = sale.flatMap({ sales[$0] }), let quantity = sale.quantity else { return true }
    return sale.admitted < quantity
  }

  func firstUse(in sale: String?) -> AttemptDecision.FirstUse? { sale.flatMap { sales[$0]?.firstUse } }

  /// The latest word on how many persons the sale admits counts.
  mutating func learn(_ sale: String, quantity: Int?) {
    sales[sale, default: Sale()].quantity = quantity ?? sales[sale]?.quantity
  }

  mutating func count(_ admissions: Int, in sale: String?, firstUse: AttemptDecision.FirstUse?) {
    guard let sale, admissions > 0 else { return }
    sales[sale, default: Sale()].admitted += admissions
    if sales[sale]?.firstUse == nil { sales[sale]?.firstUse = firstUse }
  }

  mutating func giveBack(sale: String?, entryID: String?) {
    if let entryID { owners[entryID]?.firstUse = nil }
    guard let sale, let admitted = sales[sale]?.admitted, admitted > 0 else { return }
    sales[sale]?.admitted = admitted - 1
    if admitted == 1 { sales[sale]?.firstUse = nil }
  }

  /// Who owns the record, if it is another code.
  func owner(of entryID: String, otherThan key: TicketKey) -> Owner? {
    owners[entryID].flatMap { $0.key == key ? nil : $0 }
  }

  mutating func own(_ entryID: String, _ key: TicketKey) {
    if owners[entryID] == nil { owners[entryID] = Owner(key: key) }
  }

  mutating func use(_ entryID: String, _ use: AttemptDecision.FirstUse) { owners[entryID]?.firstUse = use }
}
