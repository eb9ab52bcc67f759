/// Pictures made smaller, larger, or inverted; each in its own memory, valid until the same is made again.
final class PictureScaler {
  private let halves = (0..<3).map { _ in PixelBuffer<UInt8>(filledWith: 0) }
  private let large = PixelBuffer<UInt8>(filledWith: 0)
  private let negative = PixelBuffer<UInt8>(filledWith: 0)

  /// Bytes that are kept.
  var capacity: Int { halves.reduce(0) { $0 + $1.capacity } + large.capacity + negative.capacity }

  /// The picture at the size of a level; `nil` where nothing would be left of it, or it would be too large.
  func scaled(_ image: GreyImage, to level: QRLevel) -> GreyImage? {
    switch level {
    case .full: image
    case .half: halved(image, 0)
    case .quarter: halved(image, 0).flatMap { halved($0, 1) }
    case .eighth: halved(image, 0).flatMap { halved($0, 1) }.flatMap { halved($0, 2) }
    case .doubled: doubled(image)
    }
  }

  /// Each pixel the mean of four.
  private func halved(_ image: GreyImage, _ index: Int) -> GreyImage? {
    let width = image.width / 2
    let height = image.height / 2
    guard width > 0, height > 0 else { return nil }
    let out = halves[index].reserve(width * height)
    for row in 0..<height {
      // Twice `row` plus one is a row, and twice `column` plus one a column.
      let upper = UnsafeRawPointer(image.pixels + 2 * row * image.stride)
      let lower = upper + image.stride
      let to = out + row * width
      var column = 0
      while column + 8 <= width {
        let first = (upper + 2 * column).loadUnaligned(as: SIMD8<UInt16>.self)
        let second = (lower + 2 * column).loadUnaligned(as: SIMD8<UInt16>.self)
        let low = SIMD8<UInt16>(repeating: 0xFF)
        let above: SIMD8<UInt16> = (first & low) &+ (first &>> 8)
        let below: SIMD8<UInt16> = (second & low) &+ (second &>> 8)
        let sum: SIMD8<UInt16> = above &+ below &+ 2
        let mean = SIMD8<UInt8>(truncatingIfNeeded: sum &>> 2)
        UnsafeMutableRawPointer(to + column).storeBytes(of: mean, as: SIMD8<UInt8>.self)
        column += 8
      }
      while column < width {
        let place = 2 * column
        let sum =
          Int(upper.load(fromByteOffset: place, as: UInt8.self))
          + Int(upper.load(fromByteOffset: place + 1, as: UInt8.self))
          + Int(lower.load(fromByteOffset: place, as: UInt8.self))
          + Int(lower.load(fromByteOffset: place + 1, as: UInt8.self))
        to[column] = UInt8(truncatingIfNeeded: (sum + 2) / 4)
        column += 1
      }
    }
    return GreyImage(inside: UnsafePointer(out), width: width, height: height, stride: width)
  }

  /// Twice as wide and high, between the pixels.
  private func doubled(_ image: GreyImage) -> GreyImage? {
    let width = image.width * 2
    let height = image.height * 2
    guard width <= ZBarScanner.maximumSide, height <= ZBarScanner.maximumSide else { return nil }
    let out = large.reserve(width * height)
    for row in 0..<height {
      // Three parts of the nearer row and one of the farther.
      let near = row / 2
      let far = max(0, min(image.height - 1, row & 1 == 0 ? near - 1 : near + 1))
      let nearer = image.pixels + near * image.stride
      let farther = image.pixels + far * image.stride
      let to = out + row * width
      var before = 3 * Int(nearer[0]) + Int(farther[0])
      var here = before
      for column in 0..<image.width {
        let next = min(column + 1, image.width - 1)
        let after = 3 * Int(nearer[next]) + Int(farther[next])
        to[2 * column] = UInt8(truncatingIfNeeded: (3 * here + before + 8) >> 4)
        to[2 * column + 1] = UInt8(truncatingIfNeeded: (3 * here + after + 8) >> 4)
        before = here
        here = after
      }
    }
    return GreyImage(inside: UnsafePointer(out), width: width, height: height, stride: width)
  }

  /// Light for dark.
  func inverted(_ image: GreyImage) -> GreyImage {
    let out = negative.reserve(image.width * image.height)
    for row in 0..<image.height {
      let from = image.pixels + row * image.stride
      let to = out + row * image.width
      for column in 0..<image.width { to[column] = ~from[column] }
    }
    return GreyImage(inside: UnsafePointer(out), width: image.width, height: image.height, stride: image.width)
  }
}
