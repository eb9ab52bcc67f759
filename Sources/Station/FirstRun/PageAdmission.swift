package import ScanModel

/// Who may use the page of a first run: whoever types the code that the terminal shows, once, in time. Pure: time is an argument.
///
///              the code, in time          five wrong ones, or the time is over
///     closed ───────────────────▶ open ─┐
///       └───────────────────────────────┴───────────────────────────▶ over
///
/// A code is good for one browser: behind it every code is wrong.
package struct PageAdmission: Sendable, Equatable {
  /// What came of a code.
  package enum Outcome: Sendable, Equatable {
    /// Whoever sent it may go on.
    case admitted
    /// It was wrong; so many may still be.
    case wrong(left: Int)
    /// The page ends.
    case over
  }

  /// How many wrong codes end it.
  package static let mostWrong = 5
  /// How long it is there.
  package static let time = Duration.seconds(30 * 60)
  /// What a code consists of: nothing that looks like something else.
  private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
  /// How long a code is.
  package static let length = 8

  /// The code.
  package let code: String
  private let deadline: MonotonicTime
  private var wrong = 0
  /// Whether somebody was admitted.
  package private(set) var isOpen = false
  private var isOver = false

  /// Begins.
  package init(code: String, at now: MonotonicTime, for time: Duration = time) {
    self.code = code
    deadline = now + time
  }

  /// A code that nobody knows yet: 40 random bits.
  package static func newCode() -> String {
    var random = SystemRandomNumberGenerator()
    return String((0..<length).map { _ in alphabet[Int(UInt8.random(in: 0..<32, using: &random))] })
  }

  /// Whether the page has ended.
  package func isOver(at now: MonotonicTime) -> Bool { isOver || now >= deadline }

  /// Takes a code that somebody has sent.
  package mutating func take(_ text: String, at now: MonotonicTime) -> Outcome {
    guard !isOver(at: now) else { return .over }
    if !isOpen, Self.isSame([UInt8](text.uppercased().utf8), [UInt8](code.utf8)) {
      isOpen = true
      return .admitted
    }
    wrong += 1
    isOver = wrong >= Self.mostWrong
    return isOver ? .over : .wrong(left: Self.mostWrong - wrong)
  }

  /// In a time that tells nothing of what is the same.
  private static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
