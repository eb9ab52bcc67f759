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
  /// Those that are not part of what was read, and could be of a code: three make one.
  var unreadFinders = 0
  /// Pixels of a module of the best finder pattern; 0 without one.
  var module: Float = 0
  /// Where the finder patterns are.
  var places: [ViewPoint] = []
}

/// One search for QR codes in one picture at one size. Keeps its buffers.
final class QRPass {
  private let stages: VisionStages

  /// Makes a pass with these stages.
  init(stages: VisionStages) {
    self.stages = stages
  }

  /// Searches the picture, or a part of it.
  func read(_ image: GreyImage, level: QRLevel, inverted: Bool = false, region: PixelRect? = nil) -> QRPassResult {
    QRPassResult()
  }
}
