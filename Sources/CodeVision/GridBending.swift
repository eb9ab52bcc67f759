extension SymbolGrid {
  /// Bends the grid piece by piece to where modules are told apart best: for cloth, and cards that are not flat.
  ///
  /// Between two modules of different colour lies grey; where the grid sits right, it meets none of it. Each knot looks at the modules
  /// around it and moves by at most half a module from where its neighbours would have it: by a whole one it would fit as well.
  func bentToModules(_ scene: Scene) -> SymbolGrid {
    let side = version.side
    let count = (side + 2) / 4 + 1
    let knots = (0..<count).map { Float($0) * Float(side) / Float(count - 1) }
    var offsets: [SIMD2<Float>] = []
    for v in knots { for u in knots { offsets.append(place(u, v) - perspective(u, v)) } }
    for reach in [Float(0.6), 0.5, 0.4] {
      for index in offsets.indices {
        let column = index % count
        let row = index / count
        var sum = offsets[index]
        var known: Float = 1
        if column > 0 { (sum, known) = (sum + offsets[index - 1], known + 1) }
        if column + 1 < count { (sum, known) = (sum + offsets[index + 1], known + 1) }
        if row > 0 { (sum, known) = (sum + offsets[index - count], known + 1) }
        if row + 1 < count { (sum, known) = (sum + offsets[index + count], known + 1) }
        offsets[index] = bestOffset(scene, knots[column], knots[row], near: sum / known, reach: reach)
      }
    }
    return bent(knots: knots, offsets: offsets)
  }

  private func bestOffset(
    _ scene: Scene, _ u: Float, _ v: Float, near middle: SIMD2<Float>, reach: Float
  ) -> SIMD2<Float> {
    let side = version.side
    let columns = max(0, Int(u) - 3)...min(side - 1, Int(u) + 3)
    let rows = max(0, Int(v) - 3)...min(side - 1, Int(v) + 3)
    let across = perspective(u + 0.5, v) - perspective(u - 0.5, v)
    let down = perspective(u, v + 0.5) - perspective(u, v - 0.5)
    var best = (score: Int.min, offset: middle)
    for vertical in -2...2 {
      for horizontal in -2...2 {
        let offset = middle + across * (Float(horizontal) * reach / 2) + down * (Float(vertical) * reach / 2)
        // Where nothing is to be told, it stays where its neighbours are.
        var score = -24 * (vertical * vertical + horizontal * horizontal)
        for row in rows {
          for column in columns {
            let place = perspective(Float(column) + 0.5, Float(row) + 0.5) + offset
            let darkness = max(-64, min(64, scene.darkness(at: place)))
            switch version.fixed(column: column, row: row) {
            case true?: score += darkness
            case false?: score -= darkness
            case nil: score += abs(darkness)
            }
          }
        }
        if score > best.score { best = (score, offset) }
      }
    }
    return best.offset
  }
}
