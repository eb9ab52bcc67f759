package import LinuxIO
package import ScanModel

/// Which of the things that a camera offers is asked for.
package struct StreamChoice: Sendable, Equatable {
  /// How pixels are laid out.
  package var format: PixelFormat
  /// The size.
  package var size: VideoSize
  /// The rate to be asked for; `nil` where the camera does not say which it has.
  package var rate: VideoRate?

  /// What reads codes best when nothing else is said: 720p has pixels enough, and more cost more.
  private static let best = VideoSize(width: 1280, height: 720)
  /// Fewer pictures a second make people wait.
  private static let leastRate = 10.0
  /// More than that only costs.
  private static let enoughRate = 30.0
  /// Sizes that are tried where a camera offers ranges.
  private static let usual = [
    best, VideoSize(width: 640, height: 480), VideoSize(width: 800, height: 600), VideoSize(width: 1024, height: 768),
    VideoSize(width: 320, height: 240), VideoSize(width: 1920, height: 1080),
  ]

  /// Formats by what it costs to get grey from them, the cheapest first: planes of grey, grey and colour by turns, a JPEG
  /// a picture, then what a converter must look at.
  static let readable: [PixelFormat] = [
    .grey, .nv12, .yu12, .yuyv, .mjpg, PixelFormat("J", "P", "E", "G"), PixelFormat("Y", "V", "1", "2"),
    PixelFormat("U", "Y", "V", "Y"), PixelFormat("Y", "V", "Y", "U"), PixelFormat("R", "G", "B", "3"),
    PixelFormat("B", "G", "R", "3"), PixelFormat("R", "G", "B", "P"), PixelFormat("B", "A", "8", "1"),
    PixelFormat("G", "B", "R", "G"), PixelFormat("G", "R", "B", "G"), PixelFormat("R", "G", "G", "B"),
  ]

  /// Chooses; `nil` where nothing that is offered fits the wish, or can be read.
  package init?(of offers: [VideoOffer], wish: StreamWish = StreamWish()) {
    var best: (choice: StreamChoice, cost: Cost)?
    for offer in offers {
      guard let place = Self.readable.firstIndex(of: offer.format) else { continue }
      if let wanted = wish.format, offer.format != wanted { continue }
      let sizes = wish.size.map { [$0] } ?? Self.candidates(offer.sizes)
      for size in sizes where size.isSane && offer.sizes.contains(size) {
        let rate = Self.rate(of: offer.rates, at: wish.rate.map(Double.init))
        let cost = Cost(size, rate, formatPlace: place, wish)
        if let best, !(cost < best.cost) { continue }
        best = (StreamChoice(format: offer.format, size: size, rate: rate), cost)
      }
    }
    guard let best else { return nil }
    self = best.choice
  }

  private init(format: PixelFormat, size: VideoSize, rate: VideoRate?) {
    self.format = format
    self.size = size
    self.rate = rate
  }

  private static func candidates(_ sizes: VideoSizes) -> [VideoSize] {
    switch sizes {
    case .one(let size): [size]
    case .range(let least, let most, _): usual + [least, most]
    }
  }

  /// The rate nearest to what is wanted, from above if there is one.
  private static func rate(of offered: [VideoRates], at wanted: Double?) -> VideoRate? {
    let target = wanted ?? enoughRate
    var rates: [VideoRate] = []
    for entry in offered {
      switch entry {
      case .one(let rate): rates.append(rate)
      case .range(let slowest, let fastest):
        let whole = VideoRate(pictures: UInt32(max(1, min(1000, target))))
        if slowest.perSecond <= target, target <= fastest.perSecond { rates.append(whole) }
        rates += [slowest, fastest]
      }
    }
    let real = rates.filter { $0.perSecond > 0 }
    // 29.97 pictures are 30.
    return real.filter { $0.perSecond >= target * 0.95 }.min { $0.perSecond < $1.perSecond }
      ?? real.max { $0.perSecond < $1.perSecond }
  }

  /// Compared from the first to the last.
  private struct Cost: Comparable {
    var isTooSlow: Bool
    var sizeStep: Int
    var formatPlace: Int
    var slowness: Double

    init(_ size: VideoSize, _ rate: VideoRate?, formatPlace: Int, _ wish: StreamWish) {
      // A camera that does not say how fast it is gets the benefit of the doubt.
      let speed = rate?.perSecond ?? StreamChoice.leastRate
      isTooSlow = speed < (wish.rate.map { Double($0) * 0.95 } ?? StreamChoice.leastRate)
      sizeStep = Self.step(size)
      self.formatPlace = formatPlace
      slowness = -min(speed, StreamChoice.enoughRate)
    }

    /// How far a size is from the best, in steps of a fifth; smaller is a little better than larger.
    private static func step(_ size: VideoSize) -> Int {
      let area = size.width * size.height
      let best = StreamChoice.best.width * StreamChoice.best.height
      var step = 0
      var small = min(area, best)
      while small * 6 < max(area, best) * 5 {
        small = small * 6 / 5 + 1
        step += 2
      }
      return step > 0 && area > best ? step + 1 : step
    }

    static func < (a: Self, b: Self) -> Bool {
      // Where all are too slow, the fastest is the best.
      (a.isTooSlow ? 1 : 0, a.isTooSlow ? a.slowness : 0, a.sizeStep, a.formatPlace, a.slowness)
        < (b.isTooSlow ? 1 : 0, b.isTooSlow ? b.slowness : 0, b.sizeStep, b.formatPlace, b.slowness)
    }
  }
}
