internal import ScanModel

/// Composes the characters that a scanner types as Alt and a number on the keypad.
///
/// Scanners type so where the keymap has no key for a character. Keys are told by their evdev code, so Num Lock does not
/// matter. Pure: no clock, no keymap.
///
/// ```
///            Alt down                  keypad digit
///   idle ───────────────▶ held ───────────────────────▶ composing ──┐ keypad digit
///    ▲                     │ ▲                            │  │ ▲     │
///    │    Alt up: pass     │ │ other key: pass            │  │ └─────┘
///    ├─────────────────────┘ └──                          │  │ other key: broken
///    │              Alt up: character, or broken          │  ▼
///    └────────────────────────────────────────────────────┘ spoiled ── Alt up: pass ──▶ idle
/// ```
package struct AltNumpadComposer: Sendable {
  /// The OEM page that a number without a leading zero is looked up in.
  package enum Page: Int, Sendable, CaseIterable {
    /// IBM PC.
    case cp437 = 437
    /// Western Europe.
    case cp850 = 850
  }

  /// What a key event means.
  package enum Step: Sendable, Equatable {
    /// Not for the composer: ask the keymap.
    case pass
    /// Part of a number; types nothing.
    case swallow
    /// The whole number: this character.
    case character(Unicode.Scalar)
    /// A number was begun and not ended properly: a character is missing here.
    case broken
  }

  private enum State: Sendable, Equatable {
    case idle
    case held
    case composing(value: UInt32, digits: Int, leadingZero: Bool)
    case spoiled
  }

  private let page: Page
  private var state = State.idle
  private var altKeys: Set<UInt16> = []

  package init(page: Page) { self.page = page }

  /// Takes a key event (no repeats): the evdev code and whether it went down.
  package mutating func key(_ code: UInt16, isDown: Bool) -> Step {
    if code == EvdevKey.leftAlt || code == EvdevKey.rightAlt { return alt(code, isDown: isDown) }
    guard state != .idle else { return .pass }
    let digit = EvdevKey.keypadDigit(code)
    guard isDown else { return digit == nil ? .pass : .swallow }
    guard let digit else {
      if EvdevKey.isModifier(code) { return .pass }
      guard case .composing = state else { return .pass }
      state = .spoiled
      return .broken
    }
    switch state {
    case .held:
      state = .composing(value: UInt32(digit), digits: 1, leadingZero: digit == 0)
    case .composing(let value, let digits, let leadingZero):
      // Seven digits hold every Unicode scalar; a longer number is none.
      guard digits < 7 else {
        state = .spoiled
        return .broken
      }
      state = .composing(value: value * 10 + UInt32(digit), digits: digits + 1, leadingZero: leadingZero)
    case .idle, .spoiled:
      break
    }
    return .swallow
  }

  private mutating func alt(_ code: UInt16, isDown: Bool) -> Step {
    if isDown {
      altKeys.insert(code)
      if state == .idle { state = .held }
      return .pass
    }
    altKeys.remove(code)
    guard altKeys.isEmpty else { return .pass }
    defer { state = .idle }
    guard case .composing(let value, _, let leadingZero) = state else { return .pass }
    return character(value, leadingZero: leadingZero).map { .character($0) } ?? .broken
  }

  /// A number without a leading zero wraps at 256, as Windows does it. With a leading zero, a number beyond the page is
  /// taken as Unicode: that is what scanners mean that type it.
  private func character(_ value: UInt32, leadingZero: Bool) -> Unicode.Scalar? {
    guard leadingZero else {
      let table = page == .cp437 ? AltNumpadPages.cp437 : AltNumpadPages.cp850
      return AltNumpadPages.scalar(UInt8(truncatingIfNeeded: value), on: table)
    }
    if let byte = UInt8(exactly: value) { return Windows1252.scalar(byte) }
    return Unicode.Scalar(value)
  }

  /// Forgets a number that was begun, keeping only the keys that are still down (after an overflow).
  package mutating func reset(keysDown: some Sequence<UInt16>) {
    altKeys = Set(keysDown.filter { $0 == EvdevKey.leftAlt || $0 == EvdevKey.rightAlt })
    state = altKeys.isEmpty ? .idle : .spoiled
  }
}

/// The evdev key codes that have a meaning of their own for wedges, whatever the keymap (linux/input-event-codes.h).
package enum EvdevKey {
  /// Main Enter key.
  package static let enter: UInt16 = 28
  /// Enter on the keypad.
  package static let keypadEnter: UInt16 = 96
  /// Tab.
  package static let tab: UInt16 = 15
  /// Left Alt.
  package static let leftAlt: UInt16 = 56
  /// Right Alt, AltGr on many layouts.
  package static let rightAlt: UInt16 = 100

  /// The digit of a keypad key, `nil` for other keys.
  package static func keypadDigit(_ code: UInt16) -> UInt8? {
    switch code {
    case 71...73: UInt8(code - 71) + 7
    case 75...77: UInt8(code - 75) + 4
    case 79...81: UInt8(code - 79) + 1
    case 82: 0
    default: nil
    }
  }

  /// Whether the key only changes what other keys mean: Ctrl, Shift, Alt, Meta and the locks.
  package static func isModifier(_ code: UInt16) -> Bool {
    switch code {
    case 29, 42, 54, 56, 58, 69, 70, 97, 100, 125, 126: true
    default: false
    }
  }
}
