/// Another way to look at a frame, one of which is tried by turns beside what is done always.
enum FrameVariant: CaseIterable {
  /// QR codes at the picture's full size: small ones far away.
  case fullSize
  /// Light QR codes on dark.
  case inverted
  /// QR codes at a quarter of the size: large, blurred or noisy ones.
  case quarter
  /// Bars at a smaller size.
  case smallerBars
  /// QR codes at twice the size around the finder patterns that were seen.
  case doubled
  /// Every look at bars.
  case patientBars

  /// Takes long: only where something was seen that was not read, and within the budget.
  var isExpensive: Bool { self == .doubled || self == .patientBars }
}

/// Decides what is done with a frame, so that a stream of frames costs a bounded share of a processor.
///
/// Each frame that moved, or is new, gets the cheap searches and one variant by turns. Time that is left of the budget is saved, up
/// to ten frames' worth; what a frame took beyond its share is owed, and no variant is tried until it is paid back. Expensive variants
/// are for at most every third frame, and only where a search before saw finder patterns or bars that nothing could read. A still
/// scene gets every variant once, then nothing until it changes.
struct FrameSchedule {
  /// CPU time a frame may take in the mean, in nanoseconds.
  let budget: UInt64

  /// What is done with a frame.
  enum Plan: Equatable {
    /// Nothing: it is the still scene that was looked at.
    case skip
    /// The cheap searches; `turn` counts looks; and a variant.
    case look(turn: Int, FrameVariant?)
  }

  private var turn = 0
  private var looksOfScene = 0
  private var nextCheap = 0
  private var nextExpensive = 0
  private var sinceExpensive = 0
  private var savings: Int64
  private var sawUnread = false

  private static let cheap = FrameVariant.allCases.filter { !$0.isExpensive }
  private static let expensive = FrameVariant.allCases.filter { $0.isExpensive }

  /// A schedule with this budget, 8 ms a frame.
  init(budget: UInt64 = 8_000_000) {
    self.budget = budget
    savings = Int64(clamping: budget)
  }

  /// What is to be done with the next frame.
  mutating func next(hasChanged: Bool) -> Plan {
    if hasChanged { looksOfScene = 0 }
    // Expensive variants have two looks in between, so a scene needs three looks for each of them.
    guard looksOfScene < Self.cheap.count + 3 * Self.expensive.count else { return .skip }
    looksOfScene += 1
    turn = (turn + 1) & 0xFFFF
    sinceExpensive += 1
    guard savings > 0 else { return .look(turn: turn, nil) }
    if sawUnread && sinceExpensive >= 3 {
      sinceExpensive = 0
      nextExpensive = (nextExpensive + 1) % Self.expensive.count
      return .look(turn: turn, Self.expensive[nextExpensive])
    }
    nextCheap = (nextCheap + 1) % Self.cheap.count
    return .look(turn: turn, Self.cheap[nextCheap])
  }

  /// Tells what a look took, in nanoseconds of CPU time, and whether it saw something that it could not read.
  mutating func looked(took: UInt64, sawUnread: Bool) {
    self.sawUnread = sawUnread
    let share = Int64(clamping: budget)
    // A second of debt at 30 frames a second; no sum here can overflow, for the time is bounded first.
    let spent = Int64(clamping: min(took, budget &* 40))
    savings = min(share &* 10, max(share &* -30, savings &+ share &- spent))
  }
}
