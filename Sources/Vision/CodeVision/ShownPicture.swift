/// A picture made as small as a person needs it: each pixel the mean of those that it stands for.
package enum ShownPicture {
  /// Writes the picture at another size, row by row without gaps.
  /// - Parameters:
  ///   - width: 1 to the picture's.
  ///   - height: likewise.
  ///   - target: where it goes.
  /// - Returns: whether it was written: sizes fit, and `target` has room.
  package static func write(
    _ image: GreyImage, width: Int, height: Int, to target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard (1...image.width).contains(width), (1...image.height).contains(height), width * height <= target.count,
      let out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return false }
    let columns = (0...width).map { $0 * image.width / width }
    var sums = [Int](repeating: 0, count: width)
    for row in 0..<height {
      let (first, end) = (row * image.height / height, (row + 1) * image.height / height)
      for column in 0..<width { sums[column] = 0 }
      for source in first..<end {
        let pixels = image.pixels + source * image.stride
        for column in 0..<width {
          var sum = 0
          for place in columns[column]..<columns[column + 1] { sum &+= Int(pixels[place]) }
          sums[column] &+= sum
        }
      }
      for column in 0..<width {
        let count = (columns[column + 1] - columns[column]) * (end - first)
        out[row * width + column] = UInt8(truncatingIfNeeded: (sums[column] + count / 2) / count)
      }
    }
    return true
  }
}
