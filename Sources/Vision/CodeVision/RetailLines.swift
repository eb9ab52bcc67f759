/// Reads EAN-13 (UPC-A with it) and EAN-8 from many lines at once.
///
/// Each line that has the guards tells how far each digit's four widths are from each pattern; these distances are added up over the
/// lines before any digit is decided, so that glare, dirt and noise on some lines do not matter. Ink that spread, or light that
/// did, makes all bars thicker or thinner by the same: the guards tell by how much, which a reader that goes from edge to like edge
/// cannot know, and which is what tells 1 from 7 and 2 from 8.
struct RetailLines {
  /// Widths of space, bar, space, bar of the digits in the left half's first form; the second form is these reversed.
  private static let patterns: [SIMD4<Float>] = [
    [3, 2, 1, 1], [2, 2, 2, 1], [2, 1, 2, 2], [1, 4, 1, 1], [1, 1, 3, 2], [1, 2, 3, 1], [1, 1, 1, 4], [1, 3, 1, 2],
    [1, 2, 1, 3], [3, 1, 1, 2],
  ]
  /// Which of the left half's digits have the second form, for each first digit of EAN-13; the leftmost digit is the highest bit.
  private static let parities = [
    0, 0b001011, 0b001101, 0b001110, 0b010011, 0b011001, 0b011100, 0b010101, 0b010110, 0b011010,
  ]
  /// Lines that may be of different codes, or of none, are told apart by where they are.
  private static let mostPlaces = 2

  /// By how much the second best has to be worse, for each line.
  private static let leastMargin: Float = 0.05
  /// What a digit's four widths may be away from its pattern in the mean: a sum of squares, in modules.
  private static let mostDistance: Float = 0.5
  /// The share of a digit's own spread that does not count: blur spreads bars unequally.
  private static let spreadDiscount: Float = 0.6

  private struct Place {
    var middle: Float = 0
    var width: Float = 0
    var lines = 0
    var isForward = true
  }

  /// Halves of this many digits: 6 for EAN-13, 4 for EAN-8.
  private let half: Int
  private var places: [Place] = []
  /// Of each place: added distances of 12 digits to 20 patterns.
  private let distances = PixelBuffer<Float>(filledWith: 0)
  private let own = PixelBuffer<Float>(filledWith: 0)

  init(half: Int) {
    self.half = half
    places.reserveCapacity(Self.mostPlaces)
  }

  private var runs: Int { 8 * half + 11 }
  private var modules: Float { Float(14 * half + 11) }

  /// The right half has one form only, and so has EAN-8: the first one's widths.
  private func form(_ digit: Int, _ first: Int) -> Int {
    half == 6 && digit < 6 && Self.parities[first] & (0b100000 >> digit) != 0 ? 10 : 0
  }

  private func forms(_ digit: Int) -> Int { digit >= half || half == 4 ? 10 : 20 }

  mutating func removeAll() { places.removeAll(keepingCapacity: true) }

  /// Adds a line's edges.
  mutating func add(_ line: BarRuns) {
    guard line.count > runs else { return }
    var index = line.startsDark ? 0 : 1
    while index + runs < line.count {
      // Backwards the digits fit no form, so only one of the two can be.
      if add(line, at: index, isForward: true) || add(line, at: index, isForward: false) {
        index += runs + 1
      } else {
        index += 2
      }
    }
  }

