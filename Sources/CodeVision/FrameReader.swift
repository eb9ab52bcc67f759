internal import ScanModel

/// Looks at the frames of a camera one after another, each for a bounded time.
final class FrameReader {
  /// A symbol, and how it was found, to be found there again.
  private struct Place {
    var region: PixelRect
    var level: QRLevel
    var isInverted: Bool
    var isLinear: Bool
  }

  private let stages: VisionStages
  private let qr: QRPass?
  private let linear: LinearPass?
  private let memory = FrameMemory()
  private var schedule: FrameSchedule
  private var places: [Place] = []
  private var sinceWhole = 0
  /// What was read since the scene is as it is.
  private var kept: [SeenSymbol] = []
  private var quality = ViewQuality()
  /// What can be said of the pixels alone, of one frame of eight.
  private var pixels = ViewQuality()

  /// Frames in which only the last places are looked at, before the whole frame is again.
  private static let framesBetween = 2
  private static let mostPlaces = 4
  private static let framesOfQuality = 8

  init(_ settings: VisionSettings, qr: QRPass?, linear: LinearPass?, budget: UInt64 = 8_000_000) {
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
      reading.isStill = true
      reading.symbols = kept
      reading.quality = quality
      reading.decodeTime = clock() &- start
    case .look(let turn, let variant):
      if hasChanged { kept.removeAll(keepingCapacity: true) }
      // What the picture is like changes slowly; what is seen in it does not.
      if turn % Self.framesOfQuality == 1 { pixels = ViewQuality(of: frame) }
      reading.quality = pixels
      let sawUnread = look(frame, turn, variant, &reading)
      for symbol in reading.symbols { Self.add(symbol, to: &kept) }
      quality = reading.quality
      reading.decodeTime = clock() &- start
      schedule.looked(took: reading.decodeTime, sawUnread: sawUnread)
    }
    return reading
  }

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
      if place.isLinear {
        if let linear { find(frame, linear, .glance(place.level), &reading, in: place.region) }
      } else {
        _ = search(frame, place.level, inverted: place.isInverted, place.region, &reading)
      }
      if reading.symbols.count == count { return false }
    }
    return true
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
    places.append(Place(region: region, level: level, isInverted: inverted, isLinear: isLinear))
  }

  private static func add(_ symbol: SeenSymbol, to symbols: inout [SeenSymbol]) {
    if !symbols.contains(where: { $0.symbology == symbol.symbology && $0.bytes == symbol.bytes }) {
      symbols.append(symbol)
    }
  }
}
