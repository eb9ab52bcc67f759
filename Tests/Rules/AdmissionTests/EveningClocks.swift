import ScanModel
import ScanTesting

/// The clocks of an evening: of the application that dates records, of the machine in front of it that writes `Date`, and our own.
///
/// All are told against true time, which is our monotonic clock.
struct EveningClocks {
  /// How a clock is wrong.
  enum Fault { case constant, drift, jump }

  static let second: Int64 = 1_000_000_000
  private static let epoch: Int64 = 1_800_000_000

  private(set) var hasDate = true
  /// How far ahead our own clock is.
  private(set) var own: Int64 = 0
  private var fault: Fault?
  private var size: Int64 = 0
  private var isOfRecords = false
  private var base: Int64 = 0
  /// When a clock jumps, or a drift begins; the drift lasts ten minutes.
  private var from: Int64 = 0
  /// When the clocks are put right: nothing is wrong any more.
  private var until = Int64.max

  init() {}

  init(_ dice: inout SeededGenerator) {
    hasDate = dice.chance(75)
    let sizes = [1, 3, 10, 600].map { $0 * Self.second }
    base = Int64.random(in: -500_000_000...500_000_000, using: &dice)
    if dice.chance(45) {
      fault = [Fault.constant, .constant, .drift, .jump].randomElement(using: &dice)
      size = (sizes.randomElement(using: &dice) ?? 0) * (dice.chance(50) ? 1 : -1)
      isOfRecords = dice.chance(50)
      from = Int64.random(in: 995 * Self.second...1_200 * Self.second, using: &dice)
      // Within a moment, or while many come.
      let longest: Int64 = dice.chance(30) ? 20 : 300
      if dice.chance(50) { until = from + Int64.random(in: 0...longest * Self.second, using: &dice) }
    }
    let wrong = [180, -180, 3_600, -3_600].map { $0 * Self.second }
    if dice.chance(30) {
      own = wrong.randomElement(using: &dice) ?? 0
    } else {
      own = base + Int64.random(in: -1_400_000_000...1_400_000_000, using: &dice)
    }
  }

  private func error(at time: Int64) -> Int64 {
    switch fault {
    case nil: 0
    case _ where time >= until: 0
    case .constant: size
    case .jump: time < from ? 0 : size
    case .drift: size / 600_000 * (max(0, min(time - from, 600 * Self.second)) / 1_000_000)
    }
  }

  /// How far ahead the clock is that dates records.
  func records(at time: Int64) -> Int64 { base + (isOfRecords ? error(at: time) : 0) }

  /// How far ahead the clock is that bounds them: `Date`, or our own where it stands in.
  func bounds(at time: Int64) -> Int64 { hasDate ? base + (isOfRecords ? 0 : error(at: time)) : own }

  /// How far the clock of records is ahead of the one that bounds them.
  func distance(at time: Int64) -> Int64 { records(at: time) - bounds(at: time) }

  /// Whether they are ever further apart than what is trusted without a word.
  var isApart: Bool {
    let most = hasDate ? 0 : 2 * Self.second
    return [0, from, min(from + 600 * Self.second, until - 1), until].contains { abs(distance(at: $0)) > most }
  }

  /// Whether they were wrong, and are right again.
  func arePutRight(at time: Int64) -> Bool { fault != nil && time >= until }

  /// When the clocks were last moved against each other until then.
  func lastMoved(before time: Int64) -> Int64 {
    switch fault {
    case nil: 0
    case _ where time >= until: until
    case .constant: 0
    case .jump: time < from ? 0 : from
    case .drift: time < from ? 0 : min(time, from + 600 * Self.second)
    }
  }

  func stamp(at time: Int64) -> WallTime {
    WallTime(seconds: WallTime(nanoseconds: Self.epoch * Self.second + time + records(at: time)).seconds)
  }

  /// `nil` where answers have none.
  func date(at time: Int64) -> WallTime? {
    hasDate ? WallTime(seconds: WallTime(nanoseconds: Self.epoch * Self.second + time + bounds(at: time)).seconds) : nil
  }

  func wall(at time: Int64) -> WallTime { WallTime(nanoseconds: Self.epoch * Self.second + time + own) }
}

extension EveningClocks: CustomStringConvertible {
  var description: String {
    let end = until == .max ? "" : " until \(Double(until) / 1e9)"
    let apart = fault.map {
      "\($0) of \(Double(size) / 1e9) s from \(Double(from) / 1e9) in \(isOfRecords ? "records" : "Date")\(end)"
    }
    return "\(hasDate ? "Date" : "no Date"), \(apart ?? "clocks together"), own \(Double(own - base) / 1e9) s off"
  }
}
