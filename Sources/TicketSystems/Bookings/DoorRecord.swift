internal import LinuxIO
internal import ScanModel
internal import TicketTransport
internal import WireText

/// What outlives a process of a door: the calls that still count, and the session; sealed as credentials are. By civil time, and calls by
/// the boot's own clock besides: none is ever older than it is, whatever is done to the civil one.
struct DoorRecord: Sendable {
  /// A session that was signed in for.
  struct Session: Sendable {
    var cookie: Secret
    var ends: WallTime
  }

  /// A call, and when it ended.
  struct Call: Sendable, Equatable {
    var place: DoorRation.Place
    var at: WallTime
    /// By the clock of `boot`; `nil` where that was not put down.
    var monotonic: MonotonicTime?
  }

  /// Which server it is of, or which account: another one's says nothing.
  var subject: String
  /// The calls.
  var calls: [Call] = []
  /// In which boot it was put down.
  var boot: BootID?
  /// Until when the service holds back all.
  var blockedUntil: WallTime?
  /// The session.
  var session: Session?

  /// More is not read.
  private static let mostCalls = 32

  init(subject: String) { self.subject = subject }

  /// Reads what `bytes` gave; `nil` for anything else.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= 65_536, let document = try? JSONValue(bytes),
      (1...2).contains(document["version"]?.integer ?? 0),
      let subject = document["subject"]?.string
    else { return nil }
    self.subject = subject
    let isExact = document["version"]?.integer == 2
    boot = document["boot"]?.string.map { BootID($0) }
    calls = (document["calls"]?.array ?? []).prefix(Self.mostCalls).compactMap { call in
      guard let number = call["number"]?.string.flatMap({ UInt64($0) }),
        let use = call["use"]?.string.flatMap(DoorRation.Use.init), let at = call["at"]?.integer
      else { return nil }
      // The first version had whole seconds, rounded down.
      return Call(
        place: DoorRation.Place(number: number, use: use),
        at: isExact ? WallTime(nanoseconds: at) : WallTime(seconds: at) + .seconds(1),
        monotonic: call["monotonic"]?.integer.map { MonotonicTime(nanoseconds: $0) })
    }
    blockedUntil = document["blocked"]?.integer.map {
      isExact ? WallTime(nanoseconds: $0) : WallTime(seconds: $0) + .seconds(1)
    }
    if let text = document["session"]?.string, let cookie = try? Secret(text), let ends = document["ends"]?.integer {
      session = Session(cookie: cookie, ends: WallTime(seconds: ends))
    }
  }

  /// To be sealed before it is put down.
  var bytes: [UInt8] {
    var text = JSONText()
    text.add("version", 2)
    text.add("subject", subject)
    text.add("boot", boot?.description)
    text.add(
      "calls",
      objects: calls.map { call in
        var object = JSONText()
        object.add("number", "\(call.place.number)")
        object.add("use", call.place.use.rawValue)
        object.add("at", call.at.nanoseconds)
        object.add("monotonic", number: call.monotonic?.nanoseconds)
        return object.text
      })
    text.add("blocked", number: blockedUntil?.nanoseconds)
    if let session {
      text.add("session", session.cookie.toBeSealed)
      text.add("ends", session.ends.seconds)
    }
    return text.bytes
  }
}

extension DoorRation {
  /// What another process, or the last one, has put down.
  mutating func take(_ record: DoorRecord, at now: MonotonicTime, wall: WallTime, boot: BootID = .ofThisProcess) {
    let isSameBoot = record.boot == boot
    take(
      record.calls.map { call in
        // A clock that was put on, or back, makes none older.
        var ago = wall - call.at
        if isSameBoot, let at = call.monotonic { ago = min(ago, now - at) }
        return Past(place: call.place, ago: max(.zero, ago))
      },
      blocked: record.blockedUntil.map { $0 - wall }, at: now)
  }

  /// Puts down what others have to know.
  mutating func put(
    into record: inout DoorRecord, at now: MonotonicTime, wall: WallTime, boot: BootID = .ofThisProcess
  ) {
    let told = told(at: now)
    record.boot = boot
    record.calls = told.calls.map { DoorRecord.Call(place: $0.place, at: wall - $0.ago, monotonic: now - $0.ago) }
    record.blockedUntil = told.blocked.map { wall + $0 }
  }
}

extension BootID {
  /// This start of the machine, read once.
  static let ofThisProcess = BootID.current()
}
