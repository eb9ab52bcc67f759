/// From three finder patterns to the first guess of a grid.
struct GridGuess {
  let scene: Scene
  let corner: Finder
  let right: Finder
  let below: Finder

  /// The doubt of the most doubtful of the three.
  var doubt: Float { max(corner.doubt, right.doubt, below.doubt) }

  /// The grids whose timing patterns fit best, one of a version, the best first, and the share of them that does.
  func grids(useEdges: Bool) -> [(grid: SymbolGrid, timing: Float)] {
    let across = right.place - corner.place
    let down = below.place - corner.place
    // Seen at an angle, a line of equal modules is as many times their geometric mean at its ends.
    let modulesAcross = length(across) / (corner.module(along: across) * right.module(along: across)).squareRoot()
    let modulesDown = length(down) / (corner.module(along: down) * below.module(along: down)).squareRoot()
    let estimate = (modulesAcross + modulesDown) / 2 + 7
    guard estimate.isFinite, estimate > 17, estimate < 220 else { return [] }
    let near = SymbolVersion(nearest: estimate)
    var versions: [SymbolVersion] = []
    if estimate > 41, let told = toldVersion(across, down) { versions = [told] }
    if versions.isEmpty {
      let reach = estimate >= 45 ? 4 : estimate >= 31 ? 2 : 1
      versions = (near.number - reach...near.number + reach).filter { (1...40).contains($0) }.map {
        SymbolVersion(number: $0)
      }
    }
    var grids: [(grid: SymbolGrid, timing: Float)] = []
    for version in versions {
      var best: (grid: SymbolGrid, timing: Float)?
      for far in farCorners(version, across, down, useEdges) {
        guard
          let grid = SymbolGrid(
            version, corner: corner.place, right: right.place, far: far, below: below.place)
        else { continue }
        // The nearer to the estimate, the better, where both fit.
        let timing = grid.timing(scene) - 0.01 * abs(Float(version.side) - estimate) / 4
        if timing > best?.timing ?? -1 { best = (grid, timing) }
      }
      if let best { grids.append(best) }
    }
    return grids.sorted { $0.timing > $1.timing }
  }

  private func length(_ way: SIMD2<Float>) -> Float { (way * way).sum().squareRoot() }

  /// Where the far alignment pattern would be: as a parallelogram has it, and as the outer edges of two finder patterns do.
  private func farCorners(
    _ version: SymbolVersion, _ across: SIMD2<Float>, _ down: SIMD2<Float>, _ useEdges: Bool
  ) -> [SIMD2<Float>] {
    let side = Float(version.side)
    let share = (side - 10) / (side - 7)
    var places = [corner.place + (across + down) * share]
    // Along a line, modules shrink with the square of the depth: so the patterns' own sizes tell how deep they lie.
    let depthRight = (corner.module(along: across) / right.module(along: across)).squareRoot()
    let depthBelow = (corner.module(along: down) / below.module(along: down)).squareRoot()
    let depthFar = 1 + share * (depthRight + depthBelow - 2)
    if depthFar.isFinite, depthFar > 0.2 {
      let flat = corner.place * (1 - 2 * share) + (right.place * depthRight + below.place * depthBelow) * share
      places.append(flat / depthFar)
    }
    if useEdges, let one = right.edge(towards: across), let two = below.edge(towards: down) {
      let determinant = one.along.x * two.along.y - one.along.y * two.along.x
      if abs(determinant) > 1e-3 {
        let way = two.place - one.place
        let along = (way.x * two.along.y - way.y * two.along.x) / determinant
        let meeting = one.place + one.along * along
        // The meeting is the symbol's own corner: a perspective through it tells where the pattern is.
        if let perspective = Perspective(
          from: (SIMD2(3.5, 3.5), SIMD2(side - 3.5, 3.5), SIMD2(side, side), SIMD2(3.5, side - 3.5)),
          to: (corner.place, right.place, meeting, below.place))
        {
          let place = perspective(side - 6.5, side - 6.5)
          let away = length(place - places[0])
          if away.isFinite, away < 0.5 * (length(across) + length(down)) { places.append(place) }
        }
      }
    }
    return places
  }

  /// The version that the symbol tells beside two of its finder patterns, from version 7 on.
  private func toldVersion(_ across: SIMD2<Float>, _ down: SIMD2<Float>) -> SymbolVersion? {
    let u = across / length(across)
    let v = down / length(down)
    let beside = read(right.place, u * right.module(along: u), v * right.module(along: v))
    if let version = SymbolVersion(bits: beside) { return version }
    return SymbolVersion(bits: read(below.place, v * below.module(along: v), u * below.module(along: u)))
  }

  /// Eighteen bits beside a finder pattern: `towards` leads away from the other one.
  private func read(_ middle: SIMD2<Float>, _ towards: SIMD2<Float>, _ along: SIMD2<Float>) -> UInt32 {
    var bits: UInt32 = 0
    for row in 0..<6 {
      for column in 0..<3 {
        let place = middle + towards * Float(column - 7) + along * Float(row - 3)
        if scene.darkness(at: place) >= 0 { bits |= 1 << UInt32(row * 3 + column) }
      }
    }
    return bits
  }
}
