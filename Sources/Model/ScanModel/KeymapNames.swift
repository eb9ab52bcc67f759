/// The names of a keymap, as xkb-data has them (`man xkeyboard-config`).
package struct KeymapNames: Hashable, Sendable {
  /// The layout that the scanner types in, such as `us`, `de`, `fr`.
  package var layout: String
  /// The variant of the layout, such as `nodeadkeys`, `dvorak`; empty for none.
  package var variant: String
  /// The keyboard model; it hardly ever matters.
  package var model: String
  /// XKB options, comma separated; empty for none.
  package var options: String
  /// The locale whose Compose table joins dead keys, such as `en_US.UTF-8`; `nil` for none: a dead key then spoils its code.
  package var composeLocale: String?

  package init(
    layout: String = "us", variant: String = "", model: String = "pc105", options: String = "",
    composeLocale: String? = nil
  ) {
    self.layout = layout
    self.variant = variant
    self.model = model
    self.options = options
    self.composeLocale = composeLocale
  }

  /// Layout and variant, for messages.
  package var title: String { variant.isEmpty ? "“\(layout)”" : "“\(layout)” variant “\(variant)”" }
}
