import Expectations
import LinuxIO
import ScanModel
import Reading
import Testing

@testable import WedgeReader

private let lane = ReaderID("lane")

/// A scanner that types keys by their evdev codes.
private struct Typist {
  let translator: KeyTranslator
  private(set) var inputs: [WedgeAssembler.Input] = []

  init(
    _ layout: String, _ variant: String = "", compose: String? = nil,
    terminators: Set<WedgeFraming.Terminator> = Set(WedgeFraming.Terminator.allCases), numLock: Bool = true
  ) throws {
    translator = KeyTranslator(
      keymap: try Keymap(KeymapNames(layout: layout, variant: variant, composeLocale: compose), for: lane),
      page: .cp437, terminators: terminators, numLock: numLock)
  }

  mutating func press(_ key: UInt16) { inputs.append(translator.key(key, isDown: true)) }
  mutating func release(_ key: UInt16) { inputs.append(translator.key(key, isDown: false)) }

  mutating func type(_ keys: UInt16..., with modifiers: UInt16...) {
    for modifier in modifiers { press(modifier) }
    for key in keys {
      press(key)
      release(key)
    }
    for modifier in modifiers.reversed() { release(modifier) }
  }

  /// What was typed so far: text, `⏎` for a terminator, `✗` for a missing character.
  var typed: String {
    inputs.map {
      switch $0 {
      case .text(let bytes): String(decoding: bytes, as: UTF8.self)
      case .terminator: "⏎"
      case .broken, .damaged: "✗"
      case .activity, .overflow: ""
      }
    }.joined()
  }
}

private let shift: UInt16 = 42
private let control: UInt16 = 29
private let altGr: UInt16 = 100

@Test func layoutUSTypesASCII() throws {
  var pen = try Typist("us")
  pen.type(44, 21, 12, 53, 13, 2)
  pen.type(44, 21, 12, 53, 13, 2, 26, 27, with: shift)
  pen.type(28)
  expectEqual(pen.typed, "zy-/=1ZY_?+!{}⏎")
}

@Test func layoutDEHasItsOwnPlaces() throws {
  var pen = try Typist("de")
  pen.type(21, 44, 53, 12)
  pen.type(21, 44, 8, 11, with: shift)
  pen.type(8, 9, 10, 11, 16, 18, with: altGr)
  pen.type(26, 39, 40)
  expectEqual(pen.typed, "zy-ßZY/={[]}@€üöä")
}

@Test func layoutFRHasDigitsWithShift() throws {
  var pen = try Typist("fr")
  pen.type(2, 3, 4, 16)
  pen.type(2, 3, 11, with: shift)
  expectEqual(pen.typed, "&é\"a120")
}

@Test func aVariantIsHonoured() throws {
  var pen = try Typist("us", "dvorak")
  pen.type(31, 35, 22)
  expectEqual(pen.typed, "odg")
}

@Test func controlYieldsGSAndItsLike() throws {
  var pen = try Typist("us")
  pen.type(27, 43, 26, 33, with: control)
  pen.type(7, 12, with: control, shift)
  pen.type(50, with: control)
  expectEqual(pen.typed, "\u{1D}\u{1C}\u{1B}\u{06}\u{1E}\u{1F}⏎")
  var german = try Typist("de")
  german.type(27, 43, 26, 46, with: control)
  german.type(10, with: control, altGr)
  expectEqual(german.typed, "\u{1D}\u{1C}\u{1B}\u{03}\u{1D}")
  var wrong = try Typist("us")
  wrong.type(3, 2, with: control)
  expectEqual(wrong.typed, "\u{0}✗")
}

@Test func deadKeysComposeWithATableAndSpoilWithout() throws {
  var pen = try Typist("de", compose: "en_US.UTF-8")
  pen.type(13, 18)
  pen.type(13, 57)
  pen.type(41, 30)
  pen.type(13)
  pen.type(18, with: shift)
  expectEqual(pen.typed, "é'âÉ")
  pen.type(13, 45)
  expectEqual(pen.typed, "é'âÉ✗")
  var bare = try Typist("de")
  bare.type(13, 18)
  expectEqual(bare.typed, "✗e")
  var without = try Typist("de", "nodeadkeys")
  without.type(13, 41)
  expectEqual(without.typed, "´^")
}

@Test func theKeypadTypesWithNumLockAndIsSilentWithout() throws {
  let keypad: [UInt16] = [82, 79, 80, 81, 75, 76, 77, 71, 72, 73]
  var pen = try Typist("us")
  for key in keypad { pen.type(key) }
  pen.type(96)
  expectEqual(pen.typed, "0123456789⏎")
  expectEqual(pen.translator.lamps, [.numLock])
  var off = try Typist("us", numLock: false)
  for key in keypad { off.type(key) }
  expectEqual(off.typed, "")
  expectEqual(off.translator.lamps, [])
}

