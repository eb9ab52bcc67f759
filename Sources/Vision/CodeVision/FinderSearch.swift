/// A finder pattern of a QR code, as it was seen.
struct Finder {
  /// Its middle.
  var place: SIMD2<Float>
  /// Pixels of a module, across and down.
  var module: SIMD2<Float>
  /// How many rows showed it.
  var sightings = 1
  /// How far its outer edge is in each of sixteen directions, clockwise from the right; 0 where it was not seen.
  var rays = SIMD16<Float>(repeating: 0)
  /// How many directions showed it.
  var seenRays = 0
  /// How far its rings are from where they should be: 0 is perfect, a third is chance.
  var doubt: Float = 0

  /// Beyond this doubt it is texture.
  static let possible: Float = 0.15
  /// Below this doubt it is hardly anything else.
  static let sure: Float = 0.12

  /// Pixels of a module, whichever way.
  var size: Float { (module.x + module.y) / 2 }
}

/// Looks for black, white, three times black, white, black along rows; what has the same downwards is a finder pattern.
struct FinderSearch {
  /// The most that are kept of a picture: more is texture.
  static let maximumFinders = 160

  /// What was found, in the order of rows.
  private(set) var finders: [Finder] = []
  private let edges = PixelBuffer<Int32>(filledWith: 0)
  private let thresholdRow = PixelBuffer<UInt8>(filledWith: 0)

  /// Elements that are kept.
  var capacity: Int { finders.capacity + edges.capacity + thresholdRow.capacity }

  /// Searches every `step`th row of a picture of 21 by 21 pixels or more.
  mutating func search(_ scene: Scene, step: Int, looksAround: Bool) {
    finders.removeAll(keepingCapacity: true)
    let image = scene.image
    // Every pixel can be an edge, and both ends are.
    let edges = edges.reserve(image.width + 2)
    let wide = thresholdRow.reserve(scene.across * 8)
    var block = -1
    var row = step / 2
    while row < image.height {
      if row >> 3 != block {
        block = row >> 3
        let levels = scene.thresholds + block * scene.across
        for column in 0..<scene.across {
          UnsafeMutableRawPointer(wide + column * 8).storeBytes(
            of: UInt64(levels[column]) &* 0x0101_0101_0101_0101, as: UInt64.self)
        }
      }
      let count = findEdges(image.pixels + row * image.stride, wide, image.width, edges)
      take(UnsafeBufferPointer(start: edges, count: count), row, scene, looksAround)
      row += step
    }
  }

  /// Where a row changes colour, beginning with its first black pixel and ending, if it is black there, with its width.
  private func findEdges(
    _ pixels: UnsafePointer<UInt8>, _ thresholds: UnsafePointer<UInt8>, _ width: Int,
    _ edges: UnsafeMutablePointer<Int32>
  ) -> Int {
    var count = 0
    if pixels[0] <= thresholds[0] {
      edges[0] = 0
      count = 1
    }
    let row = UnsafeRawPointer(pixels)
    let levels = UnsafeRawPointer(thresholds)
    var column = 1
    while column + 16 <= width {
      let here =
        (row + column).loadUnaligned(as: SIMD16<UInt8>.self) .<= (levels + column).loadUnaligned(as: SIMD16<UInt8>.self)
      let before =
        (row + column - 1).loadUnaligned(as: SIMD16<UInt8>.self)
        .<= (levels + column - 1).loadUnaligned(as: SIMD16<UInt8>.self)
      let changed = unsafeBitCast(here .^ before, to: SIMD2<UInt64>.self)
      if changed[0] | changed[1] != 0 {
        for half in 0..<2 {
          // One bit of each byte.
          var bits = changed[half] & 0x0101_0101_0101_0101
          while bits != 0 {
            edges[count] = Int32(truncatingIfNeeded: column + half * 8 + bits.trailingZeroBitCount >> 3)
            count += 1
            bits &= bits &- 1
          }
        }
      }
      column += 16
    }
    while column < width {
      if (pixels[column] <= thresholds[column]) != (pixels[column - 1] <= thresholds[column - 1]) {
        edges[count] = Int32(truncatingIfNeeded: column)
        count += 1
      }
      column += 1
    }
    if count & 1 == 1 {
      edges[count] = Int32(truncatingIfNeeded: width)
      count += 1
    }
    return count
  }

