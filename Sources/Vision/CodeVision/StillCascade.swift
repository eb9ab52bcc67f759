internal import ScanModel

/// All that helps to read QR codes in a picture that stands alone: cheap looks first, until something is read and nothing that looks
/// like a code is left unread.
final class StillCascade {
  private let stages: VisionStages
  private let pass: QRPass
  private let zbar: ZBarScanner?
  private let scaler = PictureScaler()

  /// What the best pass over the last picture saw, where the pass explains itself.
  private(set) var explained: ExplainCanvas?
  private var explainedWorth = (0, 0)

  /// The widest picture that is looked at in full before a smaller copy of it.
  private static let largestFirst = 1_000
  /// Pixels of the largest picture that is doubled, and of the largest that zbar may search without two finder patterns.
  private static let largestDoubled = 1_000_000
  private static let largestUnseen = 200_000
  /// Pixels of the largest picture that zbar searches at all: it takes 50 ms for two million.
  private static let largestSearched = 8_000_000

  init(stages: VisionStages, pass: QRPass) {
    self.stages = stages
    self.pass = pass
    zbar = ZBarScanner(.qr)
  }

  /// What is read in a picture, and what finder patterns were seen; only the two cheapest looks where it is not to be
  /// thorough; in a picture that has bars, the expensive ones are for what has finder patterns.
  func read(_ picture: GreyImage, isThorough: Bool = true, hasBars: Bool = false) -> QRPassResult {
    var all = QRPassResult()
    explained = nil
    guard stages.contains(.finders) else {
      all.symbols = zbar?.scan(picture) ?? []
      return all
    }
    for (level, inverted) in order(picture).prefix(isThorough ? .max : 2) {
      let result = pass.read(picture, level: level, inverted: inverted)
      explain(result)
      all.add(result)
      if all.isDone { return all }
    }
    let pixels = picture.width * picture.height
    // All below costs more than all above: it is for what looked like a code.
    guard isThorough, all.symbols.isEmpty, all.finders >= 2 || (pixels <= Self.largestUnseen && !hasBars) else {
      return all
    }
    if stages.contains(.doubled), pixels <= Self.largestDoubled {
      let result = pass.read(picture, level: .doubled)
      explain(result)
      all.add(result)
      if !all.symbols.isEmpty { return all }
    }
    guard stages.contains(.fallback) else { return all }
    if pixels > Self.largestUnseen { search(picture, .half, &all) }
    if all.symbols.isEmpty, pixels <= Self.largestSearched { search(picture, .full, &all) }
    if all.symbols.isEmpty, pixels <= Self.largestUnseen { search(picture, .doubled, &all) }
    return all
  }

  private func order(_ picture: GreyImage) -> [(QRLevel, Bool)] {
    var order: [(QRLevel, Bool)] = [(.full, false)]
    if stages.contains(.reduced) {
      order =
        max(picture.width, picture.height) >= Self.largestFirst
        ? [(.half, false), (.quarter, false), (.full, false), (.eighth, false)]
        : [(.full, false), (.half, false), (.quarter, false)]
    }
    if stages.contains(.inverted) {
      order.append((picture.width >= Self.largestFirst && stages.contains(.reduced) ? .half : .full, true))
    }
    return order
  }

  /// Keeps the drawing of the pass that read most, and of those the one that saw most.
  private func explain(_ result: QRPassResult) {
    guard pass.explains, let canvas = pass.explained?.canvas else { return }
    let worth = (result.symbols.count, result.finders)
    if explained == nil || worth > explainedWorth { (explained, explainedWorth) = (canvas, worth) }
  }

  private func search(_ picture: GreyImage, _ level: QRLevel, _ all: inout QRPassResult) {
    guard let zbar, let scaled = scaler.scaled(picture, to: level) else { return }
    var result = QRPassResult()
    result.symbols = zbar.scan(scaled).map { symbol in
      var symbol = symbol
      symbol.points = symbol.points.map { ViewPoint(x: $0.x * level.scale, y: $0.y * level.scale) }
      return symbol
    }
    all.add(result)
  }
}

extension QRPassResult {
  /// Something was read, and no three finder patterns are left that could be another code.
  var isDone: Bool { !symbols.isEmpty && unreadFinders < 3 }

  /// Joins what another pass over the same picture saw.
  mutating func add(_ other: QRPassResult) {
    for symbol in other.symbols where !symbols.contains(where: { $0.bytes == symbol.bytes }) { symbols.append(symbol) }
    if !other.symbols.isEmpty || symbols.isEmpty { unreadFinders = other.unreadFinders }
    if other.finders > finders {
      finders = other.finders
      module = other.module
      places = other.places
    }
  }
}
