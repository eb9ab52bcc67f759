internal import FleetBook
internal import ScanModel
internal import WireText

/// What the leader says of the fleet's stream.
enum StreamAnswer: Equatable {
  /// What it is, who has it, and how far it is.
  case stream(JSONValue, leader: String?, online: Set<String>, book: BookTold)
  /// It says why not: the number of the error, and words.
  case error(Int64, String)
  /// Nobody takes the question: no JetStream here, or no leader of it.
  case unheard
  /// Nothing was said in time.
  case silence

  init(_ outcome: PendingCalls.Outcome) {
    guard case .answered(let answers) = outcome, let answer = answers.first else {
      self = .silence
      return
    }
    guard !answer.isUnheard else {
      self = .unheard
      return
    }
    guard let data = answer.data, let json = try? JSONValue(data) else {
      self = .error(0, "what it says of its stream cannot be read")
      return
    }
    if let error = json["error"] {
      self = .error(error["err_code"]?.integer ?? 0, error["description"]?.string ?? "")
    } else if let settings = json["config"] {
      let leader = json["cluster"]?["leader"]?.string
      let others = (json["cluster"]?["replicas"]?.array ?? []).filter { $0["offline"] != .bool(true) }
      self = .stream(
        settings, leader: leader, online: Set(others.compactMap { $0["name"]?.string } + (leader.map { [$0] } ?? [])),
        book: BookTold(json))
    } else {
      self = .error(0, "what it says of its stream cannot be read")
    }
  }

  /// What time it is by the leader, by which claims are dated; `nil` where it does not tell.
  func leaderTime(among servers: PendingCalls.Outcome) -> WallTime? {
    guard case .stream(_, let leader, _, _) = self else { return nil }
    let heard = servers.messages.compactMap(ServerAnswer.init)
    // One server has no leader but itself.
    if leader == nil, heard.count == 1 { return heard[0].time }
    return heard.first { $0.name == leader }?.time
  }

  /// The names of the servers that have it and are there, as far as the leader knows.
  var peers: Set<String> { if case .stream(_, _, let online, _) = self { online } else { [] } }
}

/// How far a book is, as its leader tells it.
struct BookTold: Equatable {
  /// How long a leader that leads may not have heard those who follow it; they look for another one after four seconds.
  private static let longestSilence: Int64 = 3_500_000_000

  /// When it was made.
  var made: String
  /// The last time that its administrator has accepted it as it is; 0 of none.
  var accepted: Int64
  /// The order for the whole fleet that its administrator has put into it, as text; `nil` of none. Nobody has judged it.
  var order: String?
  /// Its last revision.
  var last: ClaimRevision
  /// In which its claims are written.
  var format: BookFormat
  /// Whether a majority follows the leader, itself as well.
  var isFollowed: Bool

  init(_ json: JSONValue) {
    made = json["created"]?.string ?? ""
    accepted = json["config"]?["metadata"]?[StreamRules.acceptedName]?.string.flatMap { Int64($0) } ?? 0
    order = json["config"]?["metadata"]?[StreamRules.orderName]?.string
    format = json["config"].flatMap(StreamRules.format).flatMap(BookFormat.init(rawValue:)) ?? .newest
    last = ClaimRevision(UInt64(clamping: json["state"]?["last_seq"]?.integer ?? 0))
    let others = json["cluster"]?["replicas"]?.array ?? []
    let heard = others.count {
      $0["offline"] != .bool(true) && ($0["active"]?.integer).map { $0 < Self.longestSilence } == true
    }
    isFollowed = (heard + 1) * 2 > others.count + 1
  }
}

/// What a fleet's stream has to be.
struct StreamRules {
  /// The member of a stream's metadata that tells whose it is.
  static let markName = "scangate-fleet"
  /// The one that tells when its administrator has accepted it as it is.
  static let acceptedName = "scangate-accepted"
  /// The one that has its last order for the whole fleet.
  static let orderName = "scangate-order"
  /// The one that tells in which its claims are written: while its event lasts never another.
  static let formatName = "scangate-format"
  /// How the servers keep what is full of it: a claim is written again when it is told what became of it, and the former one stays in the file.
  static let compression = "s2"
  /// What a value and its headers may take.
  static let longestMessage: Int64 = 65_536

  let settings: JetStreamSettings

