/// A picture with its thresholds: what the search for QR codes looks at. Places are in pixels from the left upper corner, so that the
/// middle of the first pixel is at 0.5, 0.5.
struct Scene {
  let image: GreyImage
  /// The threshold of each block of 8 by 8 pixels, row by row.
  let thresholds: UnsafePointer<UInt8>
  /// Blocks in a row: all that `image` has.
  let across: Int
  /// Rows of blocks.
  let down: Int

  /// Whether a pixel is black; both numbers must be inside the picture.
  @inline(__always)
  func isBlack(column: Int, row: Int) -> Bool {
    // `across` blocks of eight cover the width, and the rows likewise.
    image.pixels[row * image.stride + column] <= thresholds[(row >> 3) * across + (column >> 3)]
  }

  /// How much darker than the threshold the pixel at this place is; places outside count as their nearest pixel, and what is no
  /// number as the first.
  @inline(__always)
  func darkness(at place: SIMD2<Float>) -> Int {
    let column = clamp(place.x, image.width)
    let row = clamp(place.y, image.height)
    return Int(thresholds[(row >> 3) * across + (column >> 3)]) - Int(image.pixels[row * image.stride + column])
  }

  /// The brightness at this place, between the four pixels around it; outside it is that of the edge.
  @inline(__always)
  func brightness(at place: SIMD2<Float>) -> Float {
    let x = bounded(place.x - 0.5, image.width - 1)
    let y = bounded(place.y - 0.5, image.height - 1)
    let column = Int(x)
    let row = Int(y)
    let right = min(column + 1, image.width - 1)
    let below = min(row + 1, image.height - 1)
    let upper = image.pixels + row * image.stride
    let lower = image.pixels + below * image.stride
    let alpha = x - Float(column)
    let beta = y - Float(row)
    let above = Float(upper[column]) + alpha * (Float(upper[right]) - Float(upper[column]))
    let under = Float(lower[column]) + alpha * (Float(lower[right]) - Float(lower[column]))
    return above + beta * (under - above)
  }

  /// The threshold at this place, between those of the four blocks around it.
  @inline(__always)
  func threshold(at place: SIMD2<Float>) -> Float {
    let x = bounded(place.x * 0.125 - 0.5, across - 1)
    let y = bounded(place.y * 0.125 - 0.5, down - 1)
    let column = Int(x)
    let row = Int(y)
    let right = min(column + 1, across - 1)
    let below = min(row + 1, down - 1)
    let alpha = x - Float(column)
    let upper = thresholds + row * across
    let lower = thresholds + below * across
    let above = Float(upper[column]) + alpha * (Float(upper[right]) - Float(upper[column]))
    let under = Float(lower[column]) + alpha * (Float(lower[right]) - Float(lower[column]))
    return above + (y - Float(row)) * (under - above)
  }

  /// Whether a place is inside the picture.
  @inline(__always)
  func contains(_ place: SIMD2<Float>) -> Bool {
    place.x >= 0 && place.y >= 0 && place.x < Float(image.width) && place.y < Float(image.height)
  }

  /// A number from 0 to `limit`, which is 0 or more; 0 for what is no number.
  @inline(__always)
  private func bounded(_ value: Float, _ limit: Int) -> Float {
    value > 0 ? (value < Float(limit) ? value : Float(limit)) : 0
  }

  /// A pixel's number from 0 to `count - 1`; 0 for what is no number.
  @inline(__always)
  private func clamp(_ value: Float, _ count: Int) -> Int {
    value > 0 ? (value < Float(count) ? Int(value) : count - 1) : 0
  }
}
