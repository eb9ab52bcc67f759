/// Three finder patterns that may be the corners of one QR code.
struct FinderTriple {
  /// The corner between the other two, the one clockwise from it, and the third, as numbers of finder patterns.
  let corner: Int, right: Int, below: Int
  /// How unlike a square's three corners they are: 0 is a square.
  let cost: Float
}

extension FinderTriple {
  /// How many patterns are put together at most: the first.
  static let maximumFinders = 72

  /// All triples, best first.
  static func all(_ finders: [Finder]) -> [FinderTriple] {
    let finders = finders.prefix(maximumFinders)
    guard finders.count >= 3 else { return [] }
    var triples: [FinderTriple] = []
    for first in 0..<finders.count - 2 {
      for second in first + 1..<finders.count - 1 {
        guard fits(finders[first].size, finders[second].size) else { continue }
        for third in second + 1..<finders.count {
          guard let triple = make(finders, first, second, third) else { continue }
          triples.append(triple)
        }
      }
    }
    triples.sort { $0.cost < $1.cost }
    return triples
  }

  private static func fits(_ first: Float, _ second: Float) -> Bool { first < 2.2 * second && second < 2.2 * first }

  private static func make(_ finders: ArraySlice<Finder>, _ first: Int, _ second: Int, _ third: Int) -> FinderTriple? {
    let (a, b, c) = (finders[first], finders[second], finders[third])
    guard fits(a.size, c.size), fits(b.size, c.size) else { return nil }
    func square(_ one: Finder, _ other: Finder) -> Float {
      let way = other.place - one.place
      return (way * way).sum()
    }
    let (ab, ac, bc) = (square(a, b), square(a, c), square(b, c))
    // The corner is opposite to the longest side.
    let corner: Int
    let ends: (Int, Int)
    if bc >= ab && bc >= ac {
      (corner, ends) = (first, (second, third))
    } else if ac >= ab {
      (corner, ends) = (second, (first, third))
    } else {
      (corner, ends) = (third, (first, second))
    }
    let place = finders[corner].place
    let one = finders[ends.0].place - place
    let two = finders[ends.1].place - place
    let lengths = ((one * one).sum().squareRoot(), (two * two).sum().squareRoot())
    guard lengths.0 > 0, lengths.1 > 0, fits(lengths.0, lengths.1) else { return nil }
    let cosine = abs((one * two).sum() / (lengths.0 * lengths.1))
    guard cosine < 0.6 else { return nil }
    let cross = one.x * two.y - one.y * two.x
    let (right, below) = cross > 0 ? ends : (ends.1, ends.0)

    // Fourteen modules lie between the middles of the smallest code, 170 of the largest.
    let u = (finders[right].place - place)
    let v = (finders[below].place - place)
    let moduleU = (finders[corner].module(along: u) * finders[right].module(along: u)).squareRoot()
    let moduleV = (finders[corner].module(along: v) * finders[below].module(along: v)).squareRoot()
    let across = (u * u).sum().squareRoot() / moduleU
    let down = (v * v).sum().squareRoot() / moduleV
    guard across > 9, down > 9, across < 240, down < 240, across < 2 * down, down < 2 * across else { return nil }
    let sizes = [a.size, b.size, c.size].sorted()
    let spread = sizes[2] / sizes[0] - 1
    let skew = max(across, down) / min(across, down) - 1
    let doubt = a.doubt + b.doubt + c.doubt
    return FinderTriple(
      corner: corner, right: right, below: below, cost: cosine + 0.5 * spread + 2 * skew + 2 * doubt + across / 1_000)
  }
}