  /// What it is made of.
  /// - Parameters:
  ///   - bytes: what it may take on each server's disk.
  ///   - accepted: when it was accepted last; 0 of never.
  ///   - former: what it is now, whose members of ours stay, also those that only a later version knows.
  func made(bytes: Int64, accepted: Int64 = 0, keeping former: JSONValue? = nil) -> String {
    var object = JSONText()
    object.add("name", settings.stream)
    object.add("description", "claims of a fleet of scangate stations")
    object.add("subjects", texts: ["$KV.\(settings.bucket).>"])
    object.add("retention", "limits")
    object.add("storage", "file")
    object.add("discard", "new")
    // Every revision stays. Of one that goes, a follower that catches up has nothing, and takes a write that its leader has refused by it:
    // from there on the two have different books (decision 0083).
    object.add("max_msgs_per_subject", -1)
    object.add("max_msgs", -1)
    object.add("max_age", 0)
    object.add("max_consumers", -1)
    object.add("max_bytes", bytes)
    object.add("max_msg_size", Self.longestMessage)
    // One that was made otherwise stays so.
    object.add("compression", former.map { $0["compression"]?.string ?? "none" } ?? Self.compression)
    object.add("num_replicas", Int64(settings.replicas))
    object.add("allow_direct", false)
    object.add("allow_rollup_hdrs", false)
    object.add("deny_delete", true)
    object.add("deny_purge", true)
    var metadata = JSONText()
    metadata.add(Self.markName, settings.mark)
    if former == nil { metadata.add(Self.formatName, String(BookFormat.newest.rawValue)) }
    if case .object(let members)? = former?["metadata"] {
      for (name, value) in members.map({ ($0.key, $0.value.string) }).sorted(by: { $0.0 < $1.0 }) {
        guard let value, name.hasPrefix("scangate-"), ![Self.markName, Self.acceptedName].contains(name) else {
          continue
        }
        metadata.add(name, value)
      }
    }
    if accepted > 0 { metadata.add(Self.acceptedName, String(accepted)) }
    object.add("metadata", object: metadata.text)
    return object.text
  }

  /// What is wrong with one, in words that say where; `nil` where nothing is.
  func fault(_ stream: JSONValue) -> ClaimFault? {
    guard stream["metadata"]?[Self.markName]?.string == settings.mark else {
      return .otherVersion(
        "The bucket \(settings.bucket) is another fleet's. Two fleets on the same servers want buckets of different names; a fleet whose key was changed wants a new one."
      )
    }
    if let fault = formatFault(stream) { return fault }
    if stream["sealed"] == .bool(true) { return closed }
    let wanted: [(String, JSONValue, JSONValue)] = [
      ("subjects", .array([.string("$KV.\(settings.bucket).>")]), .null), ("storage", .string("file"), .null),
      ("retention", .string("limits"), .string("limits")), ("discard", .string("new"), .string("old")),
      ("max_msgs_per_subject", .number("-1"), .number("-1")), ("max_msgs", .number("-1"), .number("-1")),
      ("max_age", .number("0"), .number("0")), ("allow_direct", .bool(false), .bool(false)),
      ("discard_new_per_subject", .bool(false), .bool(false)), ("no_ack", .bool(false), .bool(false)),
      ("allow_rollup_hdrs", .bool(false), .bool(false)), ("deny_delete", .bool(true), .bool(false)),
      ("deny_purge", .bool(true), .bool(false)), ("mirror", .null, .null), ("sources", .null, .null),
      ("republish", .null, .null), ("subject_transform", .null, .null),
      // What later versions have: claims that go by themselves, and writes that are acknowledged before they are made.
      ("allow_msg_ttl", .bool(false), .bool(false)), ("allow_msg_schedules", .bool(false), .bool(false)),
      ("allow_msg_counter", .bool(false), .bool(false)), ("persist_mode", .string("default"), .string("default")),
    ]
    for (name, value, absent) in wanted where (stream[name] ?? absent) != value {
      return wrong(name)
    }
    guard (stream["max_bytes"]?.integer ?? -1) > 0 else { return wrong("max_bytes") }
    let longest = stream["max_msg_size"]?.integer ?? -1
    guard longest < 0 || longest >= Self.longestMessage else { return wrong("max_msg_size") }
    guard (stream["num_replicas"]?.integer ?? 1) >= Int64(settings.replicas) else { return wrong("num_replicas") }
    return nil
  }

  /// The number of the format that a stream tells; those that were made before formats were told are of the first. `nil` of what is no number.
  static func format(_ stream: JSONValue) -> UInt8? {
    guard let told = stream["metadata"]?[formatName] else { return BookFormat.first.rawValue }
    return told.string.flatMap { UInt8($0) }
  }

  /// Why this program can neither read it nor write it.
  private func formatFault(_ stream: JSONValue) -> ClaimFault? {
    guard let number = Self.format(stream), number > 0 else {
      return .otherVersion("The book \(settings.bucket) does not tell its format: its metadata was changed.")
    }
    guard BookFormat(rawValue: number) == nil else { return nil }
    return .otherVersion(
      "The book \(settings.bucket) is of format \(number), and this program knows none later than \(BookFormat.newest.rawValue): a later version of scangate has opened it. Update this station to that version; a book keeps its format until its event is over."
    )
  }

  /// That nothing can be written any more.
  var closed: ClaimFault {
    .refused(
      "The book of \(settings.bucket) was closed (scangate fleet close): nobody can be let in by it any more. Another event has another book."
    )
  }

  private func wrong(_ name: String) -> ClaimFault {
    .otherVersion(
      "The bucket \(settings.bucket) was not made for a fleet, or was changed: its \(name) is not what claims want.")
  }
}

extension PendingCalls.Outcome {
  /// What was answered, in time or not by all.
  var messages: [NATSMessage] {
    switch self {
    case .unsent: []
    case .answered(let answers), .lost(let answers): answers
    }
  }
}
