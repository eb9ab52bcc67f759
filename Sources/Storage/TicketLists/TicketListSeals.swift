internal import ScanModel
internal import Sealing

/// What seals and proves a list: digests by which codes are found, and proofs that a row is as it was written.
struct TicketListSeals: Sendable {
  /// A row's proof in bytes: who cannot compute one gets a row believed with a chance of 1 in 2⁶⁴, and a rotten bit likewise.
  static let proofLength = 8

  private let digester: Digester
  private let sealer: Sealer
  private let place: [UInt8]
  private let names: ListNames?
  /// Whether its tickets are found by the names that a fleet has for them.
  private let isNamed: Bool

  /// - Parameter names: what codes are called in the fleet by which the list is spread, or from which it came.
  init(_ key: SealKey, of place: TicketListPlace, names: ListNames? = nil) {
    digester = key.digester(for: .list)
    sealer = key.sealer(for: .list)
    self.place = [UInt8](place.boundTo.utf8)
    self.names = names
    isNamed = place.origin != nil
  }

  /// A code's digest: 16 bytes, so that of a million tickets and as many strangers no two share one. The server is in it: a
  /// code says nothing in another server's list.
  func digest(of code: Code) -> [UInt8] {
    if isNamed, let names { return names.name(code) }
    return digester.digest([0], place, code.bytes)
  }

  /// What a code is called in the fleet by which the list is spread; `nil` where it is not.
  func name(of code: Code) -> [UInt8]? { isNamed ? nil : names?.name(code) }

  /// A name as a ticket's row has it, proven: under another ticket it is none.
  func kept(_ name: [UInt8], of digest: [UInt8]) -> [UInt8] { name + short(digester.digest([8], digest, name)) }

  /// The name that a row has; `nil` where it is not as it was written.
  func name(_ kept: [UInt8], of digest: [UInt8]) -> [UInt8]? {
    let name = Array(kept.prefix(ListNames.length))
    return name.count == ListNames.length && self.kept(name, of: digest) == kept ? name : nil
  }

  /// The digest of what a code has in common with all that the ticket system may take for it; only while a list is made.
  func digest(ofFolded key: TicketKey) -> [UInt8] { digester.digest([3], place, key.bytes) }

  /// - Parameter list: `ListPart.birth` of the row's list: in another list's file the row proves nothing, or an old ticket could be
  ///   put into a new list.
  func proof(of row: StoredTicket, in list: [UInt8]) -> [UInt8] {
    var numbers: [UInt8] = []
    for value in [row.status, row.from, row.until, row.quantity, row.twin] {
      numbers.append(value == nil ? 0 : 1)
      withUnsafeBytes(of: (value ?? 0).bigEndian) { numbers.append(contentsOf: $0) }
    }
    let sale = optional(row.sale)
    if let details = row.details {
      let (identity, kind) = (optional(row.event?.identity), optional(row.event?.kind))
      return short(
        digester.digest([6], list, row.digest, numbers, sale, identity, kind, row.part?.bytes ?? [], details))
    }
    if let part = row.part {
      let (identity, kind) = (optional(row.event?.identity), optional(row.event?.kind))
      return short(digester.digest([4], list, row.digest, numbers, sale, identity, kind, part.bytes))
    }
    guard let event = row.event, !event.isPlain else {
      return short(digester.digest([1], list, row.digest, numbers, sale))
    }
    return short(
      digester.digest([1], list, row.digest, numbers, sale, optional(event.identity), optional(event.kind)))
  }

  /// Seals holder and seats for the row of a code alone.
  func seal(_ details: KeptDetails, of digest: [UInt8]) -> [UInt8] {
    sealer.seal(details.bytes, binding: Self.binding(digest))
  }

  /// Holder and seats; `nil` where they were sealed for another row, or by another key.
  func details(_ sealed: [UInt8], of digest: [UInt8]) -> KeptDetails? {
    sealer.open(sealed, binding: Self.binding(digest)).flatMap { KeptDetails($0) }
  }

  private static func binding(_ digest: [UInt8]) -> [UInt8] { [UInt8]("ticket details".utf8) + digest }

  /// What tells seats of one import apart, and nobody anything else.
  func digest(ofSeat seat: String) -> [UInt8] { short(digester.digest([7], place, [UInt8](seat.utf8))) }

  func proof(ofSale sale: String, quantity: Int64, in list: [UInt8]) -> [UInt8] {
    short(
      digester.digest([2], place, list, [UInt8](sale.utf8), withUnsafeBytes(of: quantity.bigEndian) { [UInt8]($0) }))
  }

  func proof(of mark: ImportMark, in list: [UInt8]) -> [UInt8] {
    short(
      digester.digest(
        [3], place, list, [UInt8](mark.boot.utf8), withUnsafeBytes(of: mark.sinceBoot.bigEndian) { [UInt8]($0) }))
  }

  /// - Parameter digest: of the ticket's code: the server is in it.
  func proof(of checked: CheckedTicket, _ digest: [UInt8]) -> [UInt8] {
    let times = [checked.ends.seconds, checked.at.seconds]
    return short(
      digester.digest(
        [5], digest, times.flatMap { time in withUnsafeBytes(of: time.bigEndian) { [UInt8]($0) } },
        optional(checked.kind)))
  }

  private func optional(_ text: String?) -> [UInt8] { text.map { [1] + [UInt8]($0.utf8) } ?? [] }

  private func short(_ digest: [UInt8]) -> [UInt8] { [UInt8](digest.prefix(Self.proofLength)) }

  /// Proves later that key, system and server are the same, and what is told of the whole.
  func proof(of head: TicketListHead) -> [UInt8] { sealer.seal([], binding: head.bytes) }
  func proves(_ proof: [UInt8], _ head: TicketListHead) -> Bool { sealer.open(proof, binding: head.bytes) != nil }
}