@Test func altAndTheKeypadComposeWhateverTheLayout() throws {
  for layout in ["us", "de", "fr"] {
    var pen = try Typist(layout)
    pen.type(79, 81, 82, with: 56)
    pen.type(82, 79, 80, 72, with: 56)
    pen.type(82, 80, 73, with: 56)
    pen.type(82, 79, 81, with: 56)
    expectEqual(pen.typed, "é€\u{1D}⏎", "\(layout)")
  }
}

@Test func terminatorsThatAreNotConfiguredAreCharacters() throws {
  var pen = try Typist("us", terminators: [.keypadEnter])
  pen.type(30, 15, 30, 28, 96)
  expectEqual(pen.typed, "a\ta\r⏎")
}

@Test func capsLockTypedByTheScannerIsFollowed() throws {
  var pen = try Typist("us")
  pen.type(58, 30)
  expectEqual(pen.translator.lamps, [.numLock, .capsLock])
  pen.type(30, with: shift)
  pen.type(58, 30)
  expectEqual(pen.typed, "Aaa")
  expectEqual(pen.translator.lamps, [.numLock])
  pen.type(58)
  pen.translator.resetLocks()
  pen.type(30)
  expectEqual(pen.typed, "Aaaa")
}

@Test func afterAnOverflowHeldShiftStillActsAndLocksStay() throws {
  var pen = try Typist("us")
  pen.type(58)
  pen.translator.rebuild(keysDown: [shift, 30])
  expectEqual(pen.translator.lamps, [.numLock, .capsLock])
  pen.type(48)
  pen.release(shift)
  pen.type(48)
  pen.release(shift)
  pen.type(48)
  expectEqual(pen.typed, "bBB", "Shift undoes Caps Lock; a second release changes nothing")
}

/// A device of its own making may say anything: a key that is down is not pressed, one that is up is not released.
@Test func aKeyThatIsDownIsNotPressedAgain() throws {
  var pen = try Typist("us")
  pen.press(shift)
  pen.press(shift)
  pen.press(30)
  pen.press(30)
  pen.release(30)
  pen.release(30)
  pen.release(shift)
  pen.type(30)
  expectEqual(pen.typed, "Aa", "one press of a key is one character, and one release of Shift ends it")
}

@Test func unknownNamesAreExplained() throws {
  do {
    _ = try Keymap(KeymapNames(layout: "xx"), for: lane)
    Issue.record("accepted")
  } catch {
    expect(error.description.contains("reader lane") && error.description.contains("“xx”"))
  }
  do {
    _ = try Keymap(KeymapNames(layout: "de", variant: "nonsense"), for: lane)
    Issue.record("accepted")
  } catch {
    expect(error.description.contains("variant “nonsense”"))
  }
  do {
    _ = try Keymap(KeymapNames(composeLocale: "tlh_QO.UTF-8"), for: lane)
    Issue.record("accepted")
  } catch {
    expect(error.description.contains("libx11-data") && error.description.contains("tlh_QO.UTF-8"))
  }
}

@Test func problemsAreToldAllAtOnce() {
  let problems = WedgeConfiguration.problems(in: [
    WedgeConfiguration(id: ReaderID("a"), match: DeviceMatch()),
    WedgeConfiguration(
      id: ReaderID("b"), match: DeviceMatch(vendor: 1), keymap: KeymapNames(layout: "xx"),
      framing: WedgeFraming(terminators: [])),
    WedgeConfiguration(id: ReaderID("b"), match: DeviceMatch(vendor: 1)),
  ])
  expectEqual(problems.map(\.device), ["reader a", "reader b", "reader b", "reader b", "reader b"])
  expectEqual(problems.first?.what.contains("empty"), true)
  expect(problems[1].what.contains("no code can ever end"))
  expect(problems[3].what.contains("two readers have this name"))
}

/// Random keys: never a trap, and whatever is typed is valid UTF-8.
@Test(arguments: ["us", "de", "fr", "gr"]) func randomKeysAreSurvived(layout: String) throws {
  let seed = UInt64.random(in: .min ... .max)
  var state = seed
  var pen = try Typist(layout, compose: "en_US.UTF-8")
  for _ in 0..<20_000 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let key = UInt16(truncatingIfNeeded: state >> 33) % 800
    if state >> 63 == 0 { pen.press(key) } else { pen.release(key) }
    if state >> 52 & 0xFF == 0 { pen.translator.rebuild(keysDown: [key]) }
  }
  for case .text(let bytes) in pen.inputs {
    expect(String(validating: bytes, as: UTF8.self) != nil, "seed \(seed)")
  }
}
