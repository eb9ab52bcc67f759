package import FleetBook
package import ScanModel
internal import WireText

/// What servers and their leader tell of a fleet's book, for whoever looks at it. It decides nothing.
package struct FleetFacts: Sendable, Equatable {
  /// One server, as it tells of itself.
  package struct Server: Sendable, Equatable {
    /// What its configuration calls it.
    package var name: String
    /// As it writes it.
    package var version: String
    /// Whether that may be relied on.
    package var isRelied: Bool
    /// Whether each write is on its disk before it is acknowledged.
    package var syncsAlways: Bool
    /// Bytes of claims on its disk, and how many there may be; `nil` where it does not tell.
    package var disk: (used: Int64, most: Int64)?
    /// What time it is by its clock, as it has said.
    package var time: WallTime?
    /// How far its clock is ahead of the leader's (negative where it is behind), where that is more than it may be.
    package var clockAhead: Duration?

    package init(
      name: String, version: String, isRelied: Bool = true, syncsAlways: Bool = true,
      disk: (used: Int64, most: Int64)? = nil
    ) {
      self.name = name
      self.version = version
      self.isRelied = isRelied
      self.syncsAlways = syncsAlways
      self.disk = disk
    }

    package static func == (a: Self, b: Self) -> Bool {
      (a.name, a.version, a.isRelied, a.syncsAlways) == (b.name, b.version, b.isRelied, b.syncsAlways)
        && a.disk?.used == b.disk?.used && a.disk?.most == b.disk?.most && a.clockAhead == b.clockAhead
    }
  }

  /// One server that follows the leader, as the leader sees it.
  package struct Follower: Sendable, Equatable {
    package var name: String
    /// Whether it has all that the leader has.
    package var isCurrent: Bool
    /// Whether the leader knows that it is gone.
    package var isOffline: Bool
    /// How many writes it is behind.
    package var lag: Int64
    /// How long the leader has not heard it.
    package var silence: Duration

    package init(name: String, isCurrent: Bool, isOffline: Bool, lag: Int64, silence: Duration) {
      self.name = name
      self.isCurrent = isCurrent
      self.isOffline = isOffline
      self.lag = lag
      self.silence = silence
    }
  }

  /// The bucket, as its leader tells.
  package struct Bucket: Sendable, Equatable {
    /// How many servers it is to lie on.
    package var replicas: Int
    /// Whether nothing can be written any more.
    package var isClosed: Bool
    /// How many keys it has.
    package var keys: Int64
    /// Its bytes, and how many there may be.
    package var bytes: Int64
    package var most: Int64
    /// The last revision: how many writes there were.
    package var last: ClaimRevision
    /// The order for the whole fleet that lies in it, which nobody has judged; `nil` of none.
    package var order: [UInt8]?

    package init(replicas: Int, isClosed: Bool, keys: Int64, bytes: Int64, most: Int64, last: ClaimRevision) {
      self.replicas = replicas
      self.isClosed = isClosed
      self.keys = keys
      self.bytes = bytes
      self.most = most
      self.last = last
    }
  }

  /// The servers that have told of themselves.
  package var servers: [Server] = []
  /// Who leads the bucket; `nil` where nobody does, or nobody tells. One server leads itself.
  package var leader: String?
  /// Who follows.
  package var followers: [Follower] = []
  /// `nil` where there is none, or nobody tells.
  package var bucket: Bucket?
  /// Why the servers may not be relied on, as a station would find; `nil` where they may.
  package var fault: ClaimFault?
  /// How far this machine's clock is ahead of the leader's, where that is more than it may be.
  package var clockAhead: Duration?

  package init() {}
}

extension FleetFacts {
  /// Reads what was answered.
  /// - Parameter asked: when servers were asked and had answered, by this machine's clock.
  init(servers: PendingCalls.Outcome, stream: PendingCalls.Outcome, asked: (sent: WallTime, answered: WallTime)? = nil)
  {
    self.init()
    self.servers = servers.messages.compactMap(Server.init)
    defer { if let asked { compareClocks(asked.sent, asked.answered) } }
    self.servers.sort { $0.name < $1.name }
    guard case .answered(let answers) = stream, let data = answers.first?.data, let json = try? JSONValue(data),
      json["error"] == nil, let settings = json["config"], let state = json["state"]
    else { return }
    bucket = Bucket(
      replicas: Int(clamping: settings["num_replicas"]?.integer ?? 1), isClosed: settings["sealed"] == .bool(true),
      keys: max(0, (state["num_subjects"]?.integer ?? 0) - Self.words(state["subjects"])),
      bytes: state["bytes"]?.integer ?? 0,
      most: settings["max_bytes"]?.integer ?? -1,
      last: ClaimRevision(UInt64(clamping: state["last_seq"]?.integer ?? 0)))
    bucket?.order = settings["metadata"]?[StreamRules.orderName]?.string.map(OrderText.bytes)
    followers = (json["cluster"]?["replicas"]?.array ?? []).compactMap(Follower.init)
    followers.sort { $0.name < $1.name }
    leader = json["cluster"]?["leader"]?.string
    // A server that stands alone names no leader.
    if leader == nil, bucket?.replicas == 1, self.servers.count == 1 { leader = self.servers.first?.name }
  }
}

extension FleetFacts {
  /// How many keys are no claims, as they were asked for.
  private static func words(_ subjects: JSONValue?) -> Int64 {
    if case .object(let keys)? = subjects { Int64(clamping: keys.count) } else { 0 }
  }

  /// Compares the clocks of those who have told with the leader's, by which claims are dated.
  private mutating func compareClocks(_ sent: WallTime, _ answered: WallTime) {
    guard let leads = servers.first(where: { $0.name == leader })?.time else { return }
    if let ahead = ClockComparison.ahead(sent: sent, answered: answered, told: leads), ahead != .zero {
      clockAhead = ahead
    }
    // They have answered at other moments between these two.
    let apart = ClockComparison.tolerance + max(.zero, answered - sent)
    for place in servers.indices {
      guard let time = servers[place].time, max(time - leads, leads - time) > apart else { continue }
      servers[place].clockAhead = time - leads
    }
  }
}

extension FleetFacts.Server {
  init?(_ message: NATSMessage) {
    guard let answer = ServerAnswer(message) else { return nil }
    self.init(
      name: answer.name.isEmpty ? answer.id : answer.name, version: answer.versionText,
      isRelied: answer.version?.isRelied == true && answer.hasStreams, syncsAlways: answer.syncsAlways)
    time = answer.time
    guard let json = message.data.flatMap({ try? JSONValue($0) }), let data = json["data"],
      let used = data["storage"]?.integer, let most = data["config"]?["max_storage"]?.integer
    else { return }
    disk = (used, most)
  }
}

extension FleetFacts.Follower {
  init?(_ json: JSONValue) {
    guard let name = json["name"]?.string else { return nil }
    self.init(
      name: name, isCurrent: json["current"] == .bool(true), isOffline: json["offline"] == .bool(true),
      lag: max(0, json["lag"]?.integer ?? 0), silence: .nanoseconds(max(0, json["active"]?.integer ?? 0)))
  }
}
