package import FleetBook
package import JetStreamClaims
package import ScanModel

/// What `scangate fleet status` knows when it writes its page.
package struct FleetStatus: Sendable {
  /// What servers and leader tell.
  package var facts: FleetFacts
  /// The servers that there are to be, and where.
  package var nodes: [FleetNode]
  /// The stations that there are to be.
  package var stations: [StationID]
  /// Those that no server takes any more.
  package var revoked: Set<StationID> = []
  /// When they were, as far as that was written down.
  package var revokedAt: [StationID: WallTime] = [:]
  /// What each station says of itself, as far as that was read.
  package var said: [StationID: KnownWord] = [:]
  /// Whose certificates end when: the authority's, and each server's as it shows it.
  package var certificates: [FleetCertificate] = []
  /// When each station has written last, by the leader's clock, as far as that was looked for.
  package var words: [StationID: WallTime] = [:]
  /// How many claims a second were written while it was looked; `nil` where that was not looked at.
  package var rate: Double?
  /// What lies in the book as an order for all stations; `nil` of nothing.
  package var order: FleetOrderReading?
  /// The station that looks; `nil` of whoever administers.
  package var viewer: StationID?
  /// Now, by this machine's clock.
  package var now: WallTime

  package init(facts: FleetFacts, nodes: [FleetNode], stations: [StationID], now: WallTime) {
    self.facts = facts
    self.nodes = nodes
    self.stations = stations
    self.now = now
  }

  /// How many servers a majority is.
  package var majority: Int { max(1, facts.bucket?.replicas ?? nodes.count) / 2 + 1 }

  /// The servers that have the book and are heard by its leader, itself as well.
  package var present: Set<String> {
    var present = Set(facts.followers.filter { !$0.isOffline && $0.silence < Self.silent }.map(\.name))
    if let leader = facts.leader { present.insert(leader) }
    return present
  }

  /// Whether claims can be written.
  package var hasQuorum: Bool { facts.leader != nil && facts.bucket != nil && present.count >= majority }

  /// Whether nobody has to do anything.
  package var isWell: Bool {
    hasQuorum && facts.fault == nil && facts.bucket?.isClosed == false && !isNearlyFull && orderWords == nil
      && nodes.allSatisfy { trouble($0) == nil } && !remarks.contains(where: \.isDoubt)
  }

  /// A full book refuses every claim: from nine tenths on there is something to do.
  package var isNearlyFull: Bool {
    guard let bucket = facts.bucket, bucket.most > 0 else { return false }
    return bucket.bytes >= bucket.most / 10 * 9
  }

  /// How long the leader may not have heard somebody who is there.
  static let silent = Duration.seconds(5)
}

extension FleetStatus {
  /// The page: lines of text for a terminal.
  /// - Parameters:
  ///   - fleet: its name; `nil` where it is not known.
  ///   - event: the event, whose book it is.
  package func page(fleet: String?, event: String) -> [String] {
    let who = fleet.map { "Fleet \($0), event" } ?? "Event"
    var lines = ["\(who) \(event)\(viewer.map { ", as the station \($0) sees it" } ?? ""): \(whole)"]
    if let words = faultWords { lines.append("  \(words)") }
    if let orderWords { lines.append("  \(orderWords)") }
    lines += remarks.map { "  \($0.words)" }
    lines.append("")
    lines += table(nodes.map { [$0.name, role($0), version($0), disk($0)] })
    // A server that nobody knows takes part in decisions.
    for server in facts.servers where !nodes.contains(where: { $0.name == server.name }) {
      lines.append("  \(clean(server.name)) is none of the fleet's servers, and answers")
    }
    lines += ["", book]
    lines += ["", "Stations, and when each has written last:"]
    let names = stations.sorted { $0.description < $1.description }
    lines += table(names.map { [$0.description, word(of: $0), saidOf($0)] })
    for stranger in words.keys.filter({ !stations.contains($0) }).sorted(by: { $0.description < $1.description }) {
      lines.append("  \(stranger) is none of the fleet's stations, and was written by")
    }
    if let house {
      let uncounted =
        uncounted.isEmpty ? "" : ", without \(uncounted.map(\.description).joined(separator: ", ")): a former program"
      lines += ["", "In and not out, as stations have told: \(house)\(uncounted)"]
    }
    return lines
  }

  private func saidOf(_ station: StationID) -> String {
    guard let word = said[station]?.word else { return "" }
    return "scangate \(clean(word.program)), \(word.count.admitted) in, \(word.count.left) out"
  }

