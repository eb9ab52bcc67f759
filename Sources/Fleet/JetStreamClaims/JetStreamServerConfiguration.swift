internal import FleetBook

/// What a fleet's server wants in its file, as nats-server reads it. Pure.
///
/// Each station has a key of its own, and may write claims and read them, and nothing else: it asks for no stream to be made or changed, and
/// for no consumer, which would deliver to the servers' own interface what the station may not say there. Nobody hears what another one
/// is answered. Servers believe each other by the fleet's certificates, both ways. What one connection may take of a server is bounded.
package struct JetStreamServerConfiguration: Sendable {
  /// Somebody who may connect: a name for people, and the public half of a key.
  package struct User: Sendable {
    package var name: String
    package var key: String

    package init(name: String, key: String) {
      self.name = name
      self.key = key
    }
  }

  /// What one server bears, from whomever.
  enum Bounds {
    /// So many connections at one time: 200 stations that all come to the one server that is left, and those that they leave behind.
    static let connections = 1_024
    /// So many connections may begin in a second, for each costs a handshake of TLS.
    static let connectionRate = 100
    /// At so many places a connection listens.
    static let listening = 64
    /// The longest message in bytes, twice of what the bucket takes: what is too long for a claim is refused by it in words.
    static let payload = 2 * StreamRules.longestMessage
    /// What is kept for a connection that does not read, before it is cut off.
    static let pending = "16MB"
    /// How long servers may take to agree on TLS with each other, in seconds.
    static let agreeing = 10
    /// How often a connection is asked for a sign of life, and how many it may leave without one.
    static let silence = "10s"
    static let unanswered = 3
  }

  /// The fleet's name.
  package var fleet: String
  /// The server's name, another one for each.
  package var name: String
  /// Where stations connect to.
  package var listen: JetStreamSettings.Server
  /// Where the other servers connect to, where there are others.
  package var cluster: JetStreamSettings.Server?
  /// Where the others hear from each other that this one is to be reached: without it by its number, which no certificate of a name is for.
  package var advertised: JetStreamSettings.Server?
  /// Where the others are connected to.
  package var routes: [JetStreamSettings.Server] = []
  /// Files in PEM: the server's certificate, its key, and the fleet's authority.
  package var certificate: String
  package var key: String
  package var authority: String
  /// Where claims lie.
  package var folder: String
  /// How much of them there may be, in bytes.
  package var disk: Int64
  /// Where stations may write: the event's bucket, and while one event follows another those of both.
  package var buckets: [String]
  /// Who makes and closes buckets.
  package var administrators: [User] = []
  package var stations: [User] = []

  package init(
    fleet: String, name: String, listen: JetStreamSettings.Server, certificate: String, key: String, authority: String,
    folder: String, disk: Int64, bucket: String
  ) {
    self.fleet = fleet
    self.name = name
    self.listen = listen
    self.certificate = certificate
    self.key = key
    self.authority = authority
    self.folder = folder
    self.disk = disk
    buckets = [bucket]
  }

  /// Below which whoever has a key is answered; `key` is its public half.
  static func inbox(_ key: String) -> String { "_INBOX.\(key)" }

  /// Where a station may publish to: claims of all kinds, its own word, and lists of tickets below its own name.
  private func mayPublish(_ station: String) -> [String] {
    let api = "$JS.API"
    let word = StationID(station).map { ClaimKey.word(of: $0).description }
    let keys = ClaimKey.Kind.allCases.filter { $0 != .word }.map { "\($0.rawValue).*" } + [word].compactMap(\.self)
    return buckets.flatMap { bucket in
      let (stream, lists) = ("KV_\(bucket)", JetStreamSettings.listStream(bucket))
      return keys.map { "$KV.\(bucket).\($0)" } + [
        "\(api).STREAM.INFO.\(stream)", "\(api).STREAM.MSG.GET.\(stream)",
        "\(JetStreamSettings.listSubjects(bucket)).\(station).>", "\(api).STREAM.INFO.\(lists)",
        "\(api).STREAM.MSG.GET.\(lists)",
      ]
    } + [ServerAnswer.subject]
  }

  /// The file.
  package var text: String {
    let tls = "cert_file: \(quoted(certificate)), key_file: \(quoted(key)), ca_file: \(quoted(authority))"
    var lines = [
      "server_name: \(quoted(name))", "host: \(quoted(listen.host))", "port: \(listen.port)",
      "tls { \(tls), connection_rate_limit: \(Bounds.connectionRate) }",
      "max_connections: \(Bounds.connections)", "max_subscriptions: \(Bounds.listening)",
      "max_payload: \(Bounds.payload)", "max_pending: \(Bounds.pending)",
      "ping_interval: \(quoted(Bounds.silence))", "ping_max: \(Bounds.unanswered)",
      // A claim is on the disk before it is acknowledged.
      "jetstream { store_dir: \(quoted(folder)), max_memory_store: 16MB, max_file_store: \(disk), sync_interval: always }",
      "accounts {", "  SYS {",
      "    exports: [ { service: \"\(ServerAnswer.subject)\", response_type: stream, accounts: [FLEET] } ]", "  }",
      "  FLEET {", "    jetstream: enabled",
      "    imports: [ { service: { account: SYS, subject: \"\(ServerAnswer.subject)\" } } ]", "    users: [",
    ]
    for user in administrators { lines.append("      { nkey: \(quoted(user.key)) } # \(comment(user.name))") }
    for user in stations {
      let publish = "publish: { allow: [\(mayPublish(user.name).map(quoted).joined(separator: ", "))] }"
      let may = "\(publish), subscribe: { allow: [\(quoted(Self.inbox(user.key) + ".>"))] }"
      lines.append("      { nkey: \(quoted(user.key)), permissions: { \(may) } } # \(comment(user.name))")
    }
    lines += ["    ]", "  }", "}", "system_account: SYS"]
    if let cluster {
      let others = routes.map { quoted("tls://\($0)") }.joined(separator: ", ")
      // Where a machine has much to do, two seconds are too short for servers to agree on TLS, and they would never find each other.
      let advertised = advertised.map { ", advertise: \(quoted($0.description))" } ?? ""
      lines.append(
        "cluster { name: \(quoted(fleet)), host: \(quoted(cluster.host)), port: \(cluster.port)\(advertised), routes: [\(others)], tls { \(tls), verify: true, timeout: \(Bounds.agreeing) } }"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func quoted(_ text: String) -> String {
    "\"" + text.filter { $0 != "\"" && $0 != "\\" && !$0.isNewline } + "\""
  }

  private func comment(_ text: String) -> String { text.filter { !$0.isNewline } }
}
