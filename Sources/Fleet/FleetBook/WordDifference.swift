internal import ScanModel

/// What a station says otherwise than the others of its fleet, so that both may admit one ticket. Pure.
package struct WordDifference: Hashable, Sendable {
  /// What differs.
  package enum Kind: Hashable, Sendable {
    /// Its time zone is another one than most have: a day begins at another time.
    case zone(own: StationWord.Zone, most: StationWord.Zone)
    /// It names none of its ticket systems as another station does.
    case address
    /// It has the ticket system by the same address as others, and another scope.
    case scope
    /// It has a ticket system that no other station has: it may be one of its own.
    case ownSystem
  }

  package var station: StationID
  package var kind: Kind

  package init(_ station: StationID, _ kind: Kind) {
    self.station = station
    self.kind = kind
  }

  /// Whether somebody has to look: what may be meant is no more than said.
  package var isDoubt: Bool { kind != .ownSystem }

  /// A sentence.
  package var words: String {
    switch kind {
    case .zone(let own, let most):
      "\(station) has another time zone than most stations (\(own.words), they \(most.words)): where a ticket admits once a day, its day is another one."
    case .address:
      "\(station) names none of its ticket systems as another station does: one ticket opens it and the others. Write the same address at all stations."
    case .scope:
      "\(station) has another scope for a ticket system than most stations: one ticket opens it and the others. Write the same scope at all stations."
    case .ownSystem:
      "\(station) has a ticket system that no other station has. Where that is not meant, write the same address at all stations."
    }
  }

  /// What differs among words, by station.
  package static func found(in words: [KnownWord]) -> [WordDifference] {
    let words = words.sorted { $0.station.description < $1.station.description }
    guard words.count > 1 else { return [] }
    var found: [WordDifference] = []
    if let most = mostSaid(words.map(\.word.zone)) {
      for one in words where one.word.zone != most {
        found.append(WordDifference(one.station, .zone(own: one.word.zone, most: most)))
      }
    }
    let telling = words.filter { !$0.word.systems.isEmpty }
    var holders: [UInt64: [KnownWord]] = [:]
    for one in telling {
      for address in Set(one.word.systems.map(\.address)) { holders[address, default: []].append(one) }
    }
    for one in telling where telling.count > 1 {
      let alone = Set(one.word.systems.map(\.address)).filter { holders[$0]?.count == 1 }
      if alone.count == Set(one.word.systems.map(\.address)).count {
        found.append(WordDifference(one.station, .address))
      } else if !alone.isEmpty {
        found.append(WordDifference(one.station, .ownSystem))
      }
    }
    var apart: Set<StationID> = []
    for (address, those) in holders where those.count > 1 {
      func scopes(_ one: KnownWord) -> Set<UInt64> {
        Set(one.word.systems.filter { $0.address == address }.map(\.scope))
      }
      guard let most = mostSaid(those.map(scopes)) else { continue }
      for one in those where scopes(one) != most { apart.insert(one.station) }
    }
    found += words.filter { apart.contains($0.station) }.map { WordDifference($0.station, .scope) }
    return found.sorted { $0.station.description < $1.station.description }
  }

  /// What most say; of two that as many say, whichever was said first.
  private static func mostSaid<Value: Hashable>(_ values: [Value]) -> Value? {
    var counts: [Value: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    let most = counts.values.max()
    return values.first { counts[$0] == most }
  }
}

extension StationWord.Zone {
  /// Such as `UTC+1, in July UTC+2`.
  package var words: String {
    january == july ? Self.words(january) : "\(Self.words(january)), in July \(Self.words(july))"
  }

  private static func words(_ seconds: Int32) -> String {
    let minutes = seconds.magnitude / 60
    let rest = minutes % 60
    let tail = rest == 0 ? "" : ":\(rest < 10 ? "0" : "")\(rest)"
    return "UTC\(seconds < 0 ? "-" : "+")\(minutes / 60)\(tail)"
  }
}
