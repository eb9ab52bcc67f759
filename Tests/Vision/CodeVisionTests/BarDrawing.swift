import CodeVision
import ScanTesting

/// A grey picture that tests draw bars into.
struct BarPicture {
  let width: Int
  let height: Int
  var pixels: [UInt8]

  init(width: Int = 400, height: Int = 240, grey: UInt8 = 200) {
    (self.width, self.height) = (width, height)
    pixels = [UInt8](repeating: grey, count: width * height)
  }

  /// Draws a label with bars; `widths` begin with a bar, in modules.
  ///
  /// - Parameters:
  ///   - module: pixels of a module.
  ///   - degrees: by which the label is turned clockwise.
  ///   - spread: by how many modules each bar is wider, at the cost of the spaces.
  mutating func draw(
    _ widths: [Float], at center: (x: Float, y: Float)? = nil, module: Float = 2.5, tall: Float = 80,
    degrees: Float = 0, spread: Float = 0, ink: UInt8 = 30, paper: UInt8 = 225
  ) {
    let total = widths.reduce(0, +)
    // Ink or paper, 32 places a module, from ten modules before the first bar to ten after the last.
    var inks = [Bool](repeating: false, count: Int(total + 20) * 32)
    var edge: Float = 10
    for (run, width) in widths.enumerated() {
      if run % 2 == 0 {
        for place in Int((edge - spread / 2) * 32)..<Int((edge + width + spread / 2) * 32) { inks[place] = true }
      }
      edge += width
    }
    let (cx, cy) = center ?? (Float(width) / 2, Float(height) / 2)
    let (cosine, sine) = Self.turn(degrees)
    // The label reaches no further.
    let (wide, high) = ((total / 2 + 10) * module, tall / 2 + 6 * module)
    let right = wide * abs(cosine) + high * abs(sine) + 2
    let down = wide * abs(sine) + high * abs(cosine) + 2
    for y in (0..<height).clamped(to: Int(cy - down)..<Int(cy + down) + 1) {
      for x in (0..<width).clamped(to: Int(cx - right)..<Int(cx + right) + 1) {
        var sum = 0
        var inside = 0
        for part in 0..<9 {
          let px = Float(x) + (Float(part % 3) + 0.5) / 3 - cx
          let py = Float(y) + (Float(part / 3) + 0.5) / 3 - cy
          let place = Int(((px * cosine + py * sine) / module + total / 2 + 10) * 32)
          let across = py * cosine - px * sine
          guard abs(across) < tall / 2 + 6 * module, inks.indices.contains(place) else { continue }
          inside += 1
          sum += Int(abs(across) < tall / 2 && inks[place] ? ink : paper)
        }
        guard inside > 0 else { continue }
        pixels[y * width + x] = UInt8((sum + Int(pixels[y * width + x]) * (9 - inside)) / 9)
      }
    }
  }

  /// Blurs by a box of so many pixels each way, `times` times.
  mutating func blur(radius: Int = 1, times: Int = 1) {
    for _ in 0..<times {
      let old = pixels
      for y in 0..<height {
        for x in 0..<width {
          var sum = 0
          var count = 0
          for dy in -radius...radius {
            for dx in -radius...radius where y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width {
              sum += Int(old[(y + dy) * width + x + dx])
              count += 1
            }
          }
          pixels[y * width + x] = UInt8(sum / count)
        }
      }
    }
  }

  /// Adds noise, at most `amount` each way.
  mutating func addNoise(_ amount: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for index in pixels.indices {
      pixels[index] = UInt8(clamping: Int(pixels[index]) + Int.random(in: -amount...amount, using: &generator))
    }
  }

  func withImage<R>(_ body: (GreyImage) throws -> R) rethrows -> R? {
    try pixels.withUnsafeBufferPointer { buffer in
      try GreyImage(buffer, width: width, height: height, stride: width).map(body)
    }
  }

  /// Cosine and sine, by their series: no library of mathematics is needed here.
  private static func turn(_ degrees: Float) -> (Float, Float) {
    let angle = Double(degrees) * 0.017453292519943295
    var (cosine, sine, term) = (1.0, 0.0, 1.0)
    for step in 1..<40 {
      term *= angle / Double(step)
      switch step % 4 {
      case 1: sine += term
      case 2: cosine -= term
      case 3: sine -= term
      default: cosine += term
      }
    }
    return (Float(cosine), Float(sine))
  }
}

/// The bars of codes, drawn from the standards' tables and from nothing of what reads them.
enum Bars {
  private static let left = ["3211", "2221", "2122", "1411", "1132", "1231", "1114", "1312", "1213", "3112"]
  private static let parity = [
    "LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL",
  ]

  private static func widths(_ text: some StringProtocol) -> [Float] { text.compactMap { Float(String($0)) } }

  /// 13 digits.
  static func ean13(_ text: String) -> [Float] {
    let digits = text.compactMap(\.wholeNumberValue)
    var bars = widths("111")
    for (digit, form) in zip(digits[1...6], parity[digits[0]]) {
      bars += form == "L" ? widths(left[digit]) : widths(left[digit]).reversed()
    }
    bars += widths("11111")
    for digit in digits[7...12] { bars += widths(left[digit]) }
    return bars + widths("111")
  }

  /// 8 digits.
  static func ean8(_ text: String) -> [Float] {
    let digits = text.compactMap(\.wholeNumberValue)
    return widths("111") + digits[..<4].flatMap { widths(left[$0]) } + widths("11111")
      + digits[4...].flatMap { widths(left[$0]) } + widths("111")
  }

  /// ASCII from the space on, in set B.
  static func code128(_ text: String) -> [Float] {
    let values = [104] + text.utf8.map { Int($0) - 32 }
    let check = values.enumerated().reduce(0) { $0 + max(1, $1.offset) * $1.element } % 103
    return (values + [check]).flatMap { widths(code128Patterns[$0]) } + widths("2331112")
  }

  private static let code128Patterns: [Substring] =
    """
    212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 \
    123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 \
    232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 \
    313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 \
    111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 \
    111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 \
    114311 411113 411311 113141 114131 311141 411131 211412 211214 211232
    """.split(separator: " ")
}
