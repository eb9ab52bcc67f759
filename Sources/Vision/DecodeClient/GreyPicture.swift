/// A picture in grey, as it is shown to people.
package struct GreyPicture: Sendable, Equatable {
  /// Pixels in a row.
  package let width: Int
  /// Rows.
  package let height: Int
  /// One byte a pixel, row by row, 0 is black.
  package let pixels: [UInt8]

  /// Makes a picture; `nil` where the pixels are not as many as it has.
  package init?(width: Int, height: Int, pixels: [UInt8]) {
    guard width > 0, height > 0, pixels.count == width * height else { return nil }
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Half as wide and high, each pixel the mean of four; `nil` where nothing would be left.
  var halved: GreyPicture? {
    let (width, height) = (self.width / 2, self.height / 2)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height)
    for row in 0..<height {
      for column in 0..<width {
        let place = 2 * row * self.width + 2 * column
        let sum = [place, place + 1, place + self.width, place + self.width + 1].reduce(0) { $0 + Int(self.pixels[$1]) }
        pixels.append(UInt8((sum + 2) / 4))
      }
    }
    return GreyPicture(width: width, height: height, pixels: pixels)
  }
}
