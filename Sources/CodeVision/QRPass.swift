internal import ScanModel

/// At what size a pass looks at a picture.
enum QRLevel: CaseIterable {
  case full, half, quarter, eighth, doubled

  /// Pixels of the picture in one of the pass.
  var scale: Float {
    switch self {
    case .full: 1
    case .half: 2
    case .quarter: 4
    case .eighth: 8
    case .doubled: 0.5
    }
  }
}

/// What one pass saw, in the picture's own pixels.
struct QRPassResult {
  /// What was read, each once.
  var symbols: [SeenSymbol] = []
  /// Finder patterns that were seen.
  var finders = 0
  /// Those that are not part of what was read: three make a code.
  var unreadFinders = 0
  /// Pixels of a module of the best finder pattern; 0 without one.
  var module: Float = 0
  /// Where the finder patterns are.
  var places: [ViewPoint] = []
}

/// One search for QR codes in one picture at one size. Keeps its buffers.
final class QRPass {
  /// The smallest side of a picture that can hold a code.
  static let minimumSide = 21
  /// The most triples of finder patterns that are looked at, and the most symbols that are given to zbar.
  static let maximumTriples = 48
  static let maximumDrawings = 24

  private let stages: VisionStages
  private let scaler = PictureScaler()
  private let thresholds = ThresholdMap()
  private var search = FinderSearch()
  private let redraw = SymbolRedraw()
  private let zbar = ZBarScanner(.qr)

  /// Makes a pass with these stages.
  init(stages: VisionStages) {
    self.stages = stages
  }

  /// Searches the picture, or a part of it.
  func read(_ image: GreyImage, level: QRLevel, inverted: Bool = false, region: PixelRect? = nil) -> QRPassResult {
    var result = QRPassResult()
    let part = (region ?? image.bounds).intersection(image.bounds)
    guard var picture = image.cropped(to: part).flatMap({ scaler.scaled($0, to: level) }) else { return result }
    guard picture.width >= Self.minimumSide, picture.height >= Self.minimumSide else { return result }
    if inverted { picture = scaler.inverted(picture) }
    let map = thresholds.measure(picture)
    let scene = Scene(image: picture, thresholds: map, across: thresholds.across, down: thresholds.down)
    search.search(scene, step: 2, looksAround: stages.contains(.rays))
    let finders = search.finders
    result.finders = finders.count
    guard !finders.isEmpty else { return result }
    let origin = SIMD2(Float(part.x), Float(part.y))
    func told(_ place: SIMD2<Float>) -> ViewPoint {
      let own = place * level.scale + origin
      return ViewPoint(x: own.x, y: own.y)
    }
    result.places = finders.map { told($0.place) }
    result.module = (finders.max { ($0.seenRays, $0.sightings) < ($1.seenRays, $1.sightings) }?.size ?? 0) * level.scale

    var isUsed = [Bool](repeating: false, count: finders.count)
    var drawings = 0
    for triple in FinderTriple.all(finders, limit: Self.maximumTriples) {
      if isUsed[triple.corner] || isUsed[triple.right] || isUsed[triple.below] { continue }
      guard drawings < Self.maximumDrawings else { break }
      let guess = GridGuess(
        scene: scene, corner: finders[triple.corner], right: finders[triple.right], below: finders[triple.below])
      guard let (symbols, grid) = read(guess, scene, &drawings) else { continue }
      for finder in [triple.corner, triple.right, triple.below] { isUsed[finder] = true }
      let side = Float(grid.version.side)
      let corners = [grid.place(0, 0), grid.place(side, 0), grid.place(side, side), grid.place(0, side)].map(told)
      for var symbol in symbols where !result.symbols.contains(where: { $0.bytes == symbol.bytes }) {
        symbol.points = corners
        result.symbols.append(symbol)
      }
    }
    result.unreadFinders = isUsed.count { !$0 }
    return result
  }

  /// Lays the grid, samples it and lets zbar read it.
  private func read(_ guess: GridGuess, _ scene: Scene, _ drawings: inout Int) -> ([SeenSymbol], SymbolGrid)? {
    guard let (first, timing) = guess.best(useEdges: stages.contains(.edges)) else { return nil }
    guard timing >= (first.version.number >= 7 ? 0.58 : 0.66) else { return nil }
    var grid = first
    if stages.contains(.alignment) { grid = grid.aligned(scene) }
    if stages.contains(.refinement) { grid = grid.refined(scene) }
    if stages.contains(.alignmentGrid) { grid = grid.bentToAlignment(scene) }
    guard grid.timing(scene) >= 0.68 else { return nil }
    let samples = redraw.sample(grid, scene)
    let version = grid.version
    drawings += 1
    if let symbols = scan(redraw.draw(samples, version: version)) { return (symbols, grid) }
    let sharp = redraw.sharpen(samples, side: version.side)
    drawings += 1
    if let symbols = scan(redraw.draw(sharp, version: version)) { return (symbols, grid) }
    if stages.contains(.mirrored) {
      drawings += 1
      if let symbols = scan(redraw.draw(sharp, version: version, isMirrored: true)) { return (symbols, grid) }
    }
    return nil
  }

  private func scan(_ drawing: GreyImage) -> [SeenSymbol]? {
    guard let symbols = zbar?.scan(drawing), !symbols.isEmpty else { return nil }
    return symbols
  }
}
