/// Why a text is no misbehaviour, in words that say what would be one.
package struct MisbehaviourError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong and what would be right.
  package let description: String
}

extension Misbehaviour {
  /// Reads a fault and its conditions, in any order, with commas between them and white space around them as one likes.
  ///
  /// One fault: `latency=300ms`, `latency=300ms..2s`, `status=503`, `html`, `redirect`, `redirect=/elsewhere`,
  /// `json=cut|huge|deep|types|pages|total|failure|odd`, `close=before|midway|after`, `reset=before|midway|after`, `clock=-1d`.
  /// Conditions: `next=3`, `share=20%`, `always`, `on=scans|checks|refreshes|kiosk|desk|all|lists|sign-ins`, `seed=7`; for the faults that have them
  /// `when=before|after` and `retry-after=30s`. Units are `ms`, `s`, `min`, `h` and `d`.
  package init(_ text: String) throws(MisbehaviourError) {
    var reading = MisbehaviourReading()
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      try reading.take(String(piece).trimmed)
    }
    self = try reading.finished()
  }
}

/// The pieces of one misbehaviour, as they are read.
private struct MisbehaviourReading {
  private static let faults = ["latency", "status", "html", "redirect", "json", "close", "reset", "clock"]
  private static let conditions = ["when", "retry-after", "next", "share", "always", "on", "seed"]

  private var values: [String: String?] = [:]

  mutating func take(_ piece: String) throws(MisbehaviourError) {
    let equals = piece.firstIndex(of: "=")
    let key = equals.map { String(piece[..<$0]).trimmed } ?? piece
    let value = equals.map { String(piece[piece.index(after: $0)...]).trimmed }
    guard Self.faults.contains(key) || Self.conditions.contains(key) else {
      let shown = key.isEmpty ? "an empty part" : quoted(key)
      throw wrong(
        "\(shown) is no part of a misbehaviour; the faults are \(Self.faults.joined(separator: ", ")), the conditions "
          + Self.conditions.joined(separator: ", "))
    }
    guard values.updateValue(value, forKey: key) == nil else { throw wrong("\(key) stands twice") }
  }

  func finished() throws(MisbehaviourError) -> Misbehaviour {
    let faults = Self.faults.filter { values[$0] != nil }
    guard let name = faults.first, faults.count == 1 else {
      throw wrong(
        faults.isEmpty
          ? "a fault is missing: one of \(Self.faults.joined(separator: ", "))"
          : "\(faults.joined(separator: " and ")) are two faults; give each one as a misbehaviour of its own")
    }
    if let moment = values["when"], !["latency", "status", "html", "redirect"].contains(name) {
      throw wrong("when=\(moment ?? "") does not go with \(name)")
    }
    var misbehaviour = Misbehaviour(try fault(name))
    if values["retry-after"] != nil, name != "status" { throw wrong("retry-after goes with status=429 and status=503") }
    if values["always"] != nil {
      guard given("always") == nil else { throw wrong("always takes no value") }
      guard values["next"] == nil, values["share"] == nil else {
        throw wrong("always goes with neither next nor share")
      }
    }
    if values["next"] != nil {
      misbehaviour.next = try number("next", 1...Misbehaviour.mostHits, "such as next=3")
    }
    if values["share"] != nil { misbehaviour.share = try share() }
    if values["on"] != nil { misbehaviour.scope = try choice("on") }
    if values["seed"] != nil {
      guard let seed = given("seed").flatMap({ isDigits($0) ? UInt64($0) : nil }) else {
        throw wrong("seed wants a whole number, such as seed=7")
      }
      misbehaviour.seed = seed
    }
    return misbehaviour
  }

  private func fault(_ name: String) throws(MisbehaviourError) -> Misbehaviour.Fault {
    switch name {
    case "latency": return .latency(try latency(), try moment())
    case "status": return try status()
    case "html":
      guard given("html") == nil else { throw wrong("html takes no value; its status is 200") }
      return .page(try moment())
    case "redirect": return .redirect(try place(), try moment())
    case "json": return .json(try choice("json"))
    case "close": return .end(.close, try choice("close"))
    case "reset": return .end(.reset, try choice("reset"))
    default: return .clock(try clock())
    }
  }

