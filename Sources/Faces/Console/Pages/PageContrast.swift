import Glibc

/// Whether text can be read on a colour, by WCAG 2.2 (1.4.3): colours from elsewhere are used where it can, else ours. Pure.
enum PageContrast {
  /// What text needs, of any size.
  static let least = 4.5

  /// From 1, which is the same colour, to 21, black on white. Colours are `0xRRGGBB`.
  static func ratio(_ one: UInt32, _ other: UInt32) -> Double {
    let (a, b) = (luminance(one), luminance(other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  /// Whether `text` can be read on `ground`.
  static func isReadable(_ text: UInt32, on ground: UInt32) -> Bool { ratio(text, ground) >= least }

  /// Relative luminance, from 0 to 1.
  static func luminance(_ colour: UInt32) -> Double {
    func part(_ shift: UInt32) -> Double {
      let value = Double((colour >> shift) & 0xFF) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
  }
}
