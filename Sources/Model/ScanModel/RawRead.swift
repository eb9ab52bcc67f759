/// The AIM symbology identifier of a read (ISO/IEC 15424): `]`, a code letter and a modifier, such as `]Q1`.
package struct AIMIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The code letter, `A` to `Z` or `a` to `z`: the kind of code.
  package let letter: UInt8
  /// The modifier, `0` to `9` or `A` to `Z`: options within the kind.
  package let modifier: UInt8

  /// Makes the identifier of two ASCII bytes; `nil` where they cannot be one.
  package init?(letter: UInt8, modifier: UInt8) {
    let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
    let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digit = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard upper.contains(letter) || lower.contains(letter) else { return nil }
    guard digit.contains(modifier) || upper.contains(modifier) else { return nil }
    self.letter = letter
    self.modifier = modifier
  }

  package var description: String { "]" + String(decoding: [letter, modifier], as: UTF8.self) }
}

/// The exact characters that a reader delivered, without framing (terminator, prefix, suffix, AIM identifier).
package struct RawRead: Sendable, Equatable {
  /// The reader that delivered them.
  package let reader: ReaderID
  /// The characters as UTF-8; at most 4,096 of them. May be anything: nothing is trimmed or judged yet.
  package let bytes: [UInt8]
  /// The kind of code, where the reader told it.
  package let symbology: AIMIdentifier?
  /// When the last byte (the terminator, or the end of silence) arrived.
  package let readAt: MonotonicTime

  package init(reader: ReaderID, bytes: [UInt8], symbology: AIMIdentifier? = nil, readAt: MonotonicTime) {
    self.reader = reader
    self.bytes = bytes
    self.symbology = symbology
    self.readAt = readAt
  }
}

/// One presentation of a code at a gate, past hold-off.
package struct Scan: Sendable, Equatable {
  /// Unique for ever; the nonce of its attempts.
  package let id: ScanID
  /// Where it was presented.
  package let gate: GateID
  /// The reader that read it.
  package let reader: ReaderID
  /// The code in the ticket system's own form (a ticket URL is reduced to its secret).
  package let code: Code
  /// The kind of code, where the reader told it.
  package let symbology: AIMIdentifier?
  /// When its last byte arrived.
  package let readAt: MonotonicTime
  /// The event that the presented code named, as in `RecognisedCode`; `nil` too where the scan is read from the journal.
  package let event: String?

  package init(
    id: ScanID = ScanID(), gate: GateID, reader: ReaderID, code: Code, symbology: AIMIdentifier? = nil,
    readAt: MonotonicTime, event: String? = nil
  ) {
    self.event = event
    self.id = id
    self.gate = gate
    self.reader = reader
    self.code = code
    self.symbology = symbology
    self.readAt = readAt
  }
}
