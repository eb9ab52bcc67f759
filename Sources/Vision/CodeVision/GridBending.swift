extension SymbolGrid {
  /// Bends the grid piece by piece to where modules are told apart best: for cloth, and cards that are not flat.
  ///
  /// Between two modules of different colour lies grey; where the grid sits right, it meets none of it. Each knot looks at the modules
  /// around it and moves by at most half a module from where its neighbours would have it: by a whole one it would fit as well.
  func bentToModules(_ scene: Scene) -> SymbolGrid {
    let side = version.side
    let count = (side + 1) / 3 + 1
    let knots = (0..<count).map { Float($0) * Float(side) / Float(count - 1) }
    var offsets: [SIMD2<Float>] = []
    for v in knots { for u in knots { offsets.append(place(u, v) - perspective(u, v)) } }
    let modules = Modules(self)
    var isKnown = [Bool](repeating: false, count: offsets.count)
    // From the finder patterns, where the grid is right, outwards.
    let order = offsets.indices.sorted { distance($0, count) < distance($1, count) }
    for reach in [Float(0.6), 0.4] {
      for index in order {
        let column = index % count
        let row = index / count
        var sum = SIMD2<Float>(0, 0)
        var weight: Float = 0
        for (x, y) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
          guard (0..<count).contains(column + x), (0..<count).contains(row + y) else { continue }
          let near = index + y * count + x
          guard isKnown[near] else { continue }
          (sum, weight) = (sum + offsets[near], weight + 1)
          // What bends goes on bending.
          guard (0..<count).contains(column + 2 * x), (0..<count).contains(row + 2 * y) else { continue }
          let far = near + y * count + x
          if isKnown[far] { sum += (offsets[near] - offsets[far]) * 0.7 }
        }
        let expected = weight > 0 ? sum / weight : offsets[index]
        offsets[index] = bestOffset(scene, modules, knots[column], knots[row], near: expected, reach: reach)
        isKnown[index] = true
      }
    }
    return bent(knots: knots, offsets: offsets)
  }

  /// How far a knot is from the nearest finder pattern.
  private func distance(_ index: Int, _ count: Int) -> Int {
    let column = index % count
    let row = index / count
    let last = count - 2
    return [(1, 1), (last, 1), (1, last)].map { max(abs($0.0 - column), abs($0.1 - row)) }.min() ?? 0
  }

  private func bestOffset(
    _ scene: Scene, _ modules: Modules, _ u: Float, _ v: Float, near middle: SIMD2<Float>, reach: Float
  ) -> SIMD2<Float> {
    let side = version.side
    let columns = max(0, Int(u) - 3)..<min(side, Int(u) + 4)
    let rows = max(0, Int(v) - 3)..<min(side, Int(v) + 4)
    let across = perspective(u + 0.5, v) - perspective(u - 0.5, v)
    let down = perspective(u, v + 0.5) - perspective(u, v - 0.5)
    var best = (score: Int.min, way: SIMD2<Float>(0, 0))
    for vertical in -2...2 {
      for horizontal in -2...2 {
        let way = SIMD2(Float(horizontal), Float(vertical)) * (reach / 2)
        let offset = middle + across * way.x + down * way.y
        // Where nothing is to be told, it stays where its neighbours are.
        var score = -24 * (vertical * vertical + horizontal * horizontal)
        for row in rows {
          for column in columns {
            let index = row * side + column
            let darkness = max(-64, min(64, scene.darkness(at: modules.places[index] + offset)))
            let sign = modules.signs[index]
            score += sign == 0 ? abs(darkness) : sign * darkness
          }
        }
        if score > best.score { best = (score, way) }
      }
    }
    return middle + across * best.way.x + down * best.way.y
  }

  /// Where the perspective has each module, and what it is whatever the symbol says: 1 black, -1 white, 0 unknown.
  private struct Modules {
    var places: [SIMD2<Float>] = []
    var signs: [Int] = []

    init(_ grid: SymbolGrid) {
      let side = grid.version.side
      for row in 0..<side {
        for column in 0..<side {
          places.append(grid.perspective(Float(column) + 0.5, Float(row) + 0.5))
          signs.append(grid.version.fixed(column: column, row: row).map { $0 ? 1 : -1 } ?? 0)
        }
      }
    }
  }
}
