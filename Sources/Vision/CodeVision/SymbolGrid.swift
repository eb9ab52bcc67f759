/// Where the modules of a symbol are in a picture: a perspective, and how far it is off at the alignment patterns.
struct SymbolGrid {
  let version: SymbolVersion
  /// Places in the picture of the middles of the three finder patterns, and of what would be the fourth alignment pattern.
  var corners: (corner: SIMD2<Float>, right: SIMD2<Float>, far: SIMD2<Float>, below: SIMD2<Float>)
  /// The perspective through the corners.
  private(set) var perspective: Perspective
  /// Knots across and down, and what is added at each, row by row; empty without bending.
  private(set) var knots: [Float] = []
  private(set) var offsets: [SIMD2<Float>] = []

  /// A grid through four places; `nil` where they cannot be corners.
  init?(
    _ version: SymbolVersion, corner: SIMD2<Float>, right: SIMD2<Float>, far: SIMD2<Float>, below: SIMD2<Float>
  ) {
    let side = Float(version.side)
    guard
      let perspective = Perspective(
        from: (
          SIMD2(3.5, 3.5), SIMD2(side - 3.5, 3.5), SIMD2(side - 6.5, side - 6.5), SIMD2(3.5, side - 3.5)
        ), to: (corner, right, far, below))
    else { return nil }
    self.version = version
    self.perspective = perspective
    corners = (corner, right, far, below)
  }

  /// The same with a bend: what is added at `knots` times `knots` places of the symbol.
  func bent(knots: [Float], offsets: [SIMD2<Float>]) -> SymbolGrid {
    guard knots.count >= 2, offsets.count == knots.count * knots.count else { return self }
    var grid = self
    grid.knots = knots
    grid.offsets = offsets
    return grid
  }

  /// The place in the picture of a place in the symbol, in modules from its left upper corner.
  @inline(__always)
  func place(_ u: Float, _ v: Float) -> SIMD2<Float> {
    let flat = perspective(u, v)
    return knots.isEmpty ? flat : flat + offset(u, v)
  }

  private func offset(_ u: Float, _ v: Float) -> SIMD2<Float> {
    let count = knots.count
    func find(_ value: Float) -> (Int, Float) {
      var index = 0
      while index < count - 2 && value > knots[index + 1] { index += 1 }
      let share = (value - knots[index]) / (knots[index + 1] - knots[index])
      return (index, max(0, min(1, share)))
    }
    let (column, alpha) = find(u)
    let (row, beta) = find(v)
    let base = row * count + column
    let above = offsets[base] + alpha * (offsets[base + 1] - offsets[base])
    let under = offsets[base + count] + alpha * (offsets[base + count + 1] - offsets[base + count])
    return above + beta * (under - above)
  }
}

extension SymbolGrid {
  /// Share of the modules of both timing patterns that are as they should be.
  func timing(_ scene: Scene) -> Float {
    var right = 0
    let side = version.side
    for index in 8..<(side - 8) {
      let middle = Float(index) + 0.5
      if (scene.darkness(at: place(middle, 6.5)) >= 0) == (index & 1 == 0) { right += 1 }
      if (scene.darkness(at: place(6.5, middle)) >= 0) == (index & 1 == 0) { right += 1 }
    }
    return Float(right) / Float(2 * (side - 16))
  }

  /// How well all that is fixed fits, finder, timing and alignment patterns: the higher the better.
  func fit(_ scene: Scene) -> Int {
    var sum = 0
    let side = version.side
    @inline(__always) func add(_ u: Float, _ v: Float, _ isBlack: Bool) {
      let darkness = max(-48, min(48, scene.darkness(at: place(u, v))))
      sum += isBlack ? darkness : -darkness
    }
    for index in 8..<(side - 8) {
      add(Float(index) + 0.5, 6.5, index & 1 == 0)
      add(6.5, Float(index) + 0.5, index & 1 == 0)
    }
    let far = Float(side) - 3.5
    for (u, v) in [(Float(3.5), Float(3.5)), (far, 3.5), (3.5, far)] {
      for ring in 1...4 {
        // Near both edges of each ring.
        for radius in [Float(ring) - 0.25, Float(ring) + 0.25] {
          let isBlack = ring != 2 && ring != 4
          for turn in -2...2 {
            let side = Float(turn) * radius / 2
            add(u + side, v - radius, isBlack)
            add(u + side, v + radius, isBlack)
            add(u - radius, v + side, isBlack)
            add(u + radius, v + side, isBlack)
          }
        }
      }
    }
    if version.number > 1 {
      let middle = Float(side) - 6.5
      sum +=
        2
        * Self.alignment(
          scene, at: place(middle, middle), right: place(middle + 1, middle), below: place(middle, middle + 1)
        ).sum
    }
    return sum
  }

  /// How well an alignment pattern fits at a place: its 25 modules that are right, and by how much.
  static func alignment(
    _ scene: Scene, at middle: SIMD2<Float>, right: SIMD2<Float>, below: SIMD2<Float>
  ) -> (right: Int, sum: Int) {
    let across = right - middle
    let down = below - middle
    var count = 0
    var sum = 0
    for row in -2...2 {
      for column in -2...2 {
        let isBlack = max(abs(row), abs(column)) != 1
        let darkness = scene.darkness(at: middle + across * Float(column) + down * Float(row))
        if (darkness >= 0) == isBlack { count += 1 }
        let bounded = max(-48, min(48, darkness))
        sum += isBlack ? bounded : -bounded
      }
    }
    return (count, sum)
  }
}
