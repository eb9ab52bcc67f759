import Expectations
import Reading
import ScanTesting
import Testing

private let keypad: [UInt16] = [82, 79, 80, 81, 75, 76, 77, 71, 72, 73]

/// Types Alt and a number; the steps that are not `pass` or `swallow`.
private func compose(_ digits: String, page: AltNumpadComposer.Page = .cp437) -> [AltNumpadComposer.Step] {
  var composer = AltNumpadComposer(page: page)
  var steps = [composer.key(EvdevKey.leftAlt, isDown: true)]
  for digit in digits.utf8 {
    let key = keypad[Int(digit - 48)]
    steps.append(composer.key(key, isDown: true))
    steps.append(composer.key(key, isDown: false))
  }
  steps.append(composer.key(EvdevKey.leftAlt, isDown: false))
  return steps.filter { $0 != .pass && $0 != .swallow }
}

@Test func aNumberWithoutLeadingZeroIsTheOEMPage() {
  expectEqual(compose("130"), [.character("é")])
  expectEqual(compose("155"), [.character("¢")])
  expectEqual(compose("155", page: .cp850), [.character("ø")])
  expectEqual(compose("65"), [.character("A")])
  expectEqual(compose("29"), [.character("\u{1D}")])
  expectEqual(compose("321"), [.character("A")], "256 + 65 wraps")
  expectEqual(compose("255"), [.character("\u{A0}")])
}

@Test func aLeadingZeroIsWindows1252() {
  expectEqual(compose("0233"), [.character("é")])
  expectEqual(compose("0128"), [.character("€")])
  expectEqual(compose("029"), [.character("\u{1D}")])
  expectEqual(compose("0065"), [.character("A")])
  expectEqual(compose("08364"), [.character("€")], "beyond the page it is Unicode")
  expectEqual(compose("055296"), [.broken], "a surrogate is no character")
  expectEqual(compose("0999999999"), [.broken])
}

@Test func altAloneAndDigitsAloneAreTheKeymaps() {
  expectEqual(compose(""), [])
  var composer = AltNumpadComposer(page: .cp437)
  expectEqual(composer.key(79, isDown: true), .pass)
  expectEqual(composer.key(EvdevKey.leftAlt, isDown: true), .pass)
  expectEqual(composer.key(16, isDown: true), .pass, "Alt+letter is not a number")
}

@Test func aNumberThatIsBrokenOffIsTold() {
  var composer = AltNumpadComposer(page: .cp437)
  _ = composer.key(EvdevKey.leftAlt, isDown: true)
  expectEqual(composer.key(79, isDown: true), .swallow)
  expectEqual(composer.key(42, isDown: true), .pass, "Shift does not end it")
  expectEqual(composer.key(16, isDown: true), .broken)
  expectEqual(composer.key(79, isDown: true), .swallow)
  expectEqual(composer.key(EvdevKey.leftAlt, isDown: false), .pass)
  expectEqual(composer.key(79, isDown: true), .pass)
}

@Test func afterAnOverflowHeldAltBeginsNothing() {
  var composer = AltNumpadComposer(page: .cp437)
  composer.reset(keysDown: [EvdevKey.leftAlt, 30])
  expectEqual(composer.key(79, isDown: true), .swallow)
  expectEqual(composer.key(EvdevKey.leftAlt, isDown: false), .pass)
}

/// Every byte of every page composes to a character, and printable ASCII is the same on all of them.
@Test func pagesAreWhole() {
  for value in 0...255 {
    let oem = compose("\(value)")
    let windows = compose("0\(value)")
    expect(oem.count == 1 && windows.count == 1)
    expect(oem != [.broken] && oem != [.character("\u{FFFD}")])
    if (32..<127).contains(value) { expect(oem == windows && oem == compose("\(value)", page: .cp850)) }
  }
}

/// Random presses and releases: a character comes only from a number that was begun and ended under one Alt, and the
/// composer is idle again when all keys are up.
@Test(arguments: 0..<20) func randomKeysNeverComposeFromParts(round: Int) {
  let seed = UInt64.random(in: .min ... .max)
  var random = SeededGenerator(seed: seed)
  var composer = AltNumpadComposer(page: .cp850)
  var down: Set<UInt16> = []
  var digits = ""
  var isSpoiled = false
  let keys: [UInt16] = keypad + [EvdevKey.leftAlt, EvdevKey.rightAlt, 30, 42]
  for _ in 0..<5000 {
    let key = keys[Int.random(in: 0..<keys.count, using: &random)]
    let isDown = !down.contains(key)
    let hadAlt = down.contains(EvdevKey.leftAlt) || down.contains(EvdevKey.rightAlt)
    if isDown { down.insert(key) } else { down.remove(key) }
    let hasAlt = down.contains(EvdevKey.leftAlt) || down.contains(EvdevKey.rightAlt)
    if !hadAlt {
      digits = ""
      isSpoiled = false
    }
    if hadAlt, isDown {
      if let digit = EvdevKey.keypadDigit(key), !isSpoiled {
        digits += "\(digit)"
        if digits.count > 7 { isSpoiled = true }
      } else if key == 30, !digits.isEmpty {
        isSpoiled = true
      }
    }
    let step = composer.key(key, isDown: isDown)
    if case .character = step {
      expect(hadAlt && !hasAlt && !digits.isEmpty && !isSpoiled, "seed \(seed)")
      expectEqual(compose(digits, page: .cp850), [step], "seed \(seed)")
    }
    if hadAlt && !hasAlt && !digits.isEmpty && !isSpoiled { expect(step != .pass, "seed \(seed)") }
  }
}
