/// How a scanner frames a code: what it sends around the data, and how an end is told.
package struct Framing<End: CodeEnd>: Sendable, Equatable {
  /// What ends a code.
  package typealias Terminator = End

  /// What ends a code; what is not named here is part of it. May be empty where `silence` is set. An end right after an end (LF after
  /// CR) is no code and is dropped.
  package var terminators: Set<End>
  /// Ends a code when nothing came for this long; `nil` where only a terminator does. A scanner that pauses longer inside a
  /// code would have it cut in two: set it well above the scanner's delay between characters.
  package var silence: Duration?
  /// The short silence that ends discarding (after attach, damage, overflow and overlong input).
  package var quiet: Duration
  /// Characters without a terminator are thrown away after this long, so that they cannot become the head of the next
  /// code; only where `silence` is not set.
  package var abandonAfter: Duration
  /// Sent before each code, as UTF-8; removed, and demanded. Empty for none.
  package var prefix: [UInt8]
  /// Sent after each code and before the terminator, as UTF-8; removed, and demanded. Empty for none.
  package var suffix: [UInt8]
  /// Whether an AIM identifier (`]`, letter, modifier) at the start, after the prefix, is split off.
  package var splitAIM: Bool

  /// Makes a framing; without arguments that of a scanner fresh from the box.
  package init(
    terminators: Set<End> = End.usual, silence: Duration? = nil, quiet: Duration = .milliseconds(100),
    abandonAfter: Duration = .seconds(2), prefix: String = "", suffix: String = "", splitAIM: Bool = true
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
      problems.append("no code can ever end: name \(End.words) or set a silence")
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
    if terminators.contains(where: { $0.stands(in: prefix) || $0.stands(in: suffix) }) {
      problems.append("prefix and suffix cannot hold a byte that ends a code")
    }
    return problems
  }
}

/// What can end a code.
package protocol CodeEnd: Hashable, Sendable {
  /// Those of a scanner fresh from the box.
  static var usual: Set<Self> { get }
  /// What one is called.
  static var words: String { get }
  /// Whether it stands in what surrounds a code: no code would ever be read.
  func stands(in bytes: [UInt8]) -> Bool
}

/// A key that ends a code.
package enum WedgeTerminator: String, CodeEnd, CaseIterable {
  /// The main Enter key, or the characters CR and LF however they are typed.
  case enter
  /// Enter on the keypad.
  case keypadEnter
  /// The Tab key, or the character HT.
  case tab

  package static var usual: Set<Self> { Set(allCases) }
  package static var words: String { "a terminator key" }
  package func stands(in bytes: [UInt8]) -> Bool { false }
}

extension UInt8: CodeEnd {
  /// CR, LF or both.
  package static var usual: Set<UInt8> { [0x0D, 0x0A] }
  package static var words: String { "a terminator" }
  package func stands(in bytes: [UInt8]) -> Bool { bytes.contains(self) }
}

/// How a wedge frames a code.
package typealias WedgeFraming = Framing<WedgeTerminator>

/// How a serial scanner frames a code, in bytes.
package typealias SerialFraming = Framing<UInt8>

extension WedgeFraming {
  /// The longest code, in characters.
  package static var maximumCharacters: Int { 4096 }
}

extension SerialFraming {
  /// The longest code, in bytes.
  package static var maximumBytes: Int { WedgeFraming.maximumCharacters }

  /// The same for the machine that wedges have too; what its terminators are is known here alone.
  var rules: WedgeFraming {
    var rules = WedgeFraming(silence: silence, quiet: quiet, abandonAfter: abandonAfter, splitAIM: splitAIM)
    rules.prefix = prefix
    rules.suffix = suffix
    return rules
  }
}
