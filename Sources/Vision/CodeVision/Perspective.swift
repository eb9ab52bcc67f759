/// A plane seen at an angle: from modules of a symbol to places in a picture.
struct Perspective {
  private var x: SIMD4<Float>
  private var y: SIMD4<Float>
  private var w: SIMD4<Float>

  /// The perspective that takes four places to four others; `nil` where three of them are in line.
  init?(
    from source: (SIMD2<Float>, SIMD2<Float>, SIMD2<Float>, SIMD2<Float>),
    to target: (SIMD2<Float>, SIMD2<Float>, SIMD2<Float>, SIMD2<Float>)
  ) {
    guard let out = Self.square(target), let back = Self.square(source).flatMap(Self.inverse) else { return nil }
    var rows = [SIMD4<Float>](repeating: SIMD4(repeating: 0), count: 3)
    for row in 0..<3 {
      for column in 0..<3 {
        var sum = 0.0
        for index in 0..<3 { sum += out[row * 3 + index] * back[index * 3 + column] }
        guard sum.isFinite else { return nil }
        rows[row][column] = Float(sum)
      }
    }
    (x, y, w) = (rows[0], rows[1], rows[2])
  }

  /// Where this place of the symbol is in the picture; no number where it is behind the eye.
  @inline(__always)
  func callAsFunction(_ u: Float, _ v: Float) -> SIMD2<Float> {
    let depth = w.x * u + w.y * v + w.z
    return SIMD2(x.x * u + x.y * v + x.z, y.x * u + y.y * v + y.z) / depth
  }

  /// The perspective of the unit square to four corners, going round.
  private static func square(_ c: (SIMD2<Float>, SIMD2<Float>, SIMD2<Float>, SIMD2<Float>)) -> [Double]? {
    let (x0, x1, x2, x3) = (Double(c.0.x), Double(c.1.x), Double(c.2.x), Double(c.3.x))
    let (y0, y1, y2, y3) = (Double(c.0.y), Double(c.1.y), Double(c.2.y), Double(c.3.y))
    let (dx1, dx2, dx3) = (x1 - x2, x3 - x2, x0 - x1 + x2 - x3)
    let (dy1, dy2, dy3) = (y1 - y2, y3 - y2, y0 - y1 + y2 - y3)
    let determinant = dx1 * dy2 - dx2 * dy1
    guard abs(determinant) > 1e-9 else { return nil }
    let g = (dx3 * dy2 - dx2 * dy3) / determinant
    let h = (dx1 * dy3 - dx3 * dy1) / determinant
    return [x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h, 1]
  }

  /// The way back, up to a factor.
  private static func inverse(_ m: [Double]) -> [Double]? {
    let result = [
      m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4], m[5] * m[6] - m[3] * m[8],
      m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5], m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7],
      m[0] * m[4] - m[1] * m[3],
    ]
    let determinant = m[0] * result[0] + m[1] * result[3] + m[2] * result[6]
    guard abs(determinant) > 1e-12 else { return nil }
    return result.map { $0 / determinant }
  }
}
