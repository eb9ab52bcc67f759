internal import ScanModel

/// Looks at the frames of a camera one after another, each for a bounded time.
final class FrameReader {
  /// A symbol, and how it was found, to be found there again.
  private struct Place {
    var symbol: SeenSymbol
    var region: PixelRect
    var level: QRLevel
    var isInverted: Bool
    var isLinear: Bool
  }

  /// A symbol that was read since the scene is as it is.
  private struct Kept {
    var symbol: SeenSymbol
    /// Where it was; `nil` where that is not known.
    var place: Place?
    /// Checks in a row that have not found it.
    var misses = 0
  }

  private let stages: VisionStages
  private let qr: QRPass?
  private let linear: LinearPass?
  private let memory: FrameMemory
  private var schedule: FrameSchedule
  private var places: [Place] = []
  private var sinceWhole = 0
  private var kept: [Kept] = []
  /// Frames of the still scene that were not searched.
  private var stillFrames = 0
  private var quality = ViewQuality()
  /// What can be said of the pixels alone, of one frame of eight.
  private var pixels = ViewQuality()

  /// Frames in which only the last places are looked at, before the whole frame is again.
  private static let framesBetween = 2
  private static let mostPlaces = 4
  private static let framesOfQuality = 8
  /// A scene can change without its cells showing it: one code is shown in the place of another like it, or a small one is taken
  /// away. So what was read is looked for again in every third frame of a still scene, and the whole frame in every thirtieth.
  private static let framesBetweenChecks = 3
  private static let framesBetweenSearches = 30
  /// Checks in a row that must miss a symbol until it has gone: noise hides one now and then.
  private static let mostMisses = 2

  init(
    _ settings: VisionSettings, qr: QRPass?, linear: LinearPass?, budget: UInt64 = 8_000_000,
    memory: FrameMemory = FrameMemory()
  ) {
    self.memory = memory
    stages = settings.stages
    self.qr = qr
    self.linear = linear
    schedule = FrameSchedule(budget: budget)
  }

  /// Reads a frame; `clock` tells this thread's CPU time in nanoseconds.
  func read(_ frame: GreyImage, clock: () -> UInt64) -> ViewReading {
    let start = clock()
    let hasChanged = memory.hasChanged(frame) || !stages.contains(.stillness)
    var reading = ViewReading()
    switch schedule.next(hasChanged: hasChanged) {
    case .skip:
      stillFrames &+= 1
      reading.quality = quality
      if isAsBefore(frame, &reading) {
        reading.isStill = true
        reading.symbols = kept.map(\.symbol)
      } else {
        // Another scene after all: it is looked at with everything from the next frame on.
        memory.forget()
      }
      reading.decodeTime = clock() &- start
    case .look(let turn, let variant):
      if hasChanged { kept.removeAll(keepingCapacity: true) }
      stillFrames = 0
      // What the picture is like changes slowly; what is seen in it does not.
      if turn % Self.framesOfQuality == 1 { pixels = ViewQuality(of: frame) }
      reading.quality = pixels
      let sawUnread = look(frame, turn, variant, &reading)
      keep(reading.symbols)
      quality = reading.quality
      reading.decodeTime = clock() &- start
      schedule.looked(took: reading.decodeTime, sawUnread: sawUnread)
    }
    return reading
  }

  // MARK: The still scene

  /// Whether a still scene holds what was read in it, as far as this frame is for finding that out.
  private func isAsBefore(_ frame: GreyImage, _ reading: inout ViewReading) -> Bool {
    if stillFrames % Self.framesBetweenSearches == 0 {
      sinceWhole = Self.framesBetween
      _ = look(frame, stillFrames / Self.framesBetweenSearches, nil, &reading)
    } else if !kept.isEmpty, stillFrames % Self.framesBetweenChecks == 0 {
      for place in kept.compactMap(\.place) { lookAt(place, frame, &reading) }
    } else {
      return true
    }
    let found = reading.symbols
    var isSame = found.allSatisfy { symbol in kept.contains { Self.areSame($0.symbol, symbol) } }
    for index in kept.indices {
      let isFound = found.contains { Self.areSame($0, kept[index].symbol) }
      kept[index].misses = isFound ? 0 : kept[index].misses + 1
      if kept[index].misses >= Self.mostMisses { isSame = false }
    }
    return isSame
  }

  /// Keeps what was read, instead of what was in its place before.
  private func keep(_ symbols: [SeenSymbol]) {
    for symbol in symbols {
      let place = places.first { Self.areSame($0.symbol, symbol) }
      if let index = kept.firstIndex(where: { Self.areSame($0.symbol, symbol) }) {
        kept[index] = Kept(symbol: symbol, place: place ?? kept[index].place)
        continue
      }
      kept.removeAll { old in
        guard let region = old.place?.region, !symbols.contains(where: { Self.areSame($0, old.symbol) }) else {
          return false
        }
        return symbol.points.contains { region.contains($0) }
      }
      kept.append(Kept(symbol: symbol, place: place))
    }
  }

  // MARK: Looking

