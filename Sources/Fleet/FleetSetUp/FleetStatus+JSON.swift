package import FleetBook
package import JetStreamClaims
internal import ScanModel
internal import WireText

/// What `scangate fleet status` knows, for programs. The names are public; what a later version adds is added.
extension FleetStatus {
  /// How well it is.
  package enum Health: String, Sendable, CaseIterable {
    /// Nobody has to do anything.
    case well
    /// Claims can be made, and somebody should look.
    case look
    /// Nothing can be claimed.
    case none
  }

  /// How well it is: as the exit of the command says by 0, 1 and 2.
  package var health: Health {
    guard hasQuorum, facts.bucket?.isClosed == false else { return .none }
    switch facts.fault {
    // Stations find the same, and rely on none of the servers.
    case .otherVersion, .refused: return .none
    default: return isWell ? .well : .look
    }
  }

  /// One object.
  /// - Parameters:
  ///   - fleet: its name; `nil` where it is not known.
  ///   - event: the event, whose book it is.
  ///   - rotation: the exchange that is under way.
  package func json(fleet: String?, event: String, rotation: String? = nil) -> String {
    var object = JSONText()
    object.add("fleet", fleet)
    object.add("event", event)
    object.add("seen_by", viewer?.description)
    object.add("at", now.iso8601)
    object.add("health", health.rawValue)
    object.add("words", whole)
    object.add("fault", faultWords)
    object.add("maintenance", object: maintenanceObject)
    object.add("leader", facts.leader)
    object.add("present", Int64(present.count))
    object.add("majority", Int64(majority))
    object.add("servers", objects: nodes.map(server))
    object.add(
      "strangers", texts: facts.servers.map(\.name).filter { name in !nodes.contains { $0.name == name } })
    object.add("book", object: facts.bucket.map(book))
    object.add("stations", objects: stationObjects)
    object.add("rotation", rotation)
    object.add("remarks", texts: remarks.map(\.words))
    object.add("in_house", number: house)
    object.add("clock_ahead_ms", number: facts.clockAhead?.milliseconds)
    object.add(
      "certificates",
      objects: certificates.map { certificate in
        var object = JSONText()
        object.add("of", certificate.owner)
        object.add("ends", certificate.ends.iso8601)
        return object.text
      })
    return object.text
  }

  private func server(_ node: FleetNode) -> String {
    let told = facts.servers.first { $0.name == node.name }
    let follower = facts.followers.first { $0.name == node.name }
    var object = JSONText()
    object.add("name", node.name)
    object.add("host", node.host)
    object.add("leads", facts.leader == node.name)
    object.add("trouble", trouble(node))
    object.add("behind", number: follower?.lag)
    object.add("silent_s", number: follower?.silence.components.seconds)
    object.add("version", told?.version)
    object.add("disk_bytes", number: told?.disk?.used)
    object.add("disk_most_bytes", number: told?.disk?.most)
    object.add("clock_ahead_ms", number: told?.clockAhead?.milliseconds)
    return object.text
  }

  private func book(_ bucket: FleetFacts.Bucket) -> String {
    var object = JSONText()
    object.add("claims", bucket.keys)
    object.add("bytes", bucket.bytes)
    object.add("most_bytes", number: bucket.most < 0 ? nil : bucket.most)
    object.add("closed", bucket.isClosed)
    object.add("nearly_full", isNearlyFull)
    object.add("last_write", Int64(clamping: bucket.last.number))
    object.add("writes_per_minute", number: rate.flatMap { Int64(exactly: ($0 * 60).rounded()) })
    return object.text
  }

  private var stationObjects: [String] {
    let strangers = words.keys.filter { !stations.contains($0) }
    return (stations + strangers).sorted { $0.description < $1.description }.map { station in
      var object = JSONText()
      object.add("name", station.description)
      object.add("last_word", words[station]?.iso8601)
      object.add("age_s", number: words[station].map { max(0, (now - $0).components.seconds) })
      object.add("revoked", revoked.contains(station))
      object.add("stranger", strangers.contains(station))
      object.add("writes_on", writesOn(station))
      let word = said[station]?.word
      object.add("version", word?.program)
      object.add("admitted", number: word.map { Int64(clamping: $0.count.admitted) })
      object.add("left", number: word.map { Int64(clamping: $0.count.left) })
      object.add("clock_ahead_ms", number: word?.clockAhead?.milliseconds)
      return object.text
    }
  }
}

extension FleetStatus {
  /// The servers as a station knows them, whose file has no names: those that answer or that the leader names; where nobody says
  /// anything, those of the file.
  package static func nodes(of facts: FleetFacts, servers: [FleetServer]) -> [FleetNode] {
    let names = Set(facts.servers.map(\.name) + facts.followers.map(\.name) + [facts.leader].compactMap { $0 })
    let seen = names.sorted().compactMap { name in FleetNode("\(name)=\(name)") }
    if !seen.isEmpty { return seen }
    return servers.enumerated().compactMap { FleetNode("server-\($0 + 1)=\($1.host)") }
  }
}
