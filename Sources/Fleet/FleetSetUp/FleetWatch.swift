package import FleetBook
internal import JetStreamClaims
package import ScanModel
internal import WireText

/// What `scangate fleet watch` tells, line by line: what has changed of servers and leader, each conflict, and now and then how things
/// stand. Pure: it is given what the servers tell and what stations write, and decides nothing.
package struct FleetWatch: Sendable {
  /// A line.
  package struct Line: Sendable, Equatable {
    /// What it is about. The raw values are the words of `--json`.
    package enum Kind: String, Sendable, CaseIterable {
      /// How things stand.
      case state
      /// Who leads, whether there is a majority, what is the matter with the book.
      case fleet
      /// What is the matter with a server, or no more.
      case server
      /// A station writes for the first time since this was begun, or after a silence.
      case station
      /// Two were admitted on one ticket.
      case conflict
      /// What a key has cannot be believed.
      case unusable
      /// All stations were taken out of service at once, or that was ended.
      case maintenance
    }

    package var kind: Kind
    package var at: WallTime
    package var words: String

    /// For programs.
    package var json: String {
      var object = JSONText()
      object.add("at", at.iso8601)
      object.add("kind", kind.rawValue)
      object.add("words", words)
      return object.text
    }
  }

  /// After so long a station's next word is news.
  static let silence = Duration.seconds(300)
  /// So many conflicts are remembered as told.
  private static let mostTold = 4_096

  private let seal: ClaimSeal
  private let stations: Set<StationID>
  private var words: [StationID: WallTime] = [:]
  /// Who is in on each ticket where somebody is.
  private var inside: [ClaimKey: Int] = [:]
  private var told: Set<ClaimConflict> = []
  private var troubles: [String: String] = [:]
  private var leader: String?
  private var whole: String?
  private var order: String?
  private var last: (revision: ClaimRevision, at: WallTime)?
  private var isCaughtUp = false

  /// - Parameters:
  ///   - seal: what reads claims.
  ///   - stations: the fleet's.
  package init(reading seal: ClaimSeal, stations: [StationID]) {
    self.seal = seal
    self.stations = Set(stations)
  }

  /// So many persons are in on all tickets, as stations have told so far: who came and has not left.
  package var inHouse: Int { inside.values.reduce(0, +) }

  // MARK: What stations write

  /// Takes a change of the book.
  package mutating func take(_ news: ClaimWatch, at now: WallTime) -> [Line] {
    switch news {
    case .caughtUp:
      isCaughtUp = true
      return []
    case .interrupted: return []
    case .deleted(let key, _):
      return [
        Line(kind: .unusable, at: now, words: "The claim \(key) was deleted by somebody who administers the servers")
      ]
    case .stored(let stored): return take(stored, at: now)
    }
  }

  private mutating func take(_ stored: StoredClaim, at now: WallTime) -> [Line] {
    // What a station says of itself is no claim.
    if stored.key.kind == .word { return seal.word(stored).map { heard($0.station, stored.time, at: now) } ?? [] }
    guard case .known(let known) = seal.open(stored) else {
      let who = ClaimSeal.author(of: stored.value).map { ", which names \($0)" } ?? ""
      return [
        Line(
          kind: .unusable, at: now,
          words: "The claim \(stored.key)\(who), is believed by nobody: it is undecided at all gates")
      ]
    }
    var lines = ClaimSeal.author(of: stored.value).map { heard($0, stored.time, at: now) } ?? []
    // A sale is claimed beside its tickets, for the same persons.
    guard stored.key.kind == .ticket else { return lines }
    let count = known.claim.entries.count { $0.state == .admitted }
    inside[stored.key] = count == 0 ? nil : count
    // Of how many nobody has told may be one that admits again and again, after an interval.
    guard known.claim.quantity != nil else { return lines }
    for conflict in ClaimConflict.found(in: known.claim, .quantity(nil)) where told.count < Self.mostTold {
      guard told.insert(conflict).inserted else { continue }
      lines.append(Line(kind: .conflict, at: now, words: conflict.words))
    }
    return lines
  }

  private mutating func heard(_ author: StationID, _ time: WallTime, at now: WallTime) -> [Line] {
    defer { words[author] = max(words[author] ?? time, time) }
    guard isCaughtUp, words[author].map({ time - $0 > Self.silence }) ?? true else { return [] }
    let before = words[author].map { ", for the first time since \($0.iso8601Seconds)" } ?? ""
    return [Line(kind: .station, at: now, words: "\(author) writes\(before)")]
  }

  // MARK: What servers tell

  /// Takes how the fleet is.
  package mutating func take(_ status: FleetStatus) -> [Line] {
    var lines: [Line] = []
    func tell(_ kind: Line.Kind, _ words: String) { lines.append(Line(kind: kind, at: status.now, words: words)) }
    // While nobody answers, nobody knows that the leader is another.
    if let leads = status.facts.leader, leads != leader {
      tell(.fleet, leader == nil ? "\(TerminalText.clean(leads)) leads" : "\(TerminalText.clean(leads)) leads now")
      leader = leads
    }
    if whole != status.whole {
      if whole != nil || !status.isWell { tell(.fleet, status.whole) }
      whole = status.whole
    }
    // What nobody tells has not ended.
    if status.facts.bucket != nil, status.orderWords != order {
      order = status.orderWords
      tell(.maintenance, order ?? "Maintenance is over: gates decide as before")
    }
    for node in status.nodes {
      let trouble = status.trouble(node)
      // How long and how far behind changes with each look.
      let kind = trouble.map { String($0.prefix { $0 != "," }) }
      guard troubles[node.name] != kind else { continue }
      troubles[node.name] = kind
      tell(.server, "\(node.name) \(trouble ?? "is well again")")
    }
    return lines
  }

  /// How things stand, in one line.
  package mutating func state(_ status: FleetStatus) -> Line {
    var parts = ["\(status.present.count) of \(status.nodes.count) servers"]
    if let bucket = status.facts.bucket {
      parts.append("\(bucket.keys) claims")
      if let last, status.now > last.at, bucket.last >= last.revision {
        let seconds = max(1, (status.now - last.at).components.seconds)
        let (writes, isBeyond) = Int64(clamping: bucket.last.number - last.revision.number)
          .multipliedReportingOverflow(by: 60)
        if !isBeyond { parts.append("\(writes / seconds) writes a minute") }
      }
      last = (bucket.last, status.now)
    }
    if status.isInMaintenance { parts.append("MAINTENANCE") }
    parts.append("\(inHouse) in and not out")
    let silent = stations.filter { words[$0].map { status.now - $0 > Self.silence } ?? true }
    let names = silent.map(\.description).sorted()
    if !names.isEmpty { parts.append("silent for 5 min: \(names.joined(separator: ", "))") }
    return Line(kind: .state, at: status.now, words: parts.joined(separator: "; "))
  }
}
