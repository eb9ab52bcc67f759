package import ScanModel

/// The time at which a day and a clock are in a zone; `nil` where there is no such day or zone.
/// - Parameters:
///   - zone: its IANA name; `nil` for the one that was asked for.
///   - day: year, month, day.
///   - clock: hour (24 for the end of the day), minute, second.
package typealias CivilClock = (_ zone: String?, _ day: [Int], _ clock: [Int]) -> WallTime?

/// Reads dates and times as exports have them, in a zone that is given.
struct CivilText {
  /// A time, or a whole day.
  struct Reading: Equatable {
    /// The day, as it is written: `2026-11-21`.
    var day: String
    /// The time; of a day its first moment.
    var beginning: WallTime
    /// The time; of a day the first moment of the next.
    var end: WallTime
  }

  /// Why it is none.
  enum Problem: Error {
    case noTime
    /// It can be two days.
    case ambiguous
    /// It would be a day if day and month were the other way round.
    case otherOrder
    /// Its year has two digits: of which century nobody says, nor which of three numbers it is.
    case shortYear
  }

  private let rule: CivilClock
  private let order: DateOrder?
  /// What was read last: a file has few days.
  private var known: [String: Reading] = [:]

  /// - Parameter order: which comes first in 05/11/2026; `nil` where nobody knows.
  init(_ rule: @escaping CivilClock, order: DateOrder? = nil) {
    self.rule = rule
    self.order = order
  }

  /// Reads `2026-11-21`, `21.11.2026` and `21/11/2026`, each with a time behind a blank, a comma or T, and such a time with an
  /// offset or `Z`.
  mutating func read(_ bytes: ArraySlice<UInt8>, zone: String?) throws(Problem) -> Reading {
    guard bytes.count <= 40 else { throw .noTime }
    let key = String(decoding: bytes, as: UTF8.self) + "\n" + (zone ?? "")
    if let reading = known[key] { return reading }
    var scanner = Scanner(rest: bytes)
    guard let day = try day(&scanner), let reading = read(&scanner, of: day, zone: zone) else { throw .noTime }
    if known.count >= 4_096 { known.removeAll(keepingCapacity: true) }
    known[key] = reading
    return reading
  }

  /// Year, month, day.
  private func day(_ text: inout Scanner) throws(Problem) -> [Int]? {
    for sign: Unicode.Scalar in ["-", "/"] {
      text.restart()
      if let year = text.digits(4), text.take(sign), let month = text.digits(2), text.take(sign),
        let date = text.digits(2)
      {
        return [year, month, date]
      }
    }
    for sign: Unicode.Scalar in [".", "/"] {
      text.restart()
      guard let first = text.digits(1...2), text.take(sign), let second = text.digits(1...2), text.take(sign) else {
        continue
      }
      guard let year = text.digits(4) else {
        if text.digits(2) != nil { throw .shortYear }
        continue
      }
      if sign == "." { return [year, second, first] }
      switch order {
      case .dayFirst? where second > 12 && first <= 12, .monthFirst? where first > 12 && second <= 12: throw .otherOrder
      case .dayFirst?: return [year, second, first]
      case .monthFirst?: return [year, first, second]
      case nil where second > 12: throw .otherOrder
      case nil where first <= 12 && first != second: throw .ambiguous
      case nil: return [year, second, first]
      }
    }
    text.restart()
    if text.digits(2) != nil, text.take("-"), text.digits(2) != nil, text.take("-"), text.digits(2) != nil {
      throw .shortYear
    }
    return nil
  }

  private func read(_ text: inout Scanner, of day: [Int], zone: String?) -> Reading? {
    guard (1_900...2_200).contains(day[0]) else { return nil }
    if text.isAtEnd {
      guard let beginning = rule(zone, day, [0, 0, 0]), let end = rule(zone, day, [24, 0, 0]) else { return nil }
      return Reading(day: Self.text(day), beginning: beginning, end: end)
    }
    let isApart = text.take(",")
    guard text.take("T") || text.take(" ") || isApart, let hour = text.digits(1...2), text.take(":") || text.take("h"),
      let minute = text.digits(2)
    else { return nil }
    var second = 0
    if text.take(":") {
      guard let seconds = text.digits(2) else { return nil }
      second = seconds
      if text.take(".") {
        guard text.digits(1...9) != nil else { return nil }
      }
    }
    guard hour < 24, minute < 60, second < 60 else { return nil }
    // German clocks say so.
    text.take(all: " Uhr")
    if text.isAtEnd {
      return rule(zone, day, [hour, minute, second]).map { Reading(day: Self.text(day), beginning: $0, end: $0) }
    }
    _ = text.take(" ")
    guard let offset = text.offset(), text.isAtEnd, let date = CivilDay(day) else { return nil }
    let time = WallTime(
      seconds: date.number * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset))
    return Reading(day: Self.text(day), beginning: time, end: time)
  }

  private static func text(_ day: [Int]) -> String {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return day.map(digits).joined(separator: "-")
  }

  /// Bytes that are read from the front.
  private struct Scanner {
    let whole: ArraySlice<UInt8>
    var rest: ArraySlice<UInt8>

    init(rest: ArraySlice<UInt8>) {
      whole = rest
      self.rest = rest
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func restart() { rest = whole }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard let next = rest.first, next == UInt8(ascii: character) else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// Takes what stands at the end.
    mutating func take(all text: String) { if rest.elementsEqual(text.utf8) { rest = [] } }

    mutating func digits(_ count: Int) -> Int? { digits(count...count) }

    mutating func digits(_ counts: ClosedRange<Int>) -> Int? {
      let part = rest.prefix(counts.upperBound).prefix { (0x30...0x39).contains($0) }
      guard counts.contains(part.count) else { return nil }
      rest = rest.dropFirst(part.count)
      return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// `Z`, `+01:00`, `+0100` or `+01`, in seconds.
    mutating func offset() -> Int? {
      if take("Z") || take("z") { return 0 }
      let sign = take("+") ? 1 : take("-") ? -1 : 0
      guard sign != 0, let hours = digits(2), hours < 24 else { return nil }
      var minutes = 0
      if take(":") || !isAtEnd {
        guard let found = digits(2), found < 60 else { return nil }
        minutes = found
      }
      return sign * (hours * 3_600 + minutes * 60)
    }
  }
}
