package import ScanModel
package import TicketTransport

/// What a ticket system gives for an enrolment code.
package struct Enrolment: Sendable, Equatable {
  /// The ticket system's type, as the configuration names it.
  package var type: String
  /// The base URL of its API; `https`, and on a server that the code or the trust list names.
  package var url: String
  /// The station's key.
  package var apiKey: GivenKey
  /// The gate that the station is, by the venue's name; printable ASCII, 1 to 64 characters.
  package var gate: String
  /// The ticket within a sale that the gate takes; `nil` for the first.
  package var saleTicket: Int64?
  /// What is noted as the seat with each entry; at most 255 characters.
  package var seat: String?

  package init(
    type: String, url: String, apiKey: GivenKey, gate: String, saleTicket: Int64? = nil, seat: String? = nil
  ) {
    self.type = type
    self.url = url
    self.apiKey = apiKey
    self.gate = gate
    self.saleTicket = saleTicket
    self.seat = seat
  }
}

/// An API key that was given by a scan, to be sealed. Printing, reflecting and interpolating it show no part.
package struct GivenKey: Sendable, Equatable, Unshown {
  /// The key itself, for sealing only; printable ASCII without blanks.
  package let text: String

  /// Takes a key; `nil` where `text` is none: empty, longer than 4,096 characters, or with what no header can carry.
  package init?(_ text: String) {
    guard (1...4_096).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    self.text = text
  }

  /// The key as requests carry it.
  package func secret() throws(Secret.Fault) -> Secret { try Secret(text) }

  package var description: String { "(API key)" }
}

/// Why a station was not enrolled.
package struct EnrolmentFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What the person at the scanner is shown.
  package var refusal: SetUpRefusal
  /// What happened, to which host, and what to do; without secrets, cleaned of what steers terminals.
  package var detail: String
  /// Whether the code may be used up although nothing was given for it. The same station may ask again with it.
  package var mayBeUsed: Bool

  package init(_ refusal: SetUpRefusal, _ detail: String, mayBeUsed: Bool = false) {
    self.refusal = refusal
    self.detail = detail
    self.mayBeUsed = mayBeUsed
  }

  package var description: String { detail }
}
