internal import ScanModel

/// How hard bars are looked at.
enum LinearEffort: Equatable {
  /// One look at each region, at a size.
  case glance(QRLevel)
  /// Every look at each region until something is read.
  case patient
  /// What is left where that read nothing: smaller sizes, and the pixels as they are at last.
  case rest
}

/// Reads codes that consist of bars only: finds where bars are, straightens them, reads EAN itself and has zbar decode the
/// lines, and counts how many agree.
final class LinearPass {
  /// The looks at a region, the cheapest first. The third is black and white, which zbar sees other edges in; the last is against blur.
  private static let looks = [
    StripLook(lines: 12, taps: 3, step: 1), StripLook(lines: 24, taps: 3, step: 0.5),
    StripLook(lines: 24, taps: 3, step: 0.5, filter: .threshold(radius: 60)),
    StripLook(lines: 24, taps: 5, step: 0.5, filter: .sharpen(amount: 1, radius: 3)),
  ]
  /// The look that a frame gets: the one that reads most alone.
  private static let frameLook = looks[1]
  /// A line of fewer changes between dark and light is no code: UPC-E has 33.
  private static let leastAlternations = 18
  /// The share of the lines that has to agree where zbar alone reads EAN: it goes from edge to like edge, and takes 1 for 7 where
  /// ink has spread, on many lines alike.
  private static let leastShare: Float = 0.3
  /// Half and quarter of the size.
  private static let smallerSizes: [QRLevel] = [.half, .quarter]

  private let kinds: SymbologySet
  private let stages: VisionStages
  private let finder = LinearFinder()
  private let sampler = StripSampler()
  private let scaler = PictureScaler()
  private var votes = LinearVotes()
  private var retail: RetailVotes?
  /// Regions of bars that the last picture had.
  private(set) var regions = 0
  /// Whether one of them changes between dark and light as often as a code.
  private(set) var hasBars = false

  /// Makes a pass for the linear ones of these kinds.
  init(_ kinds: SymbologySet, stages: VisionStages = .all) {
    self.kinds = kinds.intersection(.linear)
    self.stages = stages
    retail = stages.contains(.ownRetail) ? RetailVotes(self.kinds) : nil
  }

  /// Searches the picture, or a part of it; the symbols have their two ends in the picture's own pixels.
  func read(_ image: GreyImage, effort: LinearEffort, region: PixelRect? = nil) -> [SeenSymbol] {
    regions = 0
    hasBars = false
    guard !kinds.isEmpty, let part = region.map({ image.cropped(to: $0) }) ?? image else { return [] }
    var seen: [SeenSymbol] = []
    switch effort {
    case .glance(let level): look(part, at: level, effort, &seen)
    case .patient: look(part, at: .full, effort, &seen)
    case .rest:
      if stages.contains(.smallerBars) {
        for level in Self.smallerSizes where seen.isEmpty { look(part, at: level, .patient, &seen) }
      }
      if seen.isEmpty && stages.contains(.rawBars) { scanPixels(part, &seen) }
    }
    if let region {
      for index in seen.indices { seen[index].move(by: max(0, region.x), max(0, region.y)) }
    }
    return seen
  }

  /// Looks at each region of the picture at a size.
  private func look(_ image: GreyImage, at level: QRLevel, _ effort: LinearEffort, _ seen: inout [SeenSymbol]) {
    guard let image = scaler.scaled(image, to: level) else { return }
    finder.find(image)
    regions += finder.regions.count
    let known = seen.count
    for found in finder.regions {
      var region = found
      // The blocks at the ends are often too light to be bars, and zbar wants some quiet.
      region.halfLength = found.halfLength * 1.1 + Float(finder.block) / 2
      region.halfHeight = found.halfHeight * 0.9
      votes.removeAll()
      switch effort {
      case .glance:
        if scan(image, region, Self.frameLook, isFirst: true) { take(region, &seen) }
      case .patient, .rest:
        for (index, look) in Self.looks.enumerated() {
          guard scan(image, region, look, isFirst: index == 0) else { break }
          if take(region, &seen) { break }
        }
      }
    }
    for index in known..<seen.count { seen[index].scale(by: level.scale) }
  }

  /// Votes for what the lines of one look say; false if there are no bars.
  private func scan(_ image: GreyImage, _ region: LinearRegion, _ look: StripLook, isFirst: Bool) -> Bool {
    guard let strip = sampler.sample(image, region, look) else { return false }
    if isFirst && sampler.alternations() < Self.leastAlternations { return false }
    hasBars = true
    if look.filter?.isThreshold != true { retail?.vote(strip, &votes) }
    // A scanner of its own for each: zbar would splice codes from two pictures.
    guard let scanner = ZBarScanner(kinds, xDensity: 0, yDensity: StripSampler.rowsPerLine) else { return false }
    scanner.scan(strip) { symbol, lines in vote(symbol, lines, of: look.lines) }
    return true
  }

  private func vote(_ symbol: SeenSymbol, _ lines: Int, of all: Int) {
    let isRetail = symbol.symbology == .ean13 || symbol.symbology == .upcA
    guard !isRetail || Float(lines) >= Self.leastShare * Float(all) else { return }
    votes.add(symbol, lines: lines)
  }

  /// Takes what has won; whether something has.
  @discardableResult
  private func take(_ region: LinearRegion, _ seen: inout [SeenSymbol]) -> Bool {
    guard !votes.isEmpty else { return false }
    let winners = votes.winners
    for var winner in winners
    where !seen.contains(where: { $0.bytes == winner.bytes && $0.symbology == winner.symbology }) {
      winner.points = [
        ViewPoint(x: region.x - region.alongX * region.halfLength, y: region.y - region.alongY * region.halfLength),
        ViewPoint(x: region.x + region.alongX * region.halfLength, y: region.y + region.alongY * region.halfLength),
      ]
      seen.append(winner)
    }
    return !winners.isEmpty
  }

  /// zbar's own lines over the likeliest region's pixels as they are, where nothing else could read.
  private func scanPixels(_ image: GreyImage, _ seen: inout [SeenSymbol]) {
    finder.find(image)
    guard let region = finder.regions.first else { return }
    let (along, across, edge) = (region.halfLength, region.halfHeight, Float(finder.block))
    let width = along * abs(region.alongX) + across * abs(region.alongY) + 2 * edge
    let height = along * abs(region.alongY) + across * abs(region.alongX) + edge
    let box = PixelRect(
      x: Int(region.x - width), y: Int(region.y - height), width: Int(2 * width), height: Int(2 * height))
    guard let part = image.cropped(to: box) else { return }
    let isLevel = abs(region.alongX) > abs(region.alongY)
    guard let scanner = ZBarScanner(kinds, xDensity: isLevel ? 0 : 1, yDensity: isLevel ? 1 : 0) else { return }
    votes.removeAll()
    scanner.scan(part) { symbol, lines in
      // These lines are nearly the same: twice as many are wanted.
      if lines >= 2 * LinearVotes.leastLines(symbol) { vote(symbol, lines, of: isLevel ? part.height : part.width) }
    }
    take(region, &seen)
  }
}

extension SeenSymbol {
  /// Its places in a picture so many times as large.
  fileprivate mutating func scale(by factor: Float) {
    for index in points.indices {
      points[index].x *= factor
      points[index].y *= factor
    }
  }

  /// Its places in a picture of which this was a part.
  fileprivate mutating func move(by x: Int, _ y: Int) {
    for index in points.indices {
      points[index].x += Float(x)
      points[index].y += Float(y)
    }
  }
}
