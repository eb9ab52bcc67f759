internal import ScanModel
internal import TicketTransport
internal import WireText

/// What outlives a process of a door: the calls that still count, and the session; sealed as credentials are. By civil time, for each boot
/// has its own other one.
struct DoorRecord: Sendable {
  /// A session that was signed in for.
  struct Session: Sendable {
    var cookie: Secret
    var ends: WallTime
  }

  /// Which server it is of, or which account: another one's says nothing.
  var subject: String
  /// The calls, and when each ended.
  var calls: [(place: DoorRation.Place, at: WallTime)] = []
  /// Until when the service holds back all.
  var blockedUntil: WallTime?
  /// The session.
  var session: Session?

  /// More is not read.
  private static let mostCalls = 32

  init(subject: String) { self.subject = subject }

  /// Reads what `bytes` gave; `nil` for anything else.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= 65_536, let document = try? JSONValue(bytes), document["version"]?.integer == 1,
      let subject = document["subject"]?.string
    else { return nil }
    self.subject = subject
    calls = (document["calls"]?.array ?? []).prefix(Self.mostCalls).compactMap { call in
      guard let number = call["number"]?.string.flatMap({ UInt64($0) }),
        let use = call["use"]?.string.flatMap(DoorRation.Use.init), let at = call["at"]?.integer
      else { return nil }
      return (DoorRation.Place(number: number, use: use), WallTime(seconds: at))
    }
    blockedUntil = document["blocked"]?.integer.map { WallTime(seconds: $0) }
    if let text = document["session"]?.string, let cookie = try? Secret(text), let ends = document["ends"]?.integer {
      session = Session(cookie: cookie, ends: WallTime(seconds: ends))
    }
  }

  /// To be sealed before it is put down.
  var bytes: [UInt8] {
    var text = JSONText()
    text.add("version", 1)
    text.add("subject", subject)
    text.add(
      "calls",
      objects: calls.map { call in
        var object = JSONText()
        object.add("number", "\(call.place.number)")
        object.add("use", call.place.use.rawValue)
        object.add("at", call.at.seconds)
        return object.text
      })
    text.add("blocked", number: blockedUntil?.seconds)
    if let session {
      text.add("session", session.cookie.toBeSealed)
      text.add("ends", session.ends.seconds)
    }
    return text.bytes
  }
}

extension DoorRation {
  /// What another process, or the last one, has put down.
  mutating func take(_ record: DoorRecord, at now: MonotonicTime, wall: WallTime) {
    take(
      // A clock that was put back makes none older.
      record.calls.map { Past(place: $0.place, ago: max(.zero, wall - $0.at)) },
      blocked: record.blockedUntil.map { $0 - wall }, at: now)
  }

  /// Puts down what others have to know.
  mutating func put(into record: inout DoorRecord, at now: MonotonicTime, wall: WallTime) {
    let told = told(at: now)
    record.calls = told.calls.map { ($0.place, wall - $0.ago) }
    record.blockedUntil = told.blocked.map { wall + $0 }
  }
}
