package import FleetBook

/// Where a fleet's servers are, and how one speaks with them.
package struct JetStreamSettings: Sendable {
  /// One server.
  package typealias Server = FleetServer

  /// The servers, in the order in which they are tried; one at least.
  package var servers: [Server]
  /// The certificates that theirs are signed by, in PEM; no others are believed.
  package var authority: String
  /// What proves who we are. Servers know its public half alone.
  package var credential: NKey
  /// What servers call us in their logs, such as the station's name.
  package var name: String
  /// The bucket: letters, digits, - and _.
  package var bucket: String
  /// What tells the fleet's bucket from another fleet's.
  package var mark: String
  /// How many servers each claim lies on.
  package var replicas: Int
  /// How often a watch asks whether there is more.
  package var watchPause = Duration.seconds(1)
  /// How many writes a second this station asks for at most, for longer than a moment: what one that runs wild takes of all.
  package var writeRate = 250
  /// How long a leader that a majority follows has to have an old book before that is told: one that has just begun may be behind.
  package var suspicion = Duration.seconds(3)

  package init(
    servers: [Server], authority: String, credential: NKey, name: String, bucket: String, mark: String,
    replicas: Int
  ) {
    self.servers = servers
    self.authority = authority
    self.credential = credential
    self.name = name
    self.bucket = bucket
    self.mark = mark
    self.replicas = replicas
  }

  /// Below which answers come to us, and to nobody else: a server lets a key listen at its own place alone.
  var inbox: String { JetStreamServerConfiguration.inbox(credential.user) }

  /// The stream that the bucket is.
  var stream: String { "KV_\(bucket)" }

  /// Where claims are written.
  func subject(_ key: ClaimKey) -> String { "$KV.\(bucket).\(key)" }

  /// The stream of lists of tickets beside it.
  var listStream: String { Self.listStream(bucket) }
  static func listStream(_ bucket: String) -> String { "LISTS_\(bucket)" }

  /// All places of lists, and where one is written.
  var listSubjects: String { "\(Self.listSubjects(bucket)).>" }
  func listSubject(_ place: ListPlace) -> String { "\(Self.listSubjects(bucket)).\(place.description)" }
  static func listSubjects(_ bucket: String) -> String { "LISTS.\(bucket)" }

  /// The key that is written there; `nil` where that is nobody's of a fleet.
  func key(_ subject: String) -> ClaimKey? {
    let begin = "$KV.\(bucket)."
    return subject.hasPrefix(begin) ? ClaimKey(subject.dropFirst(begin.count)) : nil
  }
}

/// What is waited for, and how much may wait.
enum JetStreamLimits {
  /// How long a server may take to greet.
  static let connecting = Duration.seconds(2)
  /// When an attempt to connect is given up: libnats waits for the handshake of TLS for as long as the server likes.
  static let stuck = Duration.seconds(5)
  /// How often a server is asked for a sign of life, and how many questions it may leave without one.
  static let silence = Duration.seconds(1)
  static let unanswered: Int32 = 2
  /// How long a write to a server that does not read may take.
  static let writing = Duration.seconds(2)
  /// Between two attempts to connect to all servers: the first, and the most.
  static let firstRetry = Duration.milliseconds(250)
  static let lastRetry = Duration.seconds(4)
  /// How often the servers are looked at again while they are good, and while they are not.
  static let judging = Duration.seconds(5)
  static let judgingAgain = Duration.milliseconds(500)
  /// After so many judgements in vain another server is asked; each time after more, up to the most.
  static let leastVain = 3
  static let mostVain = 24
  /// How long the leader may take to tell of its stream, and how often it is asked meanwhile.
  static let telling = Duration.seconds(2)
  static let askingAgain = Duration.milliseconds(500)
  /// How long servers are waited for that do not tell of themselves.
  static let gathering = Duration.milliseconds(500)
  /// How many calls wait for their answers, and how many bytes of them.
  static let mostCalls = 256
  static let mostBytes = 4_194_304
  /// What an answer may have; a value of the longest is 56 KB in one.
  static let longestAnswer = 131_072
  /// What the library keeps for us of what came and was not taken.
  static let mostMessages: Int32 = 8_192
  static let mostMessageBytes: Int32 = 16_777_216
  /// How many claims a watch asks for at one time.
  static let batch: UInt64 = 32
}
