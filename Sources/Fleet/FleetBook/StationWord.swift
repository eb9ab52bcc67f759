internal import LibCrypto
package import ScanModel
internal import WireCoding

/// What a station says of itself to its fleet, beside its claims: a value under a key of its own (`ClaimKey.word`), small, versioned, signed.
/// It decides nothing. No code, no name and no address is in it.
package struct StationWord: Hashable, Sendable {
  /// How a station names a ticket system's tickets to the others, as digests by the fleet's key: two that differ name one ticket twice.
  package struct Naming: Hashable, Sendable {
    /// Of the ticket system's address.
    package var address: UInt64
    /// Of that and the scope.
    package var scope: UInt64

    package init(address: UInt64, scope: UInt64) {
      self.address = address
      self.scope = scope
    }
  }

  /// How far its civil time is ahead of UTC, in seconds: in January and in July.
  package struct Zone: Hashable, Sendable {
    package var january: Int32
    package var july: Int32

    package init(january: Int32, july: Int32) {
      self.january = january
      self.july = july
    }
  }

  /// Whom it has told its fleet of, since the event began.
  package struct Count: Hashable, Sendable {
    /// So many came in.
    package var admitted: UInt64
    /// So many left; of whom some may have come in elsewhere.
    package var left: UInt64

    package init(admitted: UInt64 = 0, left: UInt64 = 0) {
      self.admitted = admitted
      self.left = left
    }

    /// How many more came in than left; negative where people leave by it who came in elsewhere.
    package var balance: Int64 { saturatingDifference(admitted, left) }

    /// Adds what another process has told.
    package mutating func add(_ other: Count) {
      func sum(_ a: UInt64, _ b: UInt64) -> UInt64 { a > .max - b ? .max : a + b }
      (admitted, left) = (sum(admitted, other.admitted), sum(left, other.left))
    }

    /// Takes note of a change by one person at most.
    package mutating func add(_ change: Int) {
      if change > 0, admitted < .max { admitted += 1 }
      if change < 0, left < .max { left += 1 }
    }
  }

  /// The program's version.
  package var program: String
  /// Its ticket systems.
  package var systems: [Naming]
  package var zone: Zone
  package var count: Count
  /// How far its clock is ahead of the fleet's, where that is told to its staff.
  package var clockAhead: Duration?

  package init(
    program: String, systems: [Naming], zone: Zone, count: Count = Count(), clockAhead: Duration? = nil
  ) {
    self.program = program
    self.systems = systems
    self.zone = zone
    self.count = count
    self.clockAhead = clockAhead
  }
}

/// A word as it was read.
package struct KnownWord: Hashable, Sendable {
  /// Whose it is.
  package var station: StationID
  package var word: StationWord
  /// Its revision: the next one is written at that.
  package var revision: ClaimRevision
  /// When the leader took it, by its clock.
  package var time: WallTime

  package init(station: StationID, word: StationWord, revision: ClaimRevision, time: WallTime) {
    self.station = station
    self.word = word
    self.revision = revision
    self.time = time
  }
}

extension ClaimSeal {
  /// The bytes of a word of this station that is to replace a revision; `nil` where libcrypto has no memory.
  package func seal(_ word: StationWord, replacing revision: ClaimRevision) -> [UInt8]? {
    var writer = WireWriter()
    writer.put(StationWord.version)
    writer.put(revision.number)
    writer.put(station.description)
    word.put(into: &writer)
    guard let signature = key.signature(for: signed(wordOf: station, writer.bytes[...])) else { return nil }
    return writer.bytes + signature
  }

  /// What a stored value says of its station; `nil` of what decides nothing: of a later version, no word, or not of the station whose
  /// place it has.
  package func word(_ stored: StoredClaim) -> KnownWord? {
    guard stored.key.kind == .word, stored.value.first == StationWord.version,
      stored.value.count <= StationWord.longest, stored.value.count > Ed25519.signatureLength
    else { return nil }
    let body = stored.value.dropLast(Ed25519.signatureLength)
    var reader = WireReader(body)
    do throws(WireError) {
      _ = try reader.take(UInt8.self)
      let replaced = ClaimRevision(try reader.take())
      guard let station = StationID(try reader.takeText(limit: StationID.longest)), let key = stations[station],
        stored.key == .word(of: station), replaced == stored.replaced, replaced < stored.revision,
        key.isValidSignature(
          Array(stored.value.suffix(Ed25519.signatureLength)), for: signed(wordOf: station, body))
      else { return nil }
      let word = try StationWord(&reader)
      return KnownWord(station: station, word: word, revision: stored.revision, time: stored.time)
    } catch { return nil }
  }

  private func signed(wordOf station: StationID, _ body: some Collection<UInt8>) -> [UInt8] {
    var writer = WireWriter()
    writer.put("scangate word")
    writer.put(fleet)
    writer.put(station.description)
    return writer.bytes + body
  }
}

extension StationWord {
  /// The version that is written and read. What a later program adds stands behind, and is passed over.
  static let version: UInt8 = 1
  /// The longest value in bytes.
  static let longest = 8_192
  /// So many ticket systems are told at most.
  private static let mostSystems = 64
  /// The longest version of a program in bytes.
  private static let longestProgram = 64

  fileprivate func put(into writer: inout WireWriter) {
    writer.put(program, limit: Self.longestProgram)
    writer.putList(systems.prefix(Self.mostSystems)) { $0.put($1.address, $1.scope) }
    writer.put(zone.january)
    writer.put(zone.july)
    writer.put(count.admitted, count.left)
    writer.putOptional(clockAhead) { $0.put($1) }
  }

  fileprivate init(_ reader: inout WireReader) throws(WireError) {
    program = try reader.takeText(limit: Self.longestProgram)
    systems = try reader.takeList(limit: Self.mostSystems) { (reader) throws(WireError) in
      Naming(address: try reader.take(), scope: try reader.take())
    }
    zone = Zone(january: try reader.take(), july: try reader.take())
    count = Count(admitted: try reader.take(), left: try reader.take())
    clockAhead = try reader.takeOptional { (reader) throws(WireError) in try reader.takeDuration() }
  }
}

/// `a - b`, as far as that can be told.
private func saturatingDifference(_ a: UInt64, _ b: UInt64) -> Int64 {
  a >= b ? Int64(clamping: a - b) : -Int64(clamping: b - a)
}