  /// Whether something was seen that could not be read.
  private func look(_ frame: GreyImage, _ turn: Int, _ variant: FrameVariant?, _ reading: inout ViewReading) -> Bool {
    if sinceWhole < Self.framesBetween && !places.isEmpty && stages.contains(.tracking) {
      sinceWhole += 1
      if lookAtPlaces(frame, &reading) { return false }
    }
    sinceWhole = 0
    places.removeAll(keepingCapacity: true)
    var sawUnread = false
    let isLarge = frame.width >= 1_000
    if qr != nil {
      sawUnread = search(frame, isLarge ? .half : .full, inverted: false, nil, &reading)
    }
    if let linear {
      // Wide bars of a near code are wider than the blocks that are searched: large frames are looked at in half their size by turns.
      find(frame, linear, .glance(isLarge && turn % 2 == 1 ? .half : .full), &reading)
      sawUnread = sawUnread || (linear.regions > 0 && reading.symbols.isEmpty)
    }
    // What is read already does not need another way of looking.
    guard let variant, reading.symbols.isEmpty || sawUnread else { return sawUnread }
    switch variant {
    case .fullSize: if isLarge { _ = search(frame, .full, inverted: false, nil, &reading) }
    case .inverted: _ = search(frame, isLarge ? .half : .full, inverted: true, nil, &reading)
    case .quarter: _ = search(frame, isLarge ? .quarter : .half, inverted: false, nil, &reading)
    case .smallerBars: if let linear { find(frame, linear, .glance(isLarge ? .quarter : .half), &reading) }
    case .doubled: _ = search(frame, .doubled, inverted: false, middle(frame), &reading)
    case .patientBars: if let linear, linear.regions > 0 { find(frame, linear, .patient, &reading) }
    }
    return sawUnread && reading.symbols.isEmpty
  }

  /// Looks where the last symbols were; whether all of them are still there.
  private func lookAtPlaces(_ frame: GreyImage, _ reading: inout ViewReading) -> Bool {
    let before = places
    places.removeAll(keepingCapacity: true)
    for place in before {
      let count = reading.symbols.count
      lookAt(place, frame, &reading)
      if reading.symbols.count == count { return false }
    }
    return true
  }

  private func lookAt(_ place: Place, _ frame: GreyImage, _ reading: inout ViewReading) {
    if place.isLinear {
      if let linear { find(frame, linear, .glance(place.level), &reading, in: place.region) }
    } else {
      _ = search(frame, place.level, inverted: place.isInverted, place.region, &reading)
    }
  }

  /// Searches QR codes; whether finder patterns were seen that are of nothing that was read.
  private func search(
    _ frame: GreyImage, _ level: QRLevel, inverted: Bool, _ region: PixelRect?, _ reading: inout ViewReading
  ) -> Bool {
    guard let qr else { return false }
    let result = qr.read(frame, level: level, inverted: inverted, region: region, effort: .frame)
    if result.finders > reading.quality.finders { reading.quality.finders = result.finders }
    if result.module > 0 { reading.quality.modulePixels = result.module }
    for symbol in result.symbols {
      Self.add(symbol, to: &reading.symbols)
      remember(symbol, frame, level, inverted, isLinear: false)
    }
    lastPlaces = result.places
    return result.unreadFinders >= 3
  }

  /// Where finder patterns were seen by the last search.
  private var lastPlaces: [ViewPoint] = []

  /// The part of the frame with the finder patterns that were seen, at most half of it each way, so that twice its size is bounded.
  private func middle(_ frame: GreyImage) -> PixelRect {
    var x = Float(frame.width) / 2
    var y = Float(frame.height) / 2
    if !lastPlaces.isEmpty {
      x = lastPlaces.reduce(0) { $0 + $1.x } / Float(lastPlaces.count)
      y = lastPlaces.reduce(0) { $0 + $1.y } / Float(lastPlaces.count)
    }
    let width = min(frame.width, 640)
    let height = min(frame.height, 480)
    let left = min(max(0, Int(max(0, min(x, 100_000))) - width / 2), frame.width - width)
    let top = min(max(0, Int(max(0, min(y, 100_000))) - height / 2), frame.height - height)
    return PixelRect(x: left, y: top, width: width, height: height)
  }

  private func find(
    _ frame: GreyImage, _ linear: LinearPass, _ effort: LinearEffort, _ reading: inout ViewReading,
    in region: PixelRect? = nil
  ) {
    for symbol in linear.read(frame, effort: effort, region: region) {
      Self.add(symbol, to: &reading.symbols)
      var level = QRLevel.full
      if case .glance(let seen) = effort { level = seen }
      remember(symbol, frame, level, false, isLinear: true)
    }
  }

  /// Remembers 1.5 times the box of a symbol.
  private func remember(_ symbol: SeenSymbol, _ frame: GreyImage, _ level: QRLevel, _ inverted: Bool, isLinear: Bool) {
    guard places.count < Self.mostPlaces, let first = symbol.points.first else { return }
    var (left, right, top, bottom) = (first.x, first.x, first.y, first.y)
    for point in symbol.points {
      (left, right) = (min(left, point.x), max(right, point.x))
      (top, bottom) = (min(top, point.y), max(bottom, point.y))
    }
    // Of bars only the two ends are known: their box may be flat.
    let edge = isLinear ? max(right - left, bottom - top) / 3 : max(right - left, bottom - top) / 4
    let limit: Float = 100_000
    func whole(_ value: Float) -> Int { Int(max(-limit, min(value, limit))) }
    let box = PixelRect(
      x: whole(left - edge), y: whole(top - edge), width: whole(right - left + 2 * edge),
      height: whole(bottom - top + 2 * edge))
    let region = box.intersection(frame.bounds)
    guard region.width > 0, region.height > 0 else { return }
    places.append(
      Place(symbol: symbol, region: region, level: level, isInverted: inverted, isLinear: isLinear))
  }

  private static func add(_ symbol: SeenSymbol, to symbols: inout [SeenSymbol]) {
    if !symbols.contains(where: { areSame($0, symbol) }) { symbols.append(symbol) }
  }

  private static func areSame(_ one: SeenSymbol, _ other: SeenSymbol) -> Bool {
    one.symbology == other.symbology && one.bytes == other.bytes
  }
}
