import CXKB
import LinuxIO
internal import Reading

/// Turns a wedge's keys into characters and terminators, as the keymap and its state have it.
///
/// Not `Sendable`: one for each grabbed node, on the thread that reads it.
final class KeyTranslator {
  private let keymap: Keymap
  private let terminators: Set<WedgeFraming.Terminator>
  private let start: (capsLock: Bool, numLock: Bool)
  private var keys: OpaquePointer?
  private var compose: OpaquePointer?
  private var composer: AltNumpadComposer
  private var down: Set<UInt16> = []
  private var buffer = [CChar](repeating: 0, count: 64)

  /// The lamps that the device should show now.
  private(set) var lamps: Set<EventDevice.Lamp> = []

  init(
    keymap: Keymap, page: AltNumpadComposer.Page, terminators: Set<WedgeFraming.Terminator>, capsLock: Bool = false,
    numLock: Bool = true
  ) {
    self.keymap = keymap
    self.terminators = terminators
    start = (capsLock, numLock)
    composer = AltNumpadComposer(page: page)
    rebuild(keysDown: [], locked: startMask)
  }

  deinit { keymap.release(keys: keys, compose: compose) }

  private var startMask: UInt32 {
    (start.capsLock ? keymap.mask(of: XKB_MOD_NAME_CAPS) : 0) | (start.numLock ? keymap.mask(of: XKB_MOD_NAME_NUM) : 0)
  }

  /// Begins anew after events were lost: these keys are down, the locks stay as they are known.
  func rebuild(keysDown: [UInt16]) {
    rebuild(keysDown: keysDown, locked: keys.map { xkb_state_serialize_mods($0, XKB_STATE_MODS_LOCKED) } ?? startMask)
  }

  /// Puts the locks back to where they start; what keys are down stays. For a silence after lost input: a scanner that
  /// switches Caps Lock around a code may have lost half of the pair.
  func resetLocks() { rebuild(keysDown: Array(down), locked: startMask) }

  private func rebuild(keysDown: [UInt16], locked: UInt32) {
    keymap.release(keys: keys, compose: compose)
    (keys, compose) = keymap.makeStates()
    down = Set(keysDown)
    composer.reset(keysDown: keysDown)
    guard let keys else { return }
    _ = xkb_state_update_mask(keys, 0, 0, locked, 0, 0, 0)
    // Only what acts while it is held: a lock key that is down has been counted in `locked`.
    for key in keysDown where EvdevKey.isModifier(key) && !Self.lockKeys.contains(key) {
      _ = xkb_state_update_key(keys, Self.xkbCode(key), XKB_KEY_DOWN)
    }
    updateLamps(keys)
  }

  private static let lockKeys: Set<UInt16> = [58, 69, 70]

  /// evdev codes are XKB key codes less eight (X11 keeps the first eight for itself).
  private static func xkbCode(_ key: UInt16) -> xkb_keycode_t { UInt32(key) + 8 }

  /// Takes a key event (no repeats).
  /// - Returns: what it means to the assembler.
  func key(_ code: UInt16, isDown: Bool) -> WedgeAssembler.Input {
    guard let keys else { return .broken }
    // XKB counts presses: a release or a press that it has seen before would leave a modifier hanging.
    guard isDown ? down.insert(code).inserted : down.remove(code) != nil else { return .activity }
    let step = composer.key(code, isDown: isDown)
    // The text of a key is that of the state before it.
    let input = step == .pass && isDown ? press(code, keys) : Self.input(of: step)
    let changed = xkb_state_update_key(keys, Self.xkbCode(code), isDown ? XKB_KEY_DOWN : XKB_KEY_UP)
    if changed.rawValue & XKB_STATE_LEDS.rawValue != 0 { updateLamps(keys) }
    if case .text(let text) = input { return ending(text) ?? input }
    return input
  }

  private static func input(of step: AltNumpadComposer.Step) -> WedgeAssembler.Input {
    switch step {
    case .pass, .swallow: .activity
    case .character(let scalar): .text([UInt8](String(scalar).utf8))
    case .broken: .broken
    }
  }

  private func press(_ code: UInt16, _ keys: OpaquePointer) -> WedgeAssembler.Input {
    switch code {
    case EvdevKey.enter where terminators.contains(.enter): return .terminator
    case EvdevKey.keypadEnter where terminators.contains(.keypadEnter): return .terminator
    case EvdevKey.tab where terminators.contains(.tab): return .terminator
    default: break
    }
    let symbol = xkb_state_key_get_one_sym(keys, Self.xkbCode(code))
    if let compose {
      if xkb_compose_state_feed(compose, symbol) == XKB_COMPOSE_FEED_ACCEPTED {
        switch xkb_compose_state_get_status(compose) {
        case XKB_COMPOSE_COMPOSING: return .activity
        case XKB_COMPOSE_COMPOSED:
          return text { xkb_compose_state_get_utf8(compose, $0, $1) }
        // A dead key and a key that it does not go with: nobody knows what was meant.
        case XKB_COMPOSE_CANCELLED: return .broken
        default: break
        }
      }
    } else if (0xFE50...0xFE93).contains(symbol) {
      // A dead key and no Compose table: the character that it belongs to would be a wrong one.
      return .broken
    }
    let input = text { xkb_state_key_get_utf8(keys, Self.xkbCode(code), $0, $1) }
    return xkb_state_mod_name_is_active(keys, XKB_MOD_NAME_CTRL, XKB_STATE_MODS_EFFECTIVE) == 1
      ? control(code, input) : input
  }

  /// With Ctrl only control characters can be meant. XKB makes them of `@` to `_` and the letters; layouts that have
  /// `[`, `\` and `]` elsewhere give ESC, FS and GS on the keys where `us` has them, as Windows' layouts do.
  private func control(_ code: UInt16, _ input: WedgeAssembler.Input) -> WedgeAssembler.Input {
    guard case .text(let text) = input else { return input }
    if text.count == 1, text[0] < 0x20 || text[0] == 0x7F { return input }
    switch code {
    case 26: return .text([0x1B])
    case 27: return .text([0x1D])
    case 43: return .text([0x1C])
    default: return .broken
    }
  }

  /// The terminator that a character stands for, however it was typed (Ctrl+M, Alt and 013).
  private func ending(_ text: [UInt8]) -> WedgeAssembler.Input? {
    guard text.count == 1 else { return nil }
    switch text[0] {
    case 0x0D, 0x0A: return terminators.contains(.enter) ? .terminator : nil
    case 0x09: return terminators.contains(.tab) ? .terminator : nil
    default: return nil
    }
  }

  /// Text from a function that fills a buffer and returns the length that it needs.
  private func text(_ fill: (UnsafeMutablePointer<CChar>?, Int) -> Int32) -> WedgeAssembler.Input {
    let needed = buffer.withUnsafeMutableBufferPointer { Int(fill($0.baseAddress, $0.count)) }
    if needed <= 0 { return .activity }
    // One key types a character, or a few: what does not fit is no text of a scanner.
    if needed >= buffer.count { return .broken }
    return .text(buffer[..<needed].map { UInt8(bitPattern: $0) })
  }

  private func updateLamps(_ keys: OpaquePointer) {
    lamps = []
    if xkb_state_led_name_is_active(keys, XKB_LED_NAME_NUM) == 1 { lamps.insert(.numLock) }
    if xkb_state_led_name_is_active(keys, XKB_LED_NAME_CAPS) == 1 { lamps.insert(.capsLock) }
    if xkb_state_led_name_is_active(keys, XKB_LED_NAME_SCROLL) == 1 { lamps.insert(.scrollLock) }
  }
}