  var whole: String {
    guard facts.bucket != nil else {
      return facts.servers.isEmpty ? "no server answers" : "there is no book, or nobody leads it"
    }
    if facts.bucket?.isClosed == true { return "the book is CLOSED. Nobody is let in by it any more" }
    guard hasQuorum else {
      return
        "NO MAJORITY: \(present.count) of \(max(nodes.count, facts.bucket?.replicas ?? 0)) servers are there, \(majority) have to be. Nothing can be claimed"
    }
    let missing = nodes.count { !present.contains($0.name) }
    if missing == 0 { return "all servers are there" }
    // How many more may go.
    let spare = present.count - majority
    return spare > 0
      ? "a majority is there, and \(spare) more may be lost" : "a majority is there, and no other server may be lost"
  }

  var faultWords: String? {
    switch facts.fault {
    case nil, .noQuorum: nil
    case .otherVersion(let words), .refused(let words): clean(words)
    case .full: "The book is full."
    case .lostAnswer, .wrongRevision, .deleted: nil
    }
  }

  private func follower(_ node: FleetNode) -> FleetFacts.Follower? { facts.followers.first { $0.name == node.name } }

  private func server(_ node: FleetNode) -> FleetFacts.Server? { facts.servers.first { $0.name == node.name } }

  /// What is wrong with one; `nil` where nothing is.
  func trouble(_ node: FleetNode) -> String? {
    if facts.leader != node.name, facts.leader != nil {
      guard let follower = follower(node) else { return "HAS NO COPY of the book" }
      if follower.isOffline || follower.silence >= Self.silent {
        return "IS AWAY, for \(spoken(follower.silence))\(behind(follower))"
      }
      if !follower.isCurrent || follower.lag > 0 { return "LAGS\(behind(follower))" }
    }
    guard let server = server(node) else { return facts.leader == node.name ? nil : "DOES NOT ANSWER" }
    if !server.isRelied { return "IS TOO OLD, or has no JetStream" }
    if !server.syncsAlways { return "ACKNOWLEDGES BEFORE IT SYNCS" }
    if let ahead = server.clockAhead { return "ITS CLOCK IS \(ahead.asClockError.uppercased()) THE LEADER'S" }
    return nil
  }

  private func behind(_ follower: FleetFacts.Follower) -> String {
    follower.lag > 0 ? ", \(follower.lag) writes behind" : ""
  }

  private func role(_ node: FleetNode) -> String {
    let trouble = trouble(node)
    if facts.leader == node.name { return "leads" + (trouble.map { ", \($0)" } ?? "") }
    return trouble ?? (facts.leader == nil ? "answers" : "follows")
  }

  private func version(_ node: FleetNode) -> String { server(node).map { "nats-server \(clean($0.version))" } ?? "" }

  private func disk(_ node: FleetNode) -> String {
    guard let disk = server(node)?.disk else { return "" }
    return "\(megabytes(disk.used)) of \(megabytes(disk.most)) on its disk"
  }

  private var book: String {
    guard let bucket = facts.bucket else { return "Claims: not known" }
    var words = "Claims: \(bucket.keys), in \(megabytes(bucket.bytes)) of \(megabytes(bucket.most))"
    if let rate { words += ", \(tenths(rate)) writes a second" }
    if bucket.isClosed { words += "; the book is CLOSED" } else if isNearlyFull { words += "; it is NEARLY FULL" }
    return words
  }

  private func word(of station: StationID) -> String {
    let word = words[station].map(age)
    if revoked.contains(station) {
      return writesOn(station) ? "REVOKED, AND WRITES ON: \(word ?? "")" : "revoked"
    }
    return word ?? "nothing that was looked at"
  }

  private func age(_ time: WallTime) -> String {
    let age = now - time
    // Their clocks are two.
    return age < .seconds(1) ? "just now" : "\(spoken(age)) ago"
  }

  // MARK: Words

  private func table(_ rows: [[String]]) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = "  "
      for (column, cell) in row.enumerated() {
        line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  private func clean(_ text: String) -> String { TerminalText.clean(text, limit: 300) }

  private func megabytes(_ bytes: Int64) -> String {
    bytes < 0 ? "no bound" : "\(tenths(Double(bytes) / 1_000_000)) MB"
  }

  private func tenths(_ number: Double) -> String {
    guard number.isFinite, abs(number) < 1e15 else { return "?" }
    let tenths = Int64((max(0, number) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func spoken(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return switch seconds {
    case ..<120: "\(max(0, seconds)) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) d"
    }
  }
}
