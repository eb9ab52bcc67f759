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
  /// Finder patterns that were surely seen.
  var finders = 0
  /// Those of them that are not part of what was read: three make a code.
  var unreadFinders = 0
  /// Pixels of a module of the best finder pattern; 0 without one.
  var module: Float = 0
  /// Where the finder patterns are, the doubtful ones too.
  var places: [ViewPoint] = []
}

/// How much one pass may try: three of many finder patterns make very many triples.
struct QREffort {
  /// Of how many rows one is searched for finder patterns.
  var step: Int
  /// Finder patterns that are taken for corners, the surest first.
  var finders: Int
  /// Triples of them that are looked at in vain.
  var triples: Int
  /// Drawings that zbar sees in vain one after the other.
  var drawings: Int

  /// For a picture that stands alone.
  static let picture = QREffort(step: 1, finders: .max, triples: 48, drawings: 24)
  /// For one frame of many.
  static let frame = QREffort(step: 2, finders: 16, triples: 12, drawings: 6)
}

/// One search for QR codes in one picture at one size. Keeps its buffers.
final class QRPass {
  /// The smallest side of a picture that can hold a code.
  static let minimumSide = 21
  /// Modules a side of the largest symbol that is bent piece by piece: larger ones have alignment patterns everywhere.
  static let maximumBentSide = 101

  /// The same where the grid is not even at first: its beginning and its end are too far apart in larger ones.
  static let maximumUnevenSide = 61
  /// The most grids that are bent without being even at first, in one pass: it takes a millisecond.
  static let maximumBends = 4

  private var bends = 0
  private let stages: VisionStages
  private let scaler = PictureScaler()
  private let thresholds = ThresholdMap()
  private var search = FinderSearch()
  private let redraw = SymbolRedraw()
  private let zbar = ZBarScanner(.qr, xDensity: 2, yDensity: 2)

  /// Whether each pass draws what it saw; nothing is done for it otherwise.
  var explains = false
  /// What the last pass saw.
  private(set) var explained: ExplainPass?

  /// Elements that are kept from one picture to the next.
  var capacity: Int { scaler.capacity + thresholds.capacity + search.capacity + redraw.capacity }

  init(stages: VisionStages) { self.stages = stages }

  /// Searches the picture, or a part of it.
  func read(
    _ image: GreyImage, level: QRLevel, inverted: Bool = false, region: PixelRect? = nil, effort: QREffort = .picture
  ) -> QRPassResult {
    var result = QRPassResult()
    explained = nil
    let part = (region ?? image.bounds).intersection(image.bounds)
    guard var picture = image.cropped(to: part).flatMap({ scaler.scaled($0, to: level) }) else { return result }
    guard picture.width >= Self.minimumSide, picture.height >= Self.minimumSide else { return result }
    if inverted { picture = scaler.inverted(picture) }
    let map = thresholds.measure(picture)
    let scene = Scene(image: picture, thresholds: map, across: thresholds.across, down: thresholds.down)
    search.search(scene, step: effort.step, looksAround: stages.contains(.rays))
    // The surest first: of too many, only those are put together.
    var finders = search.finders.sorted { $0.doubt < $1.doubt }
    if finders.count > effort.finders { finders.removeLast(finders.count - effort.finders) }
    explained = explains ? ExplainPass(scene) : nil
    explained?.draw(finders)
    guard !finders.isEmpty else { return result }
    result.finders = finders.count { $0.doubt < Finder.sure }
    let origin = SIMD2(Float(part.x), Float(part.y))
    func told(_ place: SIMD2<Float>) -> ViewPoint {
      let own = place * level.scale + origin
      return ViewPoint(x: own.x, y: own.y)
    }
    result.places = finders.map { told($0.place) }
    result.module = (finders.min { $0.doubt < $1.doubt }?.size ?? 0) * level.scale

    var isUsed = [Bool](repeating: false, count: finders.count)
    var drawings = 0
    var failures = 0
    bends = 0
    for triple in FinderTriple.all(finders) {
      if isUsed[triple.corner] || isUsed[triple.right] || isUsed[triple.below] { continue }
      guard drawings < effort.drawings, failures < effort.triples else { break }
      let guess = GridGuess(
        scene: scene, corner: finders[triple.corner], right: finders[triple.right], below: finders[triple.below])
      guard let (symbols, grid) = read(guess, scene, &drawings) else {
        failures += 1
        continue
      }
      drawings = 0
      for finder in [triple.corner, triple.right, triple.below] { isUsed[finder] = true }
      let side = Float(grid.version.side)
      let corners = [grid.place(0, 0), grid.place(side, 0), grid.place(side, side), grid.place(0, side)].map(told)
      for var symbol in symbols where !result.symbols.contains(where: { $0.bytes == symbol.bytes }) {
        symbol.points = corners
        result.symbols.append(symbol)
      }
    }
    result.unreadFinders = zip(finders, isUsed).count { !$1 && $0.doubt < Finder.sure }
    return result
  }

