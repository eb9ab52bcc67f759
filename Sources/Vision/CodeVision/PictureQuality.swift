internal import ScanModel

extension ViewQuality {
  /// What can be said of the pixels alone, from every eighth row.
  init(of image: GreyImage) {
    self.init()
    var counts = [Int](repeating: 0, count: 256)
    var total = 0
    var steps = 0
    var edges = 0
    var row = min(3, image.height - 1)
    while row < image.height {
      let pixels = image.pixels + row * image.stride
      var column = 0
      while column < image.width {
        counts[Int(pixels[column])] += 1
        total += 1
        // An edge over three pixels: how much of it one step takes.
        if column + 3 < image.width {
          let (a, b) = (Int(pixels[column]), Int(pixels[column + 1]))
          let (c, d) = (Int(pixels[column + 2]), Int(pixels[column + 3]))
          let whole = abs(d - a)
          if whole >= 24 {
            edges += whole
            steps += min(whole, max(abs(b - a), abs(c - b), abs(d - c)))
          }
        }
        column += 4
      }
      row += 8
    }
    guard total > 0 else { return }
    let sum = counts.indices.reduce(0) { $0 + $1 * counts[$1] }
    brightness = Float(sum) / Float(total)
    contrast = Float(Self.level(counts, beyond: total - total / 20) - Self.level(counts, beyond: total / 20))
    // A third in each step is a slope; all in one is an edge.
    if edges > 0 { sharpness = max(0, min(1, (Float(steps) / Float(edges) - 1 / 3) * 1.5)) }
  }

  /// The brightness that this many pixels do not reach.
  private static func level(_ counts: [Int], beyond wanted: Int) -> Int {
    var seen = 0
    for (level, count) in counts.enumerated() {
      seen += count
      if seen > wanted { return level }
    }
    return counts.count - 1
  }
}
