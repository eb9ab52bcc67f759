/// A picture with what the front end saw drawn over it.
package final class ExplainCanvas {
  /// Pixels in a row.
  package let width: Int
  /// Rows.
  package let height: Int
  /// Three bytes a pixel, red, green and blue, row by row without gaps.
  package private(set) var rgb: [UInt8]

  /// A colour of what is drawn.
  struct Colour {
    let red: UInt8, green: UInt8, blue: UInt8
    static let red = Colour(red: 230, green: 40, blue: 40)
    static let orange = Colour(red: 240, green: 150, blue: 20)
    static let green = Colour(red: 20, green: 190, blue: 60)
    static let blue = Colour(red: 50, green: 90, blue: 240)
    static let violet = Colour(red: 170, green: 50, blue: 220)
  }

  /// The picture in grey, nothing drawn yet.
  init(_ picture: GreyImage) {
    width = picture.width
    height = picture.height
    rgb = []
    rgb.reserveCapacity(3 * width * height)
    for row in 0..<height {
      for column in 0..<width {
        let grey = picture.pixels[row * picture.stride + column]
        rgb.append(grey)
        rgb.append(grey)
        rgb.append(grey)
      }
    }
  }

  /// Colours a pixel; nothing outside.
  func set(_ column: Int, _ row: Int, _ colour: Colour) {
    guard (0..<width).contains(column), (0..<height).contains(row) else { return }
    let place = 3 * (row * width + column)
    rgb[place] = colour.red
    rgb[place + 1] = colour.green
    rgb[place + 2] = colour.blue
  }

  /// Draws a dot, or a square around it.
  func dot(_ place: SIMD2<Float>, _ colour: Colour, reach: Int = 0) {
    guard let centre = pixel(place) else { return }
    for row in -reach...reach {
      for column in -reach...reach { set(centre.x + column, centre.y + row, colour) }
    }
  }

  func line(_ start: SIMD2<Float>, _ end: SIMD2<Float>, _ colour: Colour) {
    guard pixel(start) != nil, pixel(end) != nil else { return }
    let way = end - start
    let steps = max(1, Int(max(abs(way.x), abs(way.y)).rounded(.up)))
    for step in 0...steps { dot(start + way * (Float(step) / Float(steps)), colour) }
  }

  /// Tints what is black, as the threshold has it.
  func tint(_ isBlack: (_ column: Int, _ row: Int) -> Bool) {
    for row in 0..<height {
      for column in 0..<width {
        let place = 3 * (row * width + column)
        if isBlack(column, row) {
          rgb[place + 2] = UInt8(min(255, Int(rgb[place + 2]) + 70))
        } else {
          rgb[place] = UInt8(min(255, Int(rgb[place]) + 30))
        }
      }
    }
  }

  /// Lays a small picture into the left upper corner.
  func inset(_ picture: GreyImage) {
    for row in 0..<min(height, picture.height) {
      for column in 0..<min(width, picture.width) {
        let grey = picture.pixels[row * picture.stride + column]
        set(column, row, Colour(red: grey, green: grey, blue: grey))
      }
    }
  }

  /// A pixel that may be outside, but not by much; `nil` for what is no number.
  private func pixel(_ place: SIMD2<Float>) -> (x: Int, y: Int)? {
    guard abs(place.x) < 65_536, abs(place.y) < 65_536 else { return nil }
    return (Int(place.x.rounded(.down)), Int(place.y.rounded(.down)))
  }
}
