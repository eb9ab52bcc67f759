/// A colour of a screen, and how well text can be read on it (WCAG 2.1, 1.4.3).
package struct BrandColour: Sendable, Hashable, CustomStringConvertible {
  package let red: UInt8
  package let green: UInt8
  package let blue: UInt8

  package static let black = BrandColour(red: 0, green: 0, blue: 0)
  package static let white = BrandColour(red: 255, green: 255, blue: 255)

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Reads `#RGB` or `#RRGGBB`; `nil` for everything else.
  package init?(_ text: String) {
    let digits = text.utf8.dropFirst().map { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
      default: nil
      }
    }
    let values = digits.compactMap(\.self)
    guard text.utf8.first == UInt8(ascii: "#"), values.count == digits.count else { return nil }
    switch values.count {
    case 3: self.init(red: values[0] * 17, green: values[1] * 17, blue: values[2] * 17)
    case 6:
      self.init(
        red: values[0] << 4 | values[1], green: values[2] << 4 | values[3], blue: values[4] << 4 | values[5])
    default: return nil
    }
  }

  /// `#RRGGBB`.
  package var description: String {
    "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
  }

  /// The contrast of text and what it stands on: 1 to 21.
  package func contrast(to other: BrandColour) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  /// The least contrast of text.
  package static let readable = 4.5

  /// This colour as text on `ground`; black or white, whichever is better to be read, where it is not readable.
  package func text(on ground: BrandColour) -> BrandColour {
    guard contrast(to: ground) < Self.readable else { return self }
    return Self.black.contrast(to: ground) >= Self.white.contrast(to: ground) ? .black : .white
  }

  /// Relative luminance, 0 to 1.
  private var luminance: Double {
    0.2126 * Self.linear[Int(red)] + 0.7152 * Self.linear[Int(green)] + 0.0722 * Self.linear[Int(blue)]
  }

  /// Each value of a channel without its gamma.
  private static let linear: [Double] = (0...255).map { value in
    let part = Double(value) / 255
    return part <= 0.04045 ? part / 12.92 : pow24((part + 0.055) / 1.055)
  }

  /// x to the power of 2.4, for 0 to 1: by the fifth root of x squared (Newton's method), without a library of mathematics.
  private static func pow24(_ x: Double) -> Double {
    let square = x * x
    var root = 1.0
    for _ in 0..<64 { root -= (root * root * root * root * root - square) / (5 * root * root * root * root) }
    return square * root
  }
}
