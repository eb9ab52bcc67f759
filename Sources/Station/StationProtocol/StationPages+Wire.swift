internal import ScanModel
internal import WireCoding

extension WireWriter {
  mutating func put(_ branding: StationSnapshot.Branding) {
    putName(branding.name)
    putName(branding.logoText)
    put(branding.background, branding.text, branding.primary, branding.onPrimary, branding.accent, branding.onAccent)
  }

  mutating func put(_ seats: StationSnapshot.Seats) {
    putNumber(seats.capacity)
    putNumber(seats.sold)
    putList(seats.kinds.prefix(StationLimits.maximumKinds)) { writer, kind in
      writer.put(kind.name)
      writer.putNumber(kind.capacity)
      writer.putNumber(kind.sold)
    }
  }

  mutating func put(_ conflict: StationSnapshot.Conflict) {
    for byte in conflict.id.bytes { put(byte) }
    put(conflict.system.name, conflict.gate.name)
    putName(conflict.code)
    put(conflict.admitted)
    put(conflict.state)
    putName(conflict.reason)
    putWords(conflict.words)
  }

  mutating func put(_ board: StationSnapshot.Board) {
    putName(board.name)
    putName(board.room)
    putName(board.location)
    putWords(board.welcomeMessage)
    putWords(board.helpMessage)
    putName(board.status?.rawValue)
    putName(board.manualStatus?.rawValue)
    putList(board.statusTexts.prefix(StationStatus.allCases.count)) { writer, text in
      writer.put(text.status.rawValue)
      writer.putWords(text.text)
    }
  }

  mutating func put(_ throughput: StationThroughput) {
    put(throughput.from)
    putList(throughput.series.prefix(StationThroughput.mostSeries)) { writer, series in
      writer.put(series.gate.name, series.verdict)
      writer.putName(series.reason)
      writer.putList(series.counts.prefix(StationThroughput.bins)) { $0.put($1) }
    }
  }
}

extension WireReader {
  mutating func takeAttemptID() throws(WireError) -> AttemptID {
    var bytes: [UInt8] = []
    for _ in 0..<16 { bytes.append(try take()) }
    guard let id = AttemptID(bytes: bytes) else { throw WireError("an admission without its number") }
    return id
  }

  mutating func takeBranding() throws(WireError) -> StationSnapshot.Branding {
    StationSnapshot.Branding(
      name: try takeOptionalName(), logoText: try takeOptionalName(), background: try take(), text: try take(),
      primary: try take(), onPrimary: try take(), accent: try take(), onAccent: try take())
  }

  mutating func takeSeats() throws(WireError) -> StationSnapshot.Seats {
    StationSnapshot.Seats(
      capacity: try takeOptionalNumber(), sold: try takeOptionalNumber(),
      kinds: try takeList(limit: StationLimits.maximumKinds) { (reader) throws(WireError) in
        StationSnapshot.Seats.Kind(
          name: try reader.takeText(), capacity: try reader.takeOptionalNumber(), sold: try reader.takeOptionalNumber())
      })
  }

  mutating func takeConflict() throws(WireError) -> StationSnapshot.Conflict {
    StationSnapshot.Conflict(
      id: try takeAttemptID(), system: TicketSystemID(try takeText()), gate: GateID(try takeText()),
      code: try takeOptionalName(), admitted: try takeTime(), state: try takeText(), reason: try takeOptionalName(),
      words: try takeOptionalWords())
  }

  mutating func takeBoard() throws(WireError) -> StationSnapshot.Board {
    var board = StationSnapshot.Board()
    board.name = try takeOptionalName()
    board.room = try takeOptionalName()
    board.location = try takeOptionalName()
    board.welcomeMessage = try takeOptionalWords()
    board.helpMessage = try takeOptionalWords()
    board.status = try takeOptionalWord()
    board.manualStatus = try takeOptionalWord()
    board.statusTexts = try takeList(limit: StationStatus.allCases.count) { (reader) throws(WireError) in
      StationSnapshot.Board.StatusText(status: try reader.takeWord(), text: try reader.takeWords())
    }
    return board
  }

  mutating func takeThroughput() throws(WireError) -> StationThroughput {
    var throughput = StationThroughput()
    throughput.from = try takeTime()
    throughput.series = try takeList(limit: StationThroughput.mostSeries) { (reader) throws(WireError) in
      StationThroughput.Series(
        gate: GateID(try reader.takeText()), verdict: try reader.takeText(), reason: try reader.takeOptionalName(),
        counts: try reader.takeList(limit: StationThroughput.bins) { (reader) throws(WireError) in try reader.take() })
    }
    return throughput
  }
}
