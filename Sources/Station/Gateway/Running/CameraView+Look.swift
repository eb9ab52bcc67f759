internal import CameraReader
internal import DecodeClient
internal import LinuxIO
internal import Reading
internal import ScanModel
import StationProtocol

extension CameraView {
  /// What is told of a picture; `nil` where it does not fit.
  init?(_ look: CameraLook, at now: MonotonicTime) {
    guard let file = PlainJPEG.file(of: look.picture, upTo: StationLimits.maximumPicture),
      let width = UInt16(exactly: file.width), let height = UInt16(exactly: file.height)
    else { return nil }
    let tones = GreyTones(of: look.picture)
    self.init(
      jpeg: file.bytes, width: width, height: height, format: look.format.title,
      age: max(.zero, now - look.takenAt),
      rate: look.rate.map { UInt16(max(0, min(6_000, ($0 * 10).rounded()))) }, light: tones.light,
      brightness: UInt8(max(0, min(255, tones.mean.rounded()))))
    // What has no shades is alike in each picture, noise and all.
    isFrozen = look.isFrozen && tones.light != .covered && tones.light != .glaring
    // Places are the camera's own, which has more pixels.
    let (across, down) = (Float(look.format.size.width), Float(look.format.size.height))
    seen = look.reading.symbols.prefix(StationLimits.maximumSeen).map { symbol in
      Seen(
        symbology: symbol.symbology.rawValue, code: Code(bytes: symbol.bytes).shortened,
        corners: symbol.points.prefix(StationLimits.maximumCorners).map { point in
          Corner(x: Self.place(point.x, of: across, in: width), y: Self.place(point.y, of: down, in: height))
        })
    }
  }

  /// A place of the camera's picture in the one that is shown.
  private static func place(_ value: Float, of whole: Float, in shown: UInt16) -> UInt16 {
    let scaled = value * Float(shown) / max(1, whole)
    return scaled.isFinite ? UInt16(max(0, min(Float(shown), scaled.rounded()))) : 0
  }
}

/// How light a picture is, by all of its pixels: what is told with it is of it and not of one before it. Pure.
struct GreyTones {
  /// The mean, 0 to 255.
  let mean: Float
  /// What all but one in two hundred pixels are brighter than: one that glows in the dark is no light.
  let darkest: Int
  /// What all but as many are darker than.
  let brightest: Int

  init(of picture: GreyPicture) {
    var counts = [Int](repeating: 0, count: 256)
    for pixel in picture.pixels { counts[Int(pixel)] += 1 }
    let total = max(1, picture.pixels.count)
    mean = Float(counts.indices.reduce(0) { $0 + $1 * counts[$1] }) / Float(total)
    func level(in levels: some Sequence<Int>) -> Int? {
      var seen = 0
      return levels.first { level in
        seen += counts[level]
        return seen > total / 200
      }
    }
    darkest = level(in: 0...255) ?? 0
    brightest = level(in: (0...255).reversed()) ?? 255
  }

  /// In a word; by the thresholds of what is told where nothing is read.
  var light: CameraView.Light {
    if Float(brightest) < ViewAdvice.darkest { return .covered }
    if mean < ViewAdvice.darkest { return .dark }
    if mean > ViewAdvice.brightest { return .glaring }
    return Float(brightest - darkest) < ViewAdvice.leastContrast ? .flat : .good
  }
}
