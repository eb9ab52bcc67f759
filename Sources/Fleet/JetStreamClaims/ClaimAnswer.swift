internal import CodeSigning
internal import FleetBook
internal import ScanModel
internal import WireText

/// What the leader says to a write, and to the question what a key has. Pure.
enum ClaimAnswer {
  /// What a write came to.
  ///
  /// Only what surely was not written is told as such. A leader whose own disk is full or which has just been replaced says so of what
  /// the majority may have written.
  static func written(_ outcome: PendingCalls.Outcome) -> Result<ClaimRevision, ClaimFault> {
    let message: NATSMessage
    switch outcome {
    case .unsent: return .failure(.noQuorum)
    case .answered(let answers) where !answers.isEmpty: message = answers[0]
    case .lost, .answered: return .failure(.lostAnswer)
    }
    if message.isUnheard { return .failure(.noQuorum) }
    guard let data = message.data, let json = try? JSONValue(data) else { return .failure(.lostAnswer) }
    guard let error = json["error"] else {
      guard let number = json["seq"]?.integer, number > 0, json["duplicate"] != .bool(true) else {
        return .failure(.lostAnswer)
      }
      return .success(ClaimRevision(UInt64(number)))
    }
    let words = error["description"]?.string ?? ""
    switch error["err_code"]?.integer {
    // The sequence is another one; later versions have a number of their own where they do not name it.
    case 10_071, 10_164: return .failure(.wrongRevision)
    case 10_077 where words.hasPrefix("maximum "): return .failure(.full)
    case 10_109:
      return .failure(
        .refused("The event's book was closed (scangate fleet close): nobody can be let in by it any more."))
    case 10_054: return .failure(.refused("The claim is longer than the bucket takes (\(TerminalText.clean(words)))."))
    default: return .failure(.lostAnswer)
    }
  }

  /// What was read.
  /// - Parameter settings: whose.
  static func read(
    _ outcome: PendingCalls.Outcome, _ key: ClaimKey, _ settings: JetStreamSettings
  ) -> Result<StoredClaim?, ClaimFault> {
    switch message(outcome, settings) {
    case .failure(let fault): return .failure(fault)
    case .success(nil): return .success(nil)
    case .success(let found?):
      guard found.subject == settings.subject(key) else { return .failure(.lostAnswer) }
      return found.claim(key).map { .success($0) } ?? .failure(.deleted)
    }
  }

  /// A message of the bucket as it was asked for; `nil` where the leader has none.
  static func message(
    _ outcome: PendingCalls.Outcome, _ settings: JetStreamSettings
  ) -> Result<StoredMessage?, ClaimFault> {
    let answer: NATSMessage
    switch outcome {
    case .unsent: return .failure(.noQuorum)
    case .answered(let answers) where !answers.isEmpty: answer = answers[0]
    case .lost, .answered: return .failure(.lostAnswer)
    }
    if answer.isUnheard { return .failure(.noQuorum) }
    guard let data = answer.data, let json = try? JSONValue(data) else { return .failure(.lostAnswer) }
    if let error = json["error"] {
      switch error["err_code"]?.integer {
      // No message found.
      case 10_037: return .success(nil)
      case 10_059: return .failure(.otherVersion("There is no bucket \(settings.bucket)."))
      default: return .failure(.noQuorum)
      }
    }
    guard let stored = json["message"], let number = stored["seq"]?.integer, number > 0,
      let subject = stored["subject"]?.string, let time = stored["time"]?.string.flatMap(time),
      let value = Base64.bytes(stored["data"]?.string ?? "")
    else { return .failure(.lostAnswer) }
    return .success(
      StoredMessage(
        subject: subject, revision: ClaimRevision(UInt64(number)), time: time,
        headers: Base64.bytes(stored["hdrs"]?.string ?? "").map(headers) ?? [:], value: value))
  }

  /// Lines of `name: value` behind a first one; later ones of a name do not count.
  static func headers(_ bytes: [UInt8]) -> [String: String] {
    var headers: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = String(line[..<colon])
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      if headers[name] == nil { headers[name] = String(value) }
    }
    return headers
  }

  /// Reads `2026-11-27T13:14:31.273186572Z` (RFC 3339, in UTC), with up to nine decimals.
  static func time(_ text: String) -> WallTime? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54,
      bytes[13] == 0x3A, bytes[16] == 0x3A, let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = number(bytes[17..<19]), let seconds = WallTime.seconds(year, month, day, hour, minute, second)
    else { return nil }
    let whole = WallTime(seconds: seconds)
    if bytes.count == 20 { return whole }
    let decimals = bytes[20..<(bytes.count - 1)]
    guard bytes[19] == 0x2E, (1...9).contains(decimals.count),
      let part = number(decimals + [UInt8](repeating: 0x30, count: 9 - decimals.count))
    else { return nil }
    return whole + .nanoseconds(part)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}

/// A message as the bucket has it, whoever wrote it.
struct StoredMessage: Equatable {
  var subject: String
  var revision: ClaimRevision
  /// When the leader took it.
  var time: WallTime
  var headers: [String: String]
  var value: [UInt8]

  /// What it is of a key; `nil` of a delete mark.
  func claim(_ key: ClaimKey) -> StoredClaim? {
    guard (headers["KV-Operation"] ?? "").isEmpty else { return nil }
    // What was written on no condition replaced nothing that anybody knows: no revision of a claim is that great.
    let replaced = headers["Nats-Expected-Last-Subject-Sequence"].flatMap { UInt64($0) } ?? .max
    return StoredClaim(key: key, value: value, revision: revision, replaced: ClaimRevision(replaced), time: time)
  }
}
