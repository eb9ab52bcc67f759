internal import CZBar
internal import ScanModel

/// One of zbar's image scanners, and what is wrong with it kept away from the rest.
///
/// zbar guesses text badly, so QR codes are taken as bytes (`BINARY`). Its cache holds back repeats and can abort the process: off. Its
/// decoders of bars keep state from one picture to the next, so that a code can be spliced from two: a scanner of bars serves one
/// picture. It wants tightly packed pixels.
final class ZBarScanner {
  /// The most symbols that are taken from one picture.
  static let maximumSymbols = 64
  /// The most bytes of a symbol: what the largest QR code holds as digits.
  static let maximumBytes = 7_089
  /// The longest side of a picture: zbar's sums are of 32 bits.
  static let maximumSide = 8_192

  private let scanner: OpaquePointer
  private let image: OpaquePointer
  private let kinds: SymbologySet
  private let packed = PixelBuffer<UInt8>(filledWith: 0)

  /// A scanner of these kinds; `nil` if there is no memory for it.
  ///
  /// - Parameters:
  ///   - xDensity: of how many columns one is scanned, downwards; 0 for none.
  ///   - yDensity: of how many rows one is scanned, across; 0 for none.
  init?(_ kinds: SymbologySet, xDensity: Int = 1, yDensity: Int = 1) {
    guard let scanner = zbar_image_scanner_create() else { return nil }
    guard let image = zbar_image_create() else {
      zbar_image_scanner_destroy(scanner)
      return nil
    }
    self.scanner = scanner
    self.image = image
    self.kinds = kinds
    zbar_image_scanner_enable_cache(scanner, 0)
    set(ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
    set(ZBAR_NONE, ZBAR_CFG_X_DENSITY, CInt(clamping: xDensity))
    set(ZBAR_NONE, ZBAR_CFG_Y_DENSITY, CInt(clamping: yDensity))
    for kind in Symbology.allCases where kinds.contains(kind) { enable(kind) }
    zbar_image_set_format(image, zbar_fourcc_parse("Y800"))
  }

  deinit {
    zbar_image_set_data(image, nil, 0, nil)
    zbar_image_destroy(image)
    zbar_image_scanner_destroy(scanner)
  }

  /// What it reads in the picture: at most 64 symbols. Nothing in a picture with a side beyond 8,192 pixels.
  func scan(_ picture: GreyImage) -> [SeenSymbol] {
    var seen: [SeenSymbol] = []
    scan(picture) { found, _ in
      if !seen.contains(where: { $0.symbology == found.symbology && $0.bytes == found.bytes }) { seen.append(found) }
    }
    return seen
  }

  /// The same, each symbol with the lines that read it.
  func scan(_ picture: GreyImage, _ found: (SeenSymbol, _ lines: Int) -> Void) {
    guard picture.width <= Self.maximumSide, picture.height <= Self.maximumSide else { return }
    let count = picture.width * picture.height
    var pixels = picture.pixels
    if picture.stride != picture.width {
      let copy = packed.reserve(count)
      for row in 0..<picture.height {
        (copy + row * picture.width).update(from: picture.pixels + row * picture.stride, count: picture.width)
      }
      pixels = UnsafePointer(copy)
    }
    zbar_image_set_size(image, CUnsignedInt(picture.width), CUnsignedInt(picture.height))
    // Without a clean-up handler zbar neither frees nor changes the pixels.
    zbar_image_set_data(image, pixels, CUnsignedLong(count), nil)
    defer { zbar_image_set_data(image, nil, 0, nil) }
    guard zbar_scan_image(scanner, image) > 0 else { return }
    var taken = 0
    var next = zbar_image_first_symbol(image)
    while let symbol = next, taken < Self.maximumSymbols {
      if let symbol = take(symbol) { found(symbol, max(1, Int(zbar_symbol_get_quality(next)))) }
      taken += 1
      next = zbar_symbol_next(symbol)
    }
  }

  private func set(_ type: zbar_symbol_type_t, _ setting: zbar_config_t, _ value: CInt) {
    zbar_image_scanner_set_config(scanner, type, setting, value)
  }

  private func enable(_ kind: Symbology) {
    switch kind {
    case .qr: set(ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
    case .upcA, .ean13, .ean8, .dataBar, .dataBarExpanded: break
    // zbar would tell a UPC-E that nobody wants as an EAN-13: it is read as what it is, and dropped.
    case .upcE: break
    case .itf: set(ZBAR_I25, ZBAR_CFG_MIN_LEN, 6)
    case .codabar: set(ZBAR_CODABAR, ZBAR_CFG_MIN_LEN, 4)
    case .code39: set(ZBAR_CODE39, ZBAR_CFG_MIN_LEN, 4)
    case .code93: set(ZBAR_CODE93, ZBAR_CFG_MIN_LEN, 4)
    case .code128: set(ZBAR_CODE128, ZBAR_CFG_MIN_LEN, 1)
    }
    set(Self.type(of: kind), ZBAR_CFG_ENABLE, 1)
    if kind == .ean13 || kind == .upcA {
      set(ZBAR_UPCE, ZBAR_CFG_ENABLE, 1)
      // It reads a UPC-A as an EAN-13 first.
      set(ZBAR_EAN13, ZBAR_CFG_ENABLE, 1)
    }
  }

  private static func type(of kind: Symbology) -> zbar_symbol_type_t {
    switch kind {
    case .qr: ZBAR_QRCODE
    case .ean13: ZBAR_EAN13
    case .ean8: ZBAR_EAN8
    case .upcA: ZBAR_UPCA
    case .upcE: ZBAR_UPCE
    case .code128: ZBAR_CODE128
    case .code39: ZBAR_CODE39
    case .code93: ZBAR_CODE93
    case .itf: ZBAR_I25
    case .codabar: ZBAR_CODABAR
    case .dataBar: ZBAR_DATABAR
    case .dataBarExpanded: ZBAR_DATABAR_EXP
    }
  }

  /// The fewest bytes that count as a read: shorter ones are seen in pictures without a code.
  private static func minimumBytes(_ kind: Symbology) -> Int {
    switch kind {
    case .itf: 6
    case .codabar, .code39, .code93: 4
    default: 1
    }
  }

  private func take(_ symbol: OpaquePointer) -> SeenSymbol? {
    let type = zbar_symbol_get_type(symbol)
    // A part of a code that is spread over several symbols is none: zbar calls it partial, which is no kind.
    guard let kind = Symbology.allCases.first(where: { kinds.contains($0) && Self.type(of: $0) == type }),
      let data = zbar_symbol_get_data(symbol)
    else { return nil }
    let count = Int(zbar_symbol_get_data_length(symbol))
    guard (Self.minimumBytes(kind)...Self.maximumBytes).contains(count) else { return nil }
    if kind == .itf && count % 2 != 0 { return nil }
    let bytes = Array(UnsafeRawBufferPointer(start: data, count: count))
    let points = kind == .qr ? corners(symbol) : ends(symbol)
    return SeenSymbol(
      symbology: kind, identifier: Self.identifier(kind, modifiers: zbar_symbol_get_modifiers(symbol)), bytes: bytes,
      text: TextDecision.text(bytes), points: points)
  }

  /// zbar tells FNC1 in the first place and in the second, and no ECI: it has converted the text.
  private static func identifier(_ kind: Symbology, modifiers: CUnsignedInt) -> AIMIdentifier? {
    let isGS1 = modifiers & (1 << ZBAR_MOD_GS1.rawValue) != 0
    let isAIM = modifiers & (1 << ZBAR_MOD_AIM.rawValue) != 0
    switch kind {
    case .qr where isGS1: return AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "3"))
    case .qr where isAIM: return AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "5"))
    case .code128 where isGS1: return AIMIdentifier(letter: UInt8(ascii: "C"), modifier: UInt8(ascii: "1"))
    case .code128 where isAIM: return AIMIdentifier(letter: UInt8(ascii: "C"), modifier: UInt8(ascii: "2"))
    default: return kind.plainIdentifier
    }
  }

  private func point(_ symbol: OpaquePointer, _ index: CUnsignedInt) -> ViewPoint {
    ViewPoint(x: Float(zbar_symbol_get_loc_x(symbol, index)), y: Float(zbar_symbol_get_loc_y(symbol, index)))
  }

  /// zbar goes round a QR code against the clock, from the left upper corner.
  private func corners(_ symbol: OpaquePointer) -> [ViewPoint] {
    guard zbar_symbol_get_loc_size(symbol) == 4 else { return [] }
    return [0, 3, 2, 1].map { point(symbol, $0) }
  }

  /// Of bars it tells a point for each line that read them, at either end: the two farthest apart.
  private func ends(_ symbol: OpaquePointer) -> [ViewPoint] {
    let points = (0..<min(zbar_symbol_get_loc_size(symbol), 256)).map { point(symbol, $0) }
    guard let first = points.first else { return [] }
    func farthest(from place: ViewPoint) -> ViewPoint {
      func distance(_ other: ViewPoint) -> Float {
        (other.x - place.x) * (other.x - place.x) + (other.y - place.y) * (other.y - place.y)
      }
      return points.max { distance($0) < distance($1) } ?? place
    }
    let end = farthest(from: first)
    return [end, farthest(from: end)].sorted { ($0.x, $0.y) < ($1.x, $1.y) }
  }
}