  private mutating func take(_ edges: UnsafeBufferPointer<Int32>, _ row: Int, _ scene: Scene, _ looksAround: Bool) {
    guard let edge = edges.baseAddress, edges.count >= 6 else { return }
    var index = 0
    // Even edges begin black.
    while index + 5 < edges.count {
      let start = edge[index]
      let total = edge[index + 5] &- start
      let middle = edge[index + 3] &- edge[index + 2]
      // Cheapest first: the middle is three sevenths.
      if 14 &* middle >= 3 &* total && 14 &* middle <= 9 &* total && total >= 7 {
        let runs = (
          edge[index + 1] &- start, edge[index + 2] &- edge[index + 1], edge[index + 4] &- edge[index + 3],
          edge[index + 5] &- edge[index + 4]
        )
        if Self.isModule(runs.0, total) && Self.isModule(runs.1, total) && Self.isModule(runs.2, total)
          && Self.isModule(runs.3, total)
        {
          let centre = Float(edge[index + 2] &+ edge[index + 3]) / 2
          consider(centre, row, Float(total) / 7, scene, looksAround)
        }
      }
      index += 2
    }
  }

  /// A seventh, within eight tenths of itself.
  @inline(__always)
  private static func isModule(_ run: Int32, _ total: Int32) -> Bool {
    let difference = abs(35 &* run &- 5 &* total)
    return difference <= 4 &* total
  }

  private mutating func consider(_ x: Float, _ row: Int, _ module: Float, _ scene: Scene, _ looksAround: Bool) {
    let y = Float(row) + 0.5
    for index in finders.indices.reversed() {
      let known = finders[index]
      let reach = 1.2 * known.size
      if abs(known.place.x - x) < reach && abs(known.place.y - y) < reach + known.size {
        finders[index].sightings += 1
        return
      }
    }
    guard let down = cross(scene, Int(x), row, isDown: true, 3 * module) else { return }
    guard down.module < 2.2 * module && module < 2.2 * down.module else { return }
    guard let across = cross(scene, Int(x), Int(down.centre), isDown: false, 3 * module) else { return }
    guard across.module < 1.5 * module && module < 1.5 * across.module else { return }
    var finder = Finder(place: SIMD2(across.centre, down.centre), module: SIMD2(across.module, down.module))
    for known in finders {
      let away = known.place - finder.place
      if max(abs(away.x), abs(away.y)) < 1.2 * min(known.size, finder.size) { return }
    }
    if looksAround && (!finder.lookAround(scene) || finder.doubt > Finder.possible) { return }
    if finders.count >= Self.maximumFinders {
      guard let worst = finders.indices.max(by: { finders[$0].doubt < finders[$1].doubt }) else { return }
      finders.remove(at: worst)
    }
    finders.append(finder)
  }

  /// The five runs through a black pixel, up and down or to both sides: their middle, and a seventh of them.
  private func cross(
    _ scene: Scene, _ column: Int, _ row: Int, isDown: Bool, _ expected: Float
  ) -> (centre: Float, module: Float)? {
    let limit = isDown ? scene.image.height : scene.image.width
    let start = isDown ? row : column
    func isBlack(_ position: Int) -> Bool {
      isDown ? scene.isBlack(column: column, row: position) : scene.isBlack(column: position, row: row)
    }
    guard column < scene.image.width, row < scene.image.height, isBlack(start) else { return nil }
    let longest = Int(expected * 2.2) + 2
    /// Walks to where the colour has changed thrice; the three places.
    func walk(_ direction: Int) -> (Int, Int, Int)? {
      var position = start
      var ends = (0, 0, 0)
      for run in 0..<3 {
        let wanted = run != 1
        let from = position
        while position >= 0 && position < limit && isBlack(position) == wanted {
          position += direction
          if abs(position - from) > longest { return nil }
        }
        switch run {
        case 0: ends.0 = position
        case 1: ends.1 = position
        default: ends.2 = position
        }
        if run < 2 && (position < 0 || position >= limit) { return nil }
      }
      return ends
    }
    guard let low = walk(-1), let high = walk(1) else { return nil }
    let total = high.2 - low.2 - 1
    let middle = high.0 - low.0 - 1
    let all = Int32(clamping: total)
    guard total >= 5, 14 * middle >= 3 * total - 14, 14 * middle <= 9 * total + 14 else { return nil }
    for run in [low.0 - low.1, low.1 - low.2, high.1 - high.0, high.2 - high.1] {
      // Half a pixel more is allowed than along the row, which was there first.
      let difference = abs(35 * run - 5 * total)
      guard difference <= 4 * Int(all) + 17 else { return nil }
    }
    return (Float(low.0 + 1 + high.0) / 2, Float(total) / 7)
  }
}