  private func latency() throws(MisbehaviourError) -> ClosedRange<Int> {
    let example = "latency wants a time up to 10min or two with .. between them, such as 300ms or 300ms..2s"
    let text = given("latency") ?? ""
    let ends = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false).map {
      milliseconds(String($0))
    }
    guard let least = ends.first ?? nil, let most = ends.last ?? nil,
      least <= most, most <= Misbehaviour.longestPause
    else { throw wrong("\(example); it got \(quoted(text))") }
    return least...most
  }

  private func status() throws(MisbehaviourError) -> Misbehaviour.Fault {
    let known = Misbehaviour.statuses.map { String($0) }.joined(separator: ", ")
    let text = given("status") ?? ""
    guard let code = Misbehaviour.statuses.first(where: { String($0) == text }) else {
      throw wrong("status wants one of \(known); it got \(quoted(text))")
    }
    guard values["retry-after"] != nil else { return .status(code, retryAfter: nil, try moment()) }
    guard code == 429 || code == 503 else { throw wrong("retry-after goes with status=429 and status=503") }
    guard let wait = given("retry-after").flatMap(milliseconds), wait % 1_000 == 0,
      wait / 1_000 <= Misbehaviour.longestRetry
    else { throw wrong("retry-after wants whole seconds up to 1d, such as 30s") }
    return .status(code, retryAfter: wait / 1_000, try moment())
  }

  /// A place is sent in a header: nothing may end that header, and nothing in it is left to a client's fancy.
  private func place() throws(MisbehaviourError) -> String {
    guard let text = given("redirect") else { return Misbehaviour.login }
    guard !text.isEmpty, text.utf8.count <= 1_000, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw wrong(
        "redirect wants a place in printable ASCII, such as redirect=/login or redirect=https://venue.example/")
    }
    return text
  }

  private func clock() throws(MisbehaviourError) -> Int {
    let text = given("clock") ?? ""
    let isBack = text.hasPrefix("-")
    let amount = isBack || text.hasPrefix("+") ? String(text.dropFirst()) : text
    guard let off = milliseconds(amount), off % 1_000 == 0, off / 1_000 <= Misbehaviour.furthestClock else {
      throw wrong("clock wants whole seconds up to 365d, such as clock=-1d or clock=90s; it got \(quoted(text))")
    }
    return isBack ? -(off / 1_000) : off / 1_000
  }

  private func share() throws(MisbehaviourError) -> Int {
    let text = given("share") ?? ""
    guard text.hasSuffix("%"), let percent = whole(String(text.dropLast())), (1...100).contains(percent) else {
      throw wrong("share wants 1% to 100%; it got \(quoted(text))")
    }
    return percent
  }

  private func number(_ key: String, _ range: ClosedRange<Int>, _ example: String) throws(MisbehaviourError) -> Int {
    guard let value = given(key).flatMap(whole), range.contains(value) else {
      throw wrong("\(key) wants a whole number from \(range.lowerBound) to \(range.upperBound), \(example)")
    }
    return value
  }

  private func moment() throws(MisbehaviourError) -> Misbehaviour.Moment {
    values["when"] == nil ? .before : try choice("when")
  }

  private func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String
  ) throws(MisbehaviourError) -> Choice where Choice.RawValue == String {
    let text = given(key) ?? ""
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong("\(key) wants one of \(known); it got \(quoted(text))")
    }
    return choice
  }

  private func given(_ key: String) -> String? { values[key] ?? nil }
}

private func wrong(_ words: String) -> MisbehaviourError { MisbehaviourError(description: words) }

/// What somebody typed, short and with nothing in it that disturbs a terminal.
func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(40).map { (0x20...0x7E).contains($0.value) ? String($0) : "·" }.joined()
  return "\"\(shown)\""
}

private func isDigits(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
}

private func whole(_ text: String) -> Int? { isDigits(text) ? Int(text) : nil }

/// A time with its unit, in milliseconds; `nil` for anything else and for what no `Int` holds.
func milliseconds(_ text: String) -> Int? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  let units = ["ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
  guard let amount = whole(String(digits)), let unit = units[String(text.dropFirst(digits.count)).trimmed] else {
    return nil
  }
  let (product, overflow) = amount.multipliedReportingOverflow(by: unit)
  return overflow ? nil : product
}

extension String {
  /// Without the white space around it.
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}
