package import ScanModel

/// Why nothing is read in what a camera sees, and what to do; pure. The one place of the thresholds.
package enum ViewAdvice: Sendable, Hashable, CaseIterable {
  /// Hardly any light.
  case tooDark
  /// Nearly everything is white.
  case tooBright
  /// Black and white are hardly told apart.
  case flat
  /// Edges are smeared: out of focus, or moved during the exposure.
  case blurred
  /// The code's modules are smaller than two pixels.
  case tooSmall
  /// Corners of a code were found, but not the code.
  case partial
  /// Nothing looks like a QR code.
  case noCode

  /// The least mean brightness of a picture that is light enough. Of 408 photographs of codes the darkest has 30, one in a hundred less than this.
  package static let darkest: Float = 40
  /// The most of one that is not too bright: more than any of those has, which end at 223.
  package static let brightest: Float = 225
  /// The least between dark and bright. Between their darkest and brightest two-hundredth, all of those have 58 or more.
  package static let leastContrast: Float = 30
  private static let leastSharpness: Float = 0.2
  private static let leastModule: Float = 2

  /// What can be said of pictures in which nothing was read, the likeliest first; of several pictures, by the best of them.
  package static func of(_ qualities: [ViewQuality]) -> [ViewAdvice] {
    guard !qualities.isEmpty else { return [] }
    func best(_ value: KeyPath<ViewQuality, Float>) -> Float { qualities.map { $0[keyPath: value] }.max() ?? 0 }
    var advice: [ViewAdvice] = []
    if best(\.brightness) < darkest {
      advice.append(.tooDark)
    } else if (qualities.map(\.brightness).min() ?? 0) > brightest {
      advice.append(.tooBright)
    } else if best(\.contrast) < leastContrast {
      advice.append(.flat)
    }
    // A picture without edges has no sharpness at all.
    let sharpness = best(\.sharpness)
    if advice.isEmpty, sharpness > 0, sharpness < leastSharpness { advice.append(.blurred) }
    let finders = qualities.map(\.finders).max() ?? 0
    let module = best(\.modulePixels)
    if finders > 0, module > 0, module < leastModule {
      advice.append(.tooSmall)
    } else if finders > 0 {
      advice.append(.partial)
    } else {
      advice.append(.noCode)
    }
    return advice
  }

  /// What it means and what to do, in words.
  package var words: String {
    switch self {
    case .tooDark: "the picture is too dark: give more light, or a longer exposure"
    case .tooBright: "the picture is too bright: turn the lamp away from the glass, or set a shorter exposure"
    case .flat: "black and white are hardly told apart: look for glare, dirt on the lens, or a dim screen"
    case .blurred:
      "the picture is blurred: focus on the place where codes are held, or set a shorter exposure with more light"
    case .tooSmall: "the code is too small: hold it nearer, or choose a larger size"
    case .partial: "corners of a QR code are seen, but not enough of it: is it whole, flat and within the picture?"
    case .noCode: "nothing looks like a QR code: is one held into the picture?"
    }
  }
}
