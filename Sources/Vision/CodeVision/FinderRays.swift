internal import Glibc

/// The sixteen directions, clockwise from the right.
private let directions: [SIMD2<Float>] = (0..<16).map {
  SIMD2(Float(cos(Double($0) * .pi / 8)), Float(sin(Double($0) * .pi / 8)))
}

extension Finder {
  /// Looks from the middle in sixteen directions for black, white, black, and white again; whether enough of them show it. Takes note
  /// of how far the outer edge is, and moves the middle to where it is.
  mutating func lookAround(_ scene: Scene) -> Bool {
    let step = max(0.5, size * 0.2)
    let limit = 6.5 * size
    var inner = SIMD16<Float>(repeating: 0)
    var count = 0
    var doubt: Float = 0
    for index in 0..<16 {
      let direction = directions[index]
      var middle: Float = 0
      // Too many were missed, or what was seen is too far off: texture.
      if index - count > 7 || doubt > Self.possible * 16 { return false }
      var distance = step
      var changes = 0
      var isBlack = true
      var before = 1
      while distance < limit {
        let place = self.place + direction * distance
        guard scene.contains(place) else {
          // A pattern that fills its corner of the picture ends with it.
          if changes == 2 && distance > 2.2 * size {
            rays[index] = distance
            count += 1
          }
          break
        }
        let darkness = scene.darkness(at: place)
        if (darkness >= 0) != isBlack {
          // Between the two, by how dark they are.
          let share = Float(before) / Float(before - darkness)
          let edge = distance - step + step * max(0, min(1, share))
          changes += 1
          isBlack.toggle()
          if changes == 1 { inner[index] = edge }
          if changes == 2 { middle = edge }
          if changes == 3 {
            if edge > 2.2 * size {
              rays[index] = edge
              count += 1
              // Half a pixel is the grid's own doubt.
              doubt += max(0, abs(inner[index] / edge - 3 / 7) + abs(middle / edge - 5 / 7) - 0.5 / edge)
            }
            break
          }
        }
        before = darkness
        distance += step
      }
    }
    seenRays = count
    self.doubt = doubt / Float(max(count, 1)) + Float(16 - count) / 48
    guard count >= 9 else { return false }
    // What opposite rays tell of the inner square pulls the middle there.
    var shift = SIMD2<Float>(0, 0)
    var pairs: Float = 0
    for index in 0..<8 where inner[index] > 0 && inner[index + 8] > 0 {
      shift += directions[index] * ((inner[index] - inner[index + 8]) / 2)
      pairs += 1
    }
    if pairs >= 6 {
      shift *= 2 / pairs
      if abs(shift.x) < size && abs(shift.y) < size {
        // The rays stay true to the new middle.
        for index in 0..<16 where rays[index] > 0 {
          rays[index] = max(0.5, rays[index] - (directions[index] * shift).sum())
        }
        place += shift
      }
    }
    return true
  }

  func rayEnd(_ index: Int) -> SIMD2<Float> { place + directions[index & 15] * rays[index & 15] }

  /// Pixels of a module along a direction: a seventh of the pattern's width there.
  func module(along direction: SIMD2<Float>) -> Float {
    let first = ray(along: direction)
    let second = ray(along: -direction)
    let fallback = crude(along: direction)
    switch (first > 0, second > 0) {
    case (true, true): return (first + second) / 7
    case (true, false): return first / 3.5
    case (false, true): return second / 3.5
    case (false, false): return fallback
    }
  }

  private func crude(along direction: SIMD2<Float>) -> Float {
    let length = (direction * direction).sum().squareRoot()
    return length > 0
      ? (abs(direction.x) * module.x + abs(direction.y) * module.y) / (abs(direction.x) + abs(direction.y)) : size
  }

  private func ray(along direction: SIMD2<Float>) -> Float {
    let turn = atan2f(direction.y, direction.x) / (.pi / 8)
    guard turn.isFinite else { return 0 }
    let lower = turn.rounded(.down)
    let share = turn - lower
    let first = rays[(Int(lower) + 32) & 15]
    let second = rays[(Int(lower) + 33) & 15]
    if first > 0 && second > 0 { return first + share * (second - first) }
    return share < 0.5 ? first : second
  }

  /// The line of its outer edge that looks along `direction`: a place on it and its own direction; `nil` where too little was seen.
  func edge(towards direction: SIMD2<Float>) -> (place: SIMD2<Float>, along: SIMD2<Float>)? {
    let length = (direction * direction).sum().squareRoot()
    guard length > 0 else { return nil }
    let unit = direction / length
    var sum = SIMD2<Float>(0, 0)
    var points: [SIMD2<Float>] = []
    // Rays within 40 degrees end on this side and not on the next.
    for index in 0..<16 where rays[index] > 0 && (directions[index] * unit).sum() > 0.766 {
      points.append(place + directions[index] * rays[index])
      sum += points[points.count - 1]
    }
    guard points.count >= 3 else { return nil }
    let mean = sum / Float(points.count)
    let across = SIMD2(-unit.y, unit.x)
    var xx: Float = 0
    var xy: Float = 0
    for point in points {
      let offset = point - mean
      let side = (offset * across).sum()
      xx += side * side
      xy += side * (offset * unit).sum()
    }
    guard xx > 0 else { return nil }
    return (mean, across + unit * (xy / xx))
  }
}