  private mutating func add(_ line: BarRuns, at start: Int, isForward: Bool) -> Bool {
    let last = start + runs - 1
    let width = line.edge(last + 1) - line.edge(start)
    let module = width / modules
    guard module > 0.8 else { return false }
    func run(_ index: Int) -> Float { isForward ? line.run(start + index) : line.run(last - index) }
    // Quiet zones, as far as the line goes: half of what is asked for.
    if start > 0 && line.run(start - 1) < 3.5 * module { return false }
    if last + 1 < line.count - 1 && line.run(last + 1) < 3.5 * module { return false }
    let middle = 3 + 4 * half
    var dark: Float = 0
    var light: Float = 0
    for guardRun in [0, 2, middle + 1, middle + 3, runs - 3, runs - 1] { dark += run(guardRun) }
    for guardRun in [1, middle, middle + 2, middle + 4, runs - 2] { light += run(guardRun) }
    let spread = (dark / 6 - light / 5) / 2 / module
    guard abs(spread) < 0.7, abs((dark + light) / 11 / module - 1) < 0.35 else { return false }
    for guardRun in [0, 1, 2, middle, middle + 1, middle + 2, middle + 3, middle + 4, runs - 3, runs - 2, runs - 1] {
      let isDark =
        guardRun < 3 ? guardRun != 1 : guardRun >= runs - 3 ? guardRun != runs - 2 : (guardRun - middle) % 2 == 1
      guard abs(run(guardRun) / module - 1 - (isDark ? spread : -spread)) < 0.6 else { return false }
    }
    // The distances of this line.
    let own = own.reserve(12 * 20)
    var total: Float = 0
    for digit in 0..<2 * half {
      let isRight = digit >= half
      let first = isRight ? middle + 5 + 4 * (digit - half) : 3 + 4 * digit
      var widths = SIMD4<Float>(run(first), run(first + 1), run(first + 2), run(first + 3))
      let sum = widths.sum()
      guard sum > 0, abs(sum / module / 7 - 1) < 0.25 else { return false }
      widths *= 7 / sum
      // The right half's digits begin with a bar.
      widths += isRight ? SIMD4(-spread, spread, -spread, spread) : SIMD4(spread, -spread, spread, -spread)
      var least = Float.infinity
      for pattern in 0..<20 {
        let other = Self.patterns[pattern % 10]
        let wanted = pattern < 10 ? other : SIMD4(other.w, other.z, other.y, other.x)
        let difference = widths - wanted
        // One line may be quite wrong in a place: it must not outvote the others.
        let along = (difference.x - difference.y + difference.z - difference.w) / 2
        let distance = min((difference * difference).sum() - Self.spreadDiscount * along * along, 3)
        own[digit * 20 + pattern] = distance
        if pattern < forms(digit) { least = min(least, distance) }
      }
      total += least
    }
    guard total / Float(2 * half) < 0.6 else { return false }
    join(line.edge(start) + width / 2, width, isForward)
    return true
  }

  /// Adds the line to those of the same place.
  private mutating func join(_ middle: Float, _ width: Float, _ isForward: Bool) {
    let size = 12 * 20
    let distances = distances.reserve(Self.mostPlaces * size)
    let own = own.reserve(size)
    var index = places.firstIndex { $0.isForward == isForward && abs($0.middle - middle) < 0.3 * $0.width }
    if index == nil {
      guard places.count < Self.mostPlaces else { return }
      places.append(Place(middle: middle, width: width, isForward: isForward))
      index = places.count - 1
      (distances + (places.count - 1) * size).update(repeating: 0, count: size)
    }
    guard let index else { return }
    places[index].lines += 1
    for slot in 0..<size { distances[index * size + slot] += own[slot] }
  }

  /// The texts that the lines tell, each with how many lines did. What is not clear by far is not told.
  func texts(_ found: ([UInt8], _ lines: Int) -> Void) {
    let distances = distances.reserve(Self.mostPlaces * 240)
    for (index, place) in places.enumerated() where place.lines >= 2 {
      if let digits = decide(distances + index * 240, lines: place.lines) { found(digits, place.lines) }
    }
  }

  private func decide(_ distances: UnsafePointer<Float>, lines: Int) -> [UInt8]? {
    let least = Self.leastMargin * Float(lines)
    var digits: [Int] = []
    var total = Float.infinity
    // The forms of the left half are one of ten sequences, by the first digit: they are decided together.
    var first = 0
    var runnerUp = Float.infinity
    for candidate in 0..<(half == 6 ? 10 : 1) {
      var sum: Float = 0
      for digit in 0..<2 * half {
        let row = distances + digit * 20 + form(digit, candidate)
        var best = row[0]
        for pattern in 1..<10 { best = min(best, row[pattern]) }
        sum += best
      }
      if sum < total {
        (runnerUp, total, first) = (total, sum, candidate)
      } else {
        runnerUp = min(runnerUp, sum)
      }
    }
    guard runnerUp - total > least, total / Float(lines * 2 * half) < Self.mostDistance else { return nil }
    if half == 6 { digits.append(first) }
    for digit in 0..<2 * half {
      let row = distances + digit * 20 + form(digit, first)
      var best = 0
      for pattern in 1..<10 where row[pattern] < row[best] { best = pattern }
      for pattern in 0..<10 where pattern != best && row[pattern] - row[best] <= least { return nil }
      digits.append(best)
    }
    var check = 0
    for (place, digit) in digits.reversed().enumerated() { check += place % 2 == 0 ? digit : 3 * digit }
    guard check % 10 == 0 else { return nil }
    return digits.map { UInt8(ascii: "0") + UInt8($0) }
  }
}
