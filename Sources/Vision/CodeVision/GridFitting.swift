extension SymbolGrid {
  /// Moves the fourth corner to the alignment pattern nearest to where it should be, if there is one.
  func aligned(_ scene: Scene) -> SymbolGrid {
    guard version.number > 1 else { return self }
    let middle = Float(version.side) - 6.5
    let reach = min(8, 3 + Float(version.side) / 12)
    guard let found = findAlignment(scene, middle, middle, reach: reach, shift: SIMD2(0, 0)) else { return self }
    return SymbolGrid(
      version, corner: corners.corner, right: corners.right, far: found, below: corners.below) ?? self
  }

  /// The best place for an alignment pattern within `reach` modules of where the grid, shifted, has it.
  private func findAlignment(
    _ scene: Scene, _ u: Float, _ v: Float, reach: Float, shift: SIMD2<Float>
  ) -> SIMD2<Float>? {
    let middle = place(u, v) + shift
    let across = place(u + 1, v) + shift - middle
    let down = place(u, v + 1) + shift - middle
    var best = (score: Float(0), place: middle)
    let steps = Int(reach * 2)
    for row in -steps...steps {
      for column in -steps...steps {
        let way = SIMD2(Float(column), Float(row)) / 2
        let place = middle + across * way.x + down * way.y
        guard scene.darkness(at: place) >= 0 else { continue }
        let fit = Self.alignment(scene, at: place, right: place + across, below: place + down)
        guard fit.right >= 20 else { continue }
        // Nearer is better where both would do.
        let score = Float(fit.sum) + 40 * Float(fit.right) - 12 * (way * way).sum().squareRoot()
        if score > best.score { best = (score, place) }
      }
    }
    guard best.score > 0 else { return nil }
    for step in [Float(0.25), 0.125] {
      let centre = best.place
      for row in -1...1 {
        for column in -1...1 where row != 0 || column != 0 {
          let place = centre + across * (Float(column) * step) + down * (Float(row) * step)
          let fit = Self.alignment(scene, at: place, right: place + across, below: place + down)
          let score = Float(fit.sum) + 40 * Float(fit.right)
          if score > best.score { best = (score, place) }
        }
      }
    }
    return best.place
  }

  /// Shifts the corners, one after the other, for as long as what is fixed fits better.
  func refined(_ scene: Scene) -> SymbolGrid {
    var best = self
    var score = fit(scene)
    let module = perspective(1, 0) - perspective(0, 0)
    var step = max(0.25, min(8, (module * module).sum().squareRoot() * 0.3))
    for _ in 0..<3 {
      for corner in 0..<4 {
        for way in [SIMD2<Float>(step, 0), SIMD2(-step, 0), SIMD2(0, step), SIMD2(0, -step)] {
          var moved = best.corners
          switch corner {
          case 0: moved.far += way
          case 1: moved.right += way
          case 2: moved.below += way
          default: moved.corner += way
          }
          guard
            let grid = SymbolGrid(
              version, corner: moved.corner, right: moved.right, far: moved.far, below: moved.below)
          else { continue }
          let fit = grid.fit(scene)
          if fit > score {
            score = fit
            best = grid
          }
        }
      }
      step /= 2
    }
    return best
  }

  /// Bends the grid to all alignment patterns that are found, from version 7 on. Each is looked for where its neighbours say.
  func bentToAlignment(_ scene: Scene) -> SymbolGrid {
    let places = version.alignment
    guard places.count > 2 else { return self }
    let count = places.count
    var offsets = [SIMD2<Float>?](repeating: nil, count: count * count)
    func known(_ column: Int, _ row: Int) -> SIMD2<Float>? {
      column >= 0 && row >= 0 ? offsets[row * count + column] : nil
    }
    for diagonal in 0..<(2 * count - 1) {
      for row in max(0, diagonal - count + 1)...min(diagonal, count - 1) {
        let column = diagonal - row
        let isFinder = (row == 0 || column == 0) && (row + column == 0 || row + column == count - 1)
        if isFinder {
          offsets[row * count + column] = SIMD2(0, 0)
          continue
        }
        let around = [known(column - 1, row), known(column, row - 1), known(column - 1, row - 1)]
        let shift: SIMD2<Float>
        if let left = around[0], let above = around[1], let before = around[2] {
          shift = left + above - before
        } else {
          let some = around.compactMap { $0 }
          shift = some.isEmpty ? SIMD2(0, 0) : some.reduce(SIMD2(0, 0), +) / Float(some.count)
        }
        let u = Float(places[column]) + 0.5
        let v = Float(places[row]) + 0.5
        let reach: Float = 2
        if let found = findAlignment(scene, u, v, reach: reach, shift: shift) {
          offsets[row * count + column] = found - place(u, v)
        } else if known(column - 1, row) != nil || known(column, row - 1) != nil {
          offsets[row * count + column] = shift
        }
      }
    }
    return bent(knots: places.map { Float($0) + 0.5 }, offsets: offsets.map { $0 ?? SIMD2(0, 0) })
  }
}
