import CXKB
import Glibc
import ScanModel
import Synchronization

/// A compiled keymap with its Compose table.
///
/// Compiling takes tens of milliseconds and reads files: never on the thread that reads wedges.
final class Keymap: @unchecked Sendable {
  // Sendable: the three pointers are set once, and libxkbcommon's objects behind them are immutable but for their
  // reference counts, which are not atomic. Every call that touches a count (making and releasing states, and the
  // release at the end, when no state holds this object any more) goes through `counts`.
  private let context: OpaquePointer
  private let keymap: OpaquePointer
  private let compose: OpaquePointer?
  private let counts = Mutex(())

  /// Compiles a keymap.
  /// - Parameter reader: whose keymap it is, for the error.
  /// - Throws: in words, where the layout, the variant or the locale is not known or a package is missing.
  init(_ names: KeymapNames, for reader: ReaderID) throws(DeviceError) {
    // The environment (XKB_DEFAULT_LAYOUT and the like) belongs to the host's keyboard, never to a scanner.
    guard let context = xkb_context_new(XKB_CONTEXT_NO_ENVIRONMENT_NAMES) else {
      throw DeviceError(
        device: "reader \(reader)", what: "the keymaps cannot be found", remedy: "Install the package xkb-data.")
    }
    // Its messages go to the standard error output; ours say the same with the reader's name.
    xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
    guard let keymap = Self.compile(names, context) else {
      let isInstalled = Self.compile(KeymapNames(), context).map { xkb_keymap_unref($0) } != nil
      xkb_context_unref(context)
      throw DeviceError(
        device: "reader \(reader)",
        what: isInstalled ? "there is no keymap layout \(names.title)" : "the keymaps cannot be found",
        remedy: isInstalled
          ? "Name a layout and a variant that xkb-data has; “man xkeyboard-config” lists them."
          : "Install the package xkb-data.")
    }
    var compose: OpaquePointer?
    if let locale = names.composeLocale {
      compose = xkb_compose_table_new_from_locale(context, locale, XKB_COMPOSE_COMPILE_NO_FLAGS)
      guard compose != nil else {
        xkb_keymap_unref(keymap)
        xkb_context_unref(context)
        throw DeviceError(
          device: "reader \(reader)", what: "there is no Compose table for the locale “\(locale)”",
          remedy: "Install the package libx11-data and name a locale that it has, such as en_US.UTF-8.")
      }
    }
    self.context = context
    self.keymap = keymap
    self.compose = compose
  }

  private static func compile(_ names: KeymapNames, _ context: OpaquePointer) -> OpaquePointer? {
    "evdev".withCString { rules in
      names.model.withCString { model in
        names.layout.withCString { layout in
          names.variant.withCString { variant in
            names.options.withCString { options in
              var names = xkb_rule_names(
                rules: rules, model: model, layout: layout, variant: variant, options: options)
              return xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS)
            }
          }
        }
      }
    }
  }

  deinit {
    if let compose { xkb_compose_table_unref(compose) }
    xkb_keymap_unref(keymap)
    xkb_context_unref(context)
  }

  /// New states of keymap and Compose table; to be given back by `release`.
  func makeStates() -> (keys: OpaquePointer?, compose: OpaquePointer?) {
    counts.withLock { _ in
      (xkb_state_new(keymap), compose.flatMap { xkb_compose_state_new($0, XKB_COMPOSE_STATE_NO_FLAGS) })
    }
  }

  func release(keys: OpaquePointer?, compose: OpaquePointer?) {
    counts.withLock { _ in
      if let compose { xkb_compose_state_unref(compose) }
      if let keys { xkb_state_unref(keys) }
    }
  }

  /// The bit of a modifier in XKB's masks; 0 where the keymap has none of that name.
  func mask(of modifier: String) -> UInt32 {
    let index = xkb_keymap_mod_get_index(keymap, modifier)
    return index < 32 ? 1 << index : 0
  }
}
