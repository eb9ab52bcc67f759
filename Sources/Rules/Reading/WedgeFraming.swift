/// How a wedge frames a code: what it types around the data, and how an end is told.
package struct WedgeFraming: Sendable, Equatable {
  /// A key that ends a code.
  package enum Terminator: String, Sendable, CaseIterable {
    /// The main Enter key, or the characters CR and LF however they are typed.
    case enter
    /// Enter on the keypad.
    case keypadEnter
    /// The Tab key, or the character HT.
    case tab
  }

  /// The keys that end a code; those that are not named here are characters of it. May be empty where `silence` is set.
  package var terminators: Set<Terminator>
  /// Ends a code when nothing was typed for this long; `nil` where only a key does. A scanner that pauses longer inside a
  /// code would have it cut in two: set it well above the scanner's delay between characters.
  package var silence: Duration?
  /// The short silence that ends discarding (after attach, overflow and overlong input).
  package var quiet: Duration
  /// Characters without a terminator are thrown away after this long, so that they cannot become the head of the next
  /// code; only where `silence` is not set.
  package var abandonAfter: Duration
  /// Typed before each code, as UTF-8; removed, and demanded. Empty for none.
  package var prefix: [UInt8]
  /// Typed after each code and before the terminator, as UTF-8; removed, and demanded. Empty for none.
  package var suffix: [UInt8]
  /// Whether an AIM identifier (`]`, letter, modifier) at the start, after the prefix, is split off.
  package var splitAIM: Bool

  /// The longest code, in characters.
  package static let maximumCharacters = 4096

  /// Makes a framing; without arguments that of a scanner fresh from the box.
  package init(
    terminators: Set<Terminator> = Set(Terminator.allCases), silence: Duration? = nil,
    quiet: Duration = .milliseconds(100), abandonAfter: Duration = .seconds(2), prefix: String = "",
    suffix: String = "", splitAIM: Bool = true
  ) {
    self.terminators = terminators
    self.silence = silence
    self.quiet = quiet
    self.abandonAfter = abandonAfter
    self.prefix = [UInt8](prefix.utf8)
    self.suffix = [UInt8](suffix.utf8)
    self.splitAIM = splitAIM
  }

  /// What is wrong with it, each in words; empty where nothing is.
  package var problems: [String] {
    var problems: [String] = []
    if terminators.isEmpty && silence == nil {
      problems.append("no code can ever end: name a terminator key or set a silence")
    }
    if let silence, silence < .milliseconds(20) || silence > .seconds(5) {
      problems.append("the silence that ends a code must be between 20 ms and 5 s")
    }
    if quiet < .milliseconds(20) || quiet > .seconds(5) {
      problems.append("the silence after attach must be between 20 ms and 5 s")
    }
    if abandonAfter < .milliseconds(100) {
      problems.append("unfinished input cannot be abandoned before 100 ms")
    }
    if prefix.count > 64 || suffix.count > 64 { problems.append("prefix and suffix have at most 64 bytes each") }
    return problems
  }
}