  /// Lays the grid in the versions that fit, and takes the first that is read.
  private func read(_ guess: GridGuess, _ scene: Scene, _ drawings: inout Int) -> ([SeenSymbol], SymbolGrid)? {
    let grids = guess.grids(useEdges: stages.contains(.edges)).prefix(3)
    for (grid, timing) in grids where timing >= (grid.version.number >= 7 ? 0.58 : 0.66) {
      if let result = read(grid, guess, scene, &drawings) { return result }
    }
    // Three sure patterns and no even grid: the symbol may be bent.
    guard stages.contains(.bending), guess.doubt < Finder.sure / 2 else { return nil }
    for (grid, timing) in grids where timing > 0.5 && grid.version.side <= Self.maximumUnevenSide {
      guard bends < Self.maximumBends else { return nil }
      bends += 1
      let bent = grid.bentToModules(scene)
      guard bent.timing(scene) >= 0.85 else { continue }
      let samples = redraw.sample(bent, scene)
      let plain = SymbolFormat.distance(samples, side: grid.version.side, isMirrored: false)
      guard plain <= 8 else { continue }
      drawings += 1
      if let symbols = scan(samples, bent, false) { return (symbols, bent) }
    }
    return nil
  }

  /// Fits the grid, samples it and lets zbar read it.
  private func read(
    _ first: SymbolGrid, _ guess: GridGuess, _ scene: Scene, _ drawings: inout Int
  ) -> ([SeenSymbol], SymbolGrid)? {
    var grid = first
    if stages.contains(.alignment) { grid = grid.aligned(scene) }
    if grid.version.number < 7, grid.timing(scene) >= 0.98 {
      // Most symbols are small and lie flat: they need no more.
      let samples = redraw.sample(grid, scene)
      if SymbolFormat.distance(samples, side: grid.version.side, isMirrored: false) <= 2 {
        drawings += 1
        explained?.draw(guess)
        explained?.draw(grid, samples)
        if let symbols = scan(samples, grid, false) { return (symbols, grid) }
      }
    }
    if stages.contains(.refinement) { grid = grid.refined(scene) }
    if stages.contains(.alignmentGrid) { grid = grid.bentToAlignment(scene) }
    guard grid.timing(scene) >= 0.68 else { return nil }
    explained?.draw(guess)
    let samples = redraw.sample(grid, scene)
    explained?.draw(grid, samples)
    let side = grid.version.side
    let plain = SymbolFormat.distance(samples, side: side, isMirrored: false)
    let mirrored = stages.contains(.mirrored) ? SymbolFormat.distance(samples, side: side, isMirrored: true) : 30
    let distance = min(plain, mirrored)
    guard distance <= 8 else { return nil }
    let isMirrored = mirrored < plain
    drawings += 1
    if let symbols = scan(samples, grid, isMirrored) { return (symbols, grid) }
    // From here on it costs more: for what is surely a symbol.
    guard distance <= 5 else { return nil }
    drawings += 1
    if let symbols = scan(redraw.sharpen(samples, side: side), grid, isMirrored) { return (symbols, grid) }
    guard stages.contains(.bending), side <= Self.maximumBentSide else { return nil }
    drawings += 1
    grid = grid.bentToModules(scene)
    guard let symbols = scan(redraw.sample(grid, scene), grid, isMirrored) else { return nil }
    return (symbols, grid)
  }

  private func scan(_ samples: UnsafePointer<Float>, _ grid: SymbolGrid, _ isMirrored: Bool) -> [SeenSymbol]? {
    let drawing = redraw.draw(samples, version: grid.version, isMirrored: isMirrored)
    guard let symbols = zbar?.scan(drawing), !symbols.isEmpty else { return nil }
    explained?.draw(grid, read: drawing)
    return symbols
  }
}
