internal import ScanModel
package import WireCoding

extension ListenerMessage {
  /// The packet.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .hello(let version, let program, let wants):
      // The layout of this one stays for ever: it is how ends of different versions find out.
      writer.put(1 as UInt8, version, program, wants.names)
    case .snapshot: writer.put(2 as UInt8)
    case .listen: writer.put(3 as UInt8)
    case .order(let order):
      writer.put(4 as UInt8)
      writer.put(order)
    }
    return writer.bytes
  }

  /// Reads a packet.
  /// - Throws: what is wrong with it.
  package init(bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    switch try reader.take(UInt8.self) {
    case 1:
      self = .hello(
        version: try reader.take(), program: try reader.takeText(), wants: ListenerWants(names: try reader.takeFlag()))
      // A later version may say more here.
      return
    case 2: self = .snapshot
    case 3: self = .listen
    case 4: self = .order(try reader.takeOrder())
    case let type: throw WireError("a message of unknown type \(type)")
    }
    try reader.end()
  }
}

extension StationMessage {
  /// The packet.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .welcome(let welcome):
      writer.put(1 as UInt8, welcome.version, welcome.station, welcome.program)
      writer.putList(welcome.orders) { $0.put($1.rawValue) }
      writer.put(welcome.names)
    case .refused(let words):
      // The layout of this one stays for ever, too.
      writer.put(2 as UInt8)
      writer.putWords(words)
    case .snapshot(let part):
      writer.put(3 as UInt8, part.index, part.isLast)
      writer.put(bytes: part.bytes)
    case .event(let event):
      writer.put(4 as UInt8, event.number)
      writer.put(event.line, limit: StationLimits.maximumLine)
    case .dropped(let count): writer.put(5 as UInt8, count)
    case .answer(let id, let outcome):
      writer.put(6 as UInt8)
      writer.put(id)
      writer.put(outcome)
    }
    return writer.bytes
  }

  /// Reads a packet.
  /// - Throws: what is wrong with it.
  package init(bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    switch try reader.take(UInt8.self) {
    case 1:
      self = .welcome(
        StationWelcome(
          version: try reader.take(), station: try reader.takeText(), program: try reader.takeText(),
          orders: try reader.takeList(limit: OrderKind.allCases.count) { (reader) throws(WireError) in
            try reader.takeWord()
          }, names: try reader.takeFlag()))
    case 2: self = .refused(try reader.takeWords())
    case 3:
      self = .snapshot(
        SnapshotPart(
          index: try reader.take(), isLast: try reader.takeFlag(),
          bytes: try reader.takeBytes(limit: StationLimits.maximumPart)))
    case 4:
      self = .event(
        StationEvent(number: try reader.take(), line: try reader.takeText(limit: StationLimits.maximumLine)))
    case 5: self = .dropped(try reader.take())
    case 6: self = .answer(try reader.takeOrderID(), try reader.takeOutcome())
    case let type: throw WireError("a message of unknown type \(type)")
    }
    try reader.end()
  }
}

/// The forms that orders, outcomes and snapshots share.
extension WireWriter {
  mutating func putWords(_ words: String) { put(words, limit: StationLimits.maximumWords) }

  mutating func putWords(_ words: String?) { putOptional(words) { $0.putWords($1) } }

  mutating func putName(_ name: String?) { putOptional(name) { $0.put($1) } }

  mutating func put(_ time: WallTime) { put(time.nanoseconds) }

  mutating func putTime(_ time: WallTime?) { putOptional(time) { $0.put($1) } }

  mutating func putDuration(_ duration: Duration?) { putOptional(duration) { $0.put($1) } }

  mutating func putNumber(_ number: UInt64?) { putOptional(number) { $0.put($1) } }
}

extension WireReader {
  mutating func takeWords() throws(WireError) -> String { try takeText(limit: StationLimits.maximumWords) }

  mutating func takeOptionalWords() throws(WireError) -> String? {
    try takeOptional { (reader) throws(WireError) in try reader.takeWords() }
  }

  mutating func takeOptionalName() throws(WireError) -> String? {
    try takeOptional { (reader) throws(WireError) in try reader.takeText() }
  }

  mutating func takeTime() throws(WireError) -> WallTime { WallTime(nanoseconds: try take()) }

  mutating func takeOptionalTime() throws(WireError) -> WallTime? {
    try takeOptional { (reader) throws(WireError) in try reader.takeTime() }
  }

  mutating func takeOptionalDuration() throws(WireError) -> Duration? {
    try takeOptional { (reader) throws(WireError) in try reader.takeDuration() }
  }

  mutating func takeOptionalNumber() throws(WireError) -> UInt64? {
    try takeOptional { (reader) throws(WireError) in try reader.take() }
  }

  mutating func takeOptionalWord<Word: RawRepresentable<String>>() throws(WireError) -> Word? {
    try takeOptional { (reader) throws(WireError) in try reader.takeWord() }
  }
}
