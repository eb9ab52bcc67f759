/// The size in pixels of a frame that is shown to somebody.
package struct ShownSize: Sendable, Hashable {
  /// Pixels in a row.
  package var width: UInt16
  /// Rows.
  package var height: UInt16

  /// Makes a size; nothing of it is checked.
  package init(width: UInt16, height: UInt16) {
    self.width = width
    self.height = height
  }

  /// The size of a frame when no side of it is longer than `DecodeLimits.longestShown`; one that is small enough stays as it is. `nil`
  /// where the frame has no pixels.
  package init?(ofFrame width: Int, _ height: Int) {
    guard width > 0, height > 0, width <= Int(Int32.max), height <= Int(Int32.max) else { return nil }
    let longest = DecodeLimits.longestShown
    let side = max(width, height, longest)
    self.init(
      width: UInt16(clamping: max(1, width * longest / side)), height: UInt16(clamping: max(1, height * longest / side))
    )
  }

  /// How many pixels it has.
  package var pixels: Int { Int(width) * Int(height) }
}
