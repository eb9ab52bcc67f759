internal import FleetBook
internal import ScanModel
internal import WireText

/// What a server says of itself: which version it is of, and whether it syncs before it acknowledges.
struct ServerAnswer: Equatable {
  /// Whom to ask: each server answers. The account of a fleet has it from the servers' own account, see `JetStreamServerConfiguration`.
  static let subject = "$SYS.REQ.SERVER.PING.JSZ"

  /// What it has called itself when it was started.
  var id: String
  /// What its configuration calls it.
  var name: String
  var version: ServerVersion?
  /// As it writes it, for messages.
  var versionText: String
  /// Whether it has JetStream.
  var hasStreams: Bool
  /// Whether each write is on its disk before it is acknowledged.
  var syncsAlways: Bool
  /// What time it is, by its clock.
  var time: WallTime?
}

extension ServerAnswer {
  /// - Returns: `nil` where it is no such answer.
  init?(_ message: NATSMessage) {
    guard let data = message.data, let json = try? JSONValue(data), let server = json["server"],
      let id = server["id"]?.string, let version = server["ver"]?.string
    else { return nil }
    self.id = id
    name = server["name"]?.string ?? ""
    self.version = ServerVersion(version)
    versionText = version
    time = server["time"]?.string.flatMap(ClaimAnswer.time)
    let settings = json["data"]?["config"]
    hasStreams = settings != nil && json["data"]?["disabled"] != .bool(true)
    syncsAlways = settings?["sync_always"] == .bool(true)
  }
}

/// A version of a server.
struct ServerVersion: Comparable {
  /// The oldest that may be relied on: before 2.10 none could sync before it acknowledges, and what came to Debian before had concurrent
  /// creates that both succeed.
  static let oldest = ServerVersion(major: 2, minor: 10, patch: 27)

  var major: Int
  var minor: Int
  var patch: Int
  /// Whether it is what came before that version.
  var isPreview = false

  static func < (a: Self, b: Self) -> Bool {
    (a.major, a.minor, a.patch, a.isPreview ? 0 : 1) < (b.major, b.minor, b.patch, b.isPreview ? 0 : 1)
  }
}

extension ServerVersion {
  /// Reads `2.10.27` and `2.11.0-RC.1`; `nil` of anything else.
  init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2],
      min(major, minor, patch) >= 0
    else { return nil }
    self.init(major: major, minor: minor, patch: patch, isPreview: parts.count > 1)
  }

  /// Whether servers of this version may be relied on. What comes after 2 was not looked at.
  var isRelied: Bool { self >= .oldest && major == Self.oldest.major }
}
