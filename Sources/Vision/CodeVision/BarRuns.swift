/// The edges of a line across bars: where it changes between light and dark, in samples and parts of them.
struct BarRuns {
  /// Edges at most; a line with more is texture.
  static let most = 512

  private let edges = PixelBuffer<Float>(filledWith: 0)
  /// Edges that were found.
  private(set) var count = 0
  /// Whether the run after the first edge is dark.
  private(set) var startsDark = false

  /// Where an edge is; `index` below `count`.
  func edge(_ index: Int) -> Float { edges.reserve(Self.most)[index] }

  /// Width of the run between an edge and the next.
  func run(_ index: Int) -> Float {
    let edges = edges.reserve(Self.most)
    return edges[index + 1] - edges[index]
  }

  /// Finds the edges of a row: half way between each darkest place and the lightest next to it, where these differ by more than
  /// `1 / parts` of the row's range.
  ///
  /// A thin bar between wide spaces hardly gets dark where the picture is blurred; half of its own way down is its edge all the same.
  mutating func find(_ row: UnsafePointer<UInt8>, count width: Int, parts: Int) {
    count = 0
    guard width > 2 else { return }
    var least: UInt8 = 255
    var greatest: UInt8 = 0
    for i in 0..<width {
      least = min(least, row[i])
      greatest = max(greatest, row[i])
    }
    guard greatest > least, greatest &- least >= 12 else { return }
    let swing = max(5, Int(greatest &- least) / parts)
    // Until the first swing either can be the extreme that it starts from.
    var darkest = 0
    var lightest = 0
    var first = 1
    while first < width {
      if row[first] < row[darkest] { darkest = first }
      if row[first] > row[lightest] { lightest = first }
      if Int(row[lightest]) &- Int(row[darkest]) > swing { break }
      first &+= 1
    }
    guard first < width else { return }
    startsDark = darkest > lightest
    var isRising = !startsDark
    var known = startsDark ? lightest : darkest
    var extreme = first
    for i in first..<width {
      let difference = Int(row[i]) &- Int(row[extreme])
      if isRising ? difference >= 0 : difference <= 0 {
        extreme = i
      } else if abs(difference) > swing {
        guard add(row, from: known, to: extreme) else { return }
        known = extreme
        extreme = i
        isRising.toggle()
      }
    }
    _ = add(row, from: known, to: extreme)
  }

  /// Adds the edge between two extremes; false if there is no room.
  private mutating func add(_ row: UnsafePointer<UInt8>, from first: Int, to second: Int) -> Bool {
    guard count < Self.most else { return false }
    // Twice the level, and twice the pixels.
    let level = Int(row[first]) &+ Int(row[second])
    let isFalling = row[second] < row[first]
    var i = first
    while i < second {
      let value = 2 &* Int(row[i &+ 1])
      if isFalling ? value <= level : value >= level { break }
      i &+= 1
    }
    let here = Float(2 &* Int(row[i]) &- level)
    let next = Float(2 &* Int(row[min(i &+ 1, second)]) &- level)
    edges.reserve(Self.most)[count] = Float(i) + (here == next ? 0.5 : here / (here - next))
    count &+= 1
    return true
  }
}
