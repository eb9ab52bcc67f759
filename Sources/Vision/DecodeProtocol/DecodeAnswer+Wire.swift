import ScanModel
package import WireCoding

extension DecodeAnswer {
  /// The packet, never longer than `DecodeLimits.maximumPacket`: symbols that do not fit are left out and counted.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .fenced(let version): writer.put(1 as UInt8, version)
    case .result(let number, let result):
      writer.put(2 as UInt8, number)
      writer.put(result)
    case .shown(let number, let size): writer.put(4 as UInt8, number, size.width, size.height)
    case .spoilt(let number, let fault):
      writer.put(3 as UInt8, number, fault.kind.rawValue)
      writer.put(fault.words, limit: DecodeLimits.maximumWords)
    }
    return writer.bytes
  }

  /// Reads a packet.
  /// - Throws: what is wrong with it.
  package init(bytes: some Collection<UInt8>) throws(WireError) {
    guard bytes.count <= DecodeLimits.maximumPacket else { throw WireError("a packet of \(bytes.count) bytes") }
    var reader = WireReader(bytes)
    switch try reader.take(UInt8.self) {
    case 1: self = .fenced(version: try reader.take())
    case 2: self = .result(number: try reader.take(), try reader.takeResult())
    case 3:
      let number = try reader.take(UInt64.self)
      guard let kind = PictureFault.Kind(rawValue: try reader.take()) else { throw WireError("an unknown fault") }
      self = .spoilt(
        number: number, PictureFault(kind, try reader.takeText(limit: DecodeLimits.maximumWords)))
    case 4: self = .shown(number: try reader.take(), ShownSize(width: try reader.take(), height: try reader.take()))
    case let type: throw WireError("an answer of unknown type \(type)")
    }
    try reader.end()
  }
}

extension WireWriter {
  fileprivate mutating func put(_ result: DecodeResult) {
    // Those that fit, from the first on.
    var room = DecodeLimits.maximumPacket - 128
    let symbols = result.reading.symbols.prefix(DecodeLimits.maximumSymbols).prefix { symbol in
      room -= symbol.largestSize
      return room >= 0 && symbol.isWithinLimits
    }
    let left = result.reading.symbols.count - symbols.count
    put(UInt16(clamping: Int(result.omitted) + left))
    put(result.width, result.height, result.isVideo, result.hasMore, result.explanationBytes, result.reading.isStill)
    put(result.reading.decodeTime)
    let quality = result.reading.quality
    put(quality.brightness.bitPattern, quality.contrast.bitPattern, quality.sharpness.bitPattern)
    put(quality.modulePixels.bitPattern)
    put(UInt32(clamping: quality.finders))
    putList(symbols) { $0.put($1) }
  }

  private mutating func put(_ symbol: SeenSymbol) {
    put(UInt8(truncatingIfNeeded: Symbology.allCases.firstIndex(of: symbol.symbology) ?? 0))
    put(symbol.identifier?.letter ?? 0, symbol.identifier?.modifier ?? 0)
    put(bytes: symbol.bytes)
    put(symbol.text, limit: DecodeLimits.maximumSymbolText)
    putList(symbol.points.prefix(DecodeLimits.maximumPoints)) {
      $0.put($1.x.bitPattern, $1.y.bitPattern)
    }
  }
}

extension SeenSymbol {
  fileprivate var largestSize: Int {
    9 + bytes.count + text.utf8.count + 8 * min(points.count, DecodeLimits.maximumPoints)
  }

  fileprivate var isWithinLimits: Bool {
    bytes.count <= DecodeLimits.maximumSymbolBytes && text.utf8.count <= DecodeLimits.maximumSymbolText
  }
}

extension WireReader {
  fileprivate mutating func takeResult() throws(WireError) -> DecodeResult {
    var result = DecodeResult(reading: ViewReading())
    result.omitted = try take()
    result.width = try take()
    result.height = try take()
    result.isVideo = try takeFlag()
    result.hasMore = try takeFlag()
    result.explanationBytes = try take()
    result.reading.isStill = try takeFlag()
    result.reading.decodeTime = try take()
    result.reading.quality = ViewQuality(
      brightness: try takeFloat(), contrast: try takeFloat(), sharpness: try takeFloat())
    result.reading.quality.modulePixels = try takeFloat()
    result.reading.quality.finders = Int(try take(UInt32.self))
    result.reading.symbols = try takeList(limit: DecodeLimits.maximumSymbols) { (reader) throws(WireError) in
      try reader.takeSymbol()
    }
    return result
  }

  private mutating func takeSymbol() throws(WireError) -> SeenSymbol {
    let kind = Int(try take(UInt8.self))
    guard kind < Symbology.allCases.count else { throw WireError("an unknown kind of code") }
    let (letter, modifier) = (try take(UInt8.self), try take(UInt8.self))
    let identifier = AIMIdentifier(letter: letter, modifier: modifier)
    guard identifier != nil || (letter == 0 && modifier == 0) else { throw WireError("an AIM identifier that is none") }
    return SeenSymbol(
      symbology: Symbology.allCases[kind], identifier: identifier,
      bytes: try takeBytes(limit: DecodeLimits.maximumSymbolBytes),
      text: try takeText(limit: DecodeLimits.maximumSymbolText),
      points: try takeList(limit: DecodeLimits.maximumPoints) { (reader) throws(WireError) in
        ViewPoint(x: try reader.takeFloat(), y: try reader.takeFloat())
      })
  }

  /// A number: neither infinite nor none.
  private mutating func takeFloat() throws(WireError) -> Float {
    let number = Float(bitPattern: try take())
    guard number.isFinite else { throw WireError("a number is none") }
    return number
  }
}
