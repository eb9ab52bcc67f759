internal import ScanModel
internal import WireCoding

extension WireWriter {
  mutating func put(_ id: OrderID) { for byte in id.bytes { put(byte) } }

  mutating func put(_ order: StationOrder) {
    put(order.id)
    put(order.who)
    put(order.why, limit: StationLimits.maximumWhy)
    put(order.givenAt.nanoseconds)
    put(order.action.kind.rawValue)
    switch order.action {
    case .maintenance(let gate, let isOn): put(gate.name, isOn)
    case .openOnce(let gate), .annul(let gate): put(gate.name)
    case .present(let gate, let code):
      put(gate.name)
      put(bytes: code.bytes.prefix(StationLimits.maximumCode))
    case .search(let text): put(text)
    case .outboxHold(let isOn): put(isOn)
    case .listRefresh(let system): putName(system?.name)
    case .signalTest(let gate, let signal): put(gate.name, signal.text)
    case .arming(let minutes): put(minutes)
    case .status(let status): putName(status?.rawValue)
    case .picture(let reader): put(reader.name)
    case .acknowledge(let admission): for byte in admission.bytes { put(byte) }
    case .outboxRetry, .journalAccept: break
    }
  }

  mutating func put(_ outcome: OrderOutcome) {
    switch outcome {
    case .done(let words):
      put(0 as UInt8)
      putWords(words)
    case .decided(let line):
      put(1 as UInt8)
      put(line, limit: StationLimits.maximumLine)
    case .found(let tickets):
      put(2 as UInt8)
      putList(tickets.prefix(StationLimits.maximumFound)) { $0.put($1) }
    case .picture(let picture):
      put(5 as UInt8)
      put(picture)
    case .refused(let refusal, let words):
      put(3 as UInt8, refusal.rawValue)
      putWords(words)
    case .unknown(let words):
      put(4 as UInt8)
      putWords(words)
    }
  }

  private mutating func put(_ ticket: FoundTicket) {
    put(ticket.code, ticket.system.name)
    putName(ticket.holder)
    putName(ticket.event)
    put(ticket.admitted)
    putOptional(ticket.allowance) { $0.put($1) }
    putTime(ticket.firstAdmitted)
    putName(ticket.gate?.name)
    putOptional(ticket.words) { $0.put($1) }
  }
}

extension WireReader {
  mutating func takeOrderID() throws(WireError) -> OrderID {
    var bytes: [UInt8] = []
    for _ in 0..<16 { bytes.append(try take()) }
    guard let id = OrderID(bytes: bytes) else { throw WireError("an order without a number") }
    return id
  }

  mutating func takeOrder() throws(WireError) -> StationOrder {
    let id = try takeOrderID()
    let who = try takeText()
    let why = try takeText(limit: StationLimits.maximumWhy)
    let givenAt = MonotonicTime(nanoseconds: try take())
    return StationOrder(try takeAction(), who: who, why: why, id: id, givenAt: givenAt)
  }

  private mutating func takeAction() throws(WireError) -> StationOrder.Action {
    switch try takeWord(OrderKind.self) {
    case .maintenance: return .maintenance(GateID(try takeText()), isOn: try takeFlag())
    case .openOnce: return .openOnce(GateID(try takeText()))
    case .annul: return .annul(GateID(try takeText()))
    case .present:
      return .present(GateID(try takeText()), Code(bytes: try takeBytes(limit: StationLimits.maximumCode)))
    case .search: return .search(try takeText())
    case .outboxHold: return .outboxHold(isOn: try takeFlag())
    case .outboxRetry: return .outboxRetry
    case .listRefresh: return .listRefresh(try takeOptionalName().map { TicketSystemID($0) })
    case .arming: return .arming(minutes: try take())
    case .signalTest:
      let gate = GateID(try takeText())
      guard let signal = Signal(text: try takeText()) else { throw WireError("an unknown signal") }
      return .signalTest(gate, signal)
    case .journalAccept: return .journalAccept
    case .status: return .status(try takeOptionalWord())
    case .acknowledge: return .acknowledge(try takeAttemptID())
    case .picture: return .picture(ReaderID(try takeText()))
    }
  }

  mutating func takeOutcome() throws(WireError) -> OrderOutcome {
    switch try take(UInt8.self) {
    case 0: return .done(try takeWords())
    case 1: return .decided(line: try takeText(limit: StationLimits.maximumLine))
    case 2:
      return .found(
        try takeList(limit: StationLimits.maximumFound) { (reader) throws(WireError) in try reader.takeFound() })
    case 3: return .refused(try takeWord(), try takeWords())
    case 4: return .unknown(try takeWords())
    case 5: return .picture(try takeCameraView())
    default: throw WireError("an unknown outcome")
    }
  }

  private mutating func takeFound() throws(WireError) -> FoundTicket {
    FoundTicket(
      code: try takeText(), system: TicketSystemID(try takeText()), holder: try takeOptionalName(),
      event: try takeOptionalName(), admitted: try take(),
      allowance: try takeOptional { (reader) throws(WireError) in try reader.take() },
      firstAdmitted: try takeOptionalTime(), gate: try takeOptionalName().map { GateID($0) },
      words: try takeOptionalName())
  }
}
