/// How a serial scanner frames a code: what it sends around the data, and how an end is told.
package struct SerialFraming: Sendable, Equatable {
  /// The bytes that end a code; every other byte is data. May be empty where `silence` is set. An end right after an end
  /// (LF after CR) is no code and is dropped.
  package var terminators: Set<UInt8>
  /// Ends a code when nothing came for this long; `nil` where only a terminator does. To be well above the scanner's pauses.
  package var silence: Duration?
  /// The short silence that ends discarding (after attach, damage, overflow and overlong input).
  package var quiet: Duration
  /// Bytes without a terminator are thrown away after this long, so that they cannot become the head of the next code;
  /// only where `silence` is not set.
  package var abandonAfter: Duration
  /// Sent before each code; removed, and demanded. Empty for none.
  package var prefix: [UInt8]
  /// Sent after each code and before the terminator; removed, and demanded. Empty for none.
  package var suffix: [UInt8]
  /// Whether an AIM identifier (`]`, letter, modifier) at the start, after the prefix, is split off.
  package var splitAIM: Bool

  /// The longest code, in bytes.
  package static let maximumBytes = WedgeFraming.maximumCharacters

  /// Makes a framing; without arguments CR, LF or both end a code, as scanners send them fresh from the box.
  package init(
    terminators: Set<UInt8> = [0x0D, 0x0A], silence: Duration? = nil, quiet: Duration = .milliseconds(100),
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
    var problems = rules.problems
    if terminators.isEmpty && silence == nil {
      problems.append("no code can ever end: name a terminator or set a silence")
    }
    if !terminators.isDisjoint(with: prefix) || !terminators.isDisjoint(with: suffix) {
      problems.append("prefix and suffix cannot hold a byte that ends a code")
    }
    return problems
  }

  /// The same for the machine that wedges have too; what its terminators are is known here alone.
  var rules: WedgeFraming {
    var rules = WedgeFraming(silence: silence, quiet: quiet, abandonAfter: abandonAfter, splitAIM: splitAIM)
    rules.prefix = prefix
    rules.suffix = suffix
    return rules
  }
}
