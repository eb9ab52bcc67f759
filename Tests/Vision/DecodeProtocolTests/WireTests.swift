import DecodeProtocol
import Expectations
import ScanModel
import ScanTesting
import Testing
import WireCoding

/// Messages that a seed repeats.
struct RandomMessages {
  private static let letters = Array("abc019 üß漢\u{0}\n😀")

  var generator: SeededGenerator

  init(seed: Int) { generator = SeededGenerator(seed: UInt64(seed)) }

  mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }
  mutating func number<Number: FixedWidthInteger & UnsignedInteger>() -> Number {
    pick([.min, .max, .random(in: .min ... .max, using: &generator)])
  }
  mutating func float() -> Float { pick([0, -1.5, 1e30, Float(below(1_000)) / 7]) }
  mutating func text(_ longest: Int) -> String {
    String((0..<below(longest)).map { _ in pick(Self.letters) })
  }

  mutating func settings() -> DecodeSettings {
    DecodeSettings(
      kinds: SymbologySet(rawValue: number()), stages: number(), mode: pick(DecodeSettings.Mode.allCases))
  }

  mutating func request() -> DecodeRequest {
    switch below(3) {
    case 0: .settings(version: number(), settings())
    case 1:
      .frame(
        number: number(),
        FrameLayout(
          format: PixelFormat(rawValue: number()), width: number(), height: number(), stride: number(),
          byteCount: number(), isShown: below(2) == 0))
    default:
      .picture(
        number: number(),
        PictureLayout(byteCount: number(), frame: number(), purpose: pick(PictureLayout.Purpose.allCases)))
    }
  }

  mutating func symbol(longest: Int = 40) -> SeenSymbol {
    SeenSymbol(
      symbology: pick(Symbology.allCases),
      identifier: pick([nil, AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "3"))]),
      bytes: (0..<below(longest)).map { _ in number() }, text: text(longest),
      points: (0..<below(6)).map { _ in ViewPoint(x: float(), y: float()) })
  }

  mutating func answer() -> DecodeAnswer {
    switch below(5) {
    case 2: return .shown(number: number(), ShownSize(width: number(), height: number()))
    case 0: return .fenced(version: number())
    case 1: return .spoilt(number: number(), PictureFault(pick(PictureFault.Kind.allCases), text(40)))
    default:
      let reading = ViewReading(
        symbols: (0..<below(5)).map { _ in symbol() }, isStill: below(2) == 0,
        quality: ViewQuality(
          brightness: float(), contrast: float(), sharpness: float(), finders: below(9), modulePixels: float()),
        decodeTime: number())
      return .result(
        number: number(),
        DecodeResult(
          reading: reading, width: number(), height: number(), omitted: number(), isVideo: below(2) == 0,
          hasMore: below(2) == 0,
          explanationBytes: number()))
    }
  }

  mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(4) {
      let byte: UInt8 = pick([0, 1, 0x7F, 0x80, 0xFF, number()])
      switch below(4) {
      case 0 where !bytes.isEmpty: bytes[below(bytes.count)] = byte
      case 1 where !bytes.isEmpty: bytes.remove(at: below(bytes.count))
      case 2: bytes.insert(byte, at: below(bytes.count + 1))
      default: bytes = Array(bytes.prefix(below(bytes.count + 1)))
      }
    }
    return bytes
  }
}

@Suite struct WireTests {
  @Test(arguments: 0..<100) func whatIsSentArrives(seed: Int) throws {
    var random = RandomMessages(seed: seed)
    for _ in 0..<20 {
      let request = random.request()
      try expectEqual(DecodeRequest(bytes: request.bytes), request, "seed \(seed)")
      let answer = random.answer()
      try expectEqual(DecodeAnswer(bytes: answer.bytes), answer, "seed \(seed)")
    }
  }

  /// A frame that somebody wants to see, byte by byte.
  @Test func aShownFrameIsWrittenSo() throws {
    let layout = FrameLayout(format: .grey, width: 1_280, height: 720, stride: 1_280, byteCount: 921_600, isShown: true)
    let asked: [UInt8] =
      [2, 5, 0, 0, 0, 0, 0, 0, 0] + Array("GREY".utf8) + [0, 5, 0, 0, 0xD0, 2, 0, 0, 0, 5, 0, 0, 0, 0x10, 0x0E, 0, 1]
    expectEqual(DecodeRequest.frame(number: 5, layout).bytes, asked)
    try expectEqual(DecodeRequest(bytes: asked), .frame(number: 5, layout))
    #expect(throws: WireError.self) { try DecodeRequest(bytes: asked.dropLast() + [2]) }
    let told: [UInt8] = [4, 5, 0, 0, 0, 0, 0, 0, 0, 0x80, 2, 0x68, 1]
    expectEqual(DecodeAnswer.shown(number: 5, ShownSize(width: 640, height: 360)).bytes, told)
    try expectEqual(DecodeAnswer(bytes: told), .shown(number: 5, ShownSize(width: 640, height: 360)))
    #expect(throws: WireError.self) { try DecodeAnswer(bytes: told + [0]) }
  }

  /// No side over 640, the shape of the frame, and something of each.
  @Test func shownSizesAreBounded() {
    for (width, height, shown) in [
      (1_280, 720, (640, 360)), (640, 480, (640, 480)), (1, 1, (1, 1)), (641, 1, (640, 1)), (10_000, 3, (640, 1)),
      (720, 1_280, (360, 640)), (Int(Int32.max), Int(Int32.max), (640, 640)),
    ] {
      expectEqual(
        ShownSize(ofFrame: width, height), ShownSize(width: UInt16(shown.0), height: UInt16(shown.1)), "\(width)")
    }
    for (width, height) in [(0, 1), (1, 0), (-1, 5), (Int.max, 1), (1, Int.max)] {
      expect(ShownSize(ofFrame: width, height) == nil)
    }
  }

  /// Random bytes and damaged packets are refused, or are messages that are written the same again.
  @Test(arguments: 0..<200) func whateverComesIsRefusedOrRead(seed: Int) throws {
    var random = RandomMessages(seed: seed &+ 50_000)
    for _ in 0..<40 {
      for bytes in [random.mutate(random.request().bytes), (0..<random.below(60)).map { _ in random.number() }] {
        guard let request = try? DecodeRequest(bytes: bytes) else { continue }
        expectEqual(request.bytes, bytes, "seed \(seed)")
      }
      for bytes in [random.mutate(random.answer().bytes), (0..<random.below(60)).map { _ in random.number() }] {
        guard let answer = try? DecodeAnswer(bytes: bytes) else { continue }
        try expectEqual(DecodeAnswer(bytes: answer.bytes), answer, "seed \(seed)")
      }
    }
  }

  /// The most that a picture can hold: what does not fit is left out and counted, and the packet is still one.
  @Test func whatDoesNotFitIsCounted() throws {
    let long = SeenSymbol(
      symbology: .qr, bytes: Array(repeating: 0, count: DecodeLimits.maximumSymbolBytes),
      text: String(repeating: "😀", count: DecodeLimits.maximumSymbolBytes))
    let short = SeenSymbol(symbology: .ean8, bytes: [48], text: "0")
    for symbols in [Array(repeating: long, count: 64), Array(repeating: short, count: 100)] {
      let bytes = DecodeAnswer.result(number: 7, DecodeResult(reading: ViewReading(symbols: symbols))).bytes
      expect(bytes.count <= DecodeLimits.maximumPacket)
      guard case .result(7, let result) = try DecodeAnswer(bytes: bytes) else {
        Issue.record("no result")
        continue
      }
      expect(result.reading.symbols.count + Int(result.omitted) == symbols.count && result.omitted > 0)
      expectEqual(result.reading.symbols, Array(symbols.prefix(result.reading.symbols.count)))
    }
    let tooLong = SeenSymbol(symbology: .qr, bytes: Array(repeating: 0, count: 7_090), text: "")
    let bytes = DecodeAnswer.result(number: 7, DecodeResult(reading: ViewReading(symbols: [tooLong]))).bytes
    try expectEqual(DecodeAnswer(bytes: bytes), .result(number: 7, DecodeResult(reading: ViewReading(), omitted: 1)))
  }

  @Test func aNumberThatIsNoneIsRefused() throws {
    for number in [Float.nan, .infinity, -.infinity] {
      let reading = ViewReading(quality: ViewQuality(brightness: number))
      #expect(throws: WireError.self) {
        _ = try DecodeAnswer(bytes: DecodeAnswer.result(number: 1, DecodeResult(reading: reading)).bytes)
      }
    }
  }

  @Test func aFramesNumbersAreChecked() {
    let good = FrameLayout(format: .grey, width: 640, height: 480, stride: 640, byteCount: 307_200)
    expect(good.problem == nil)
    var layout = good
    layout.width = 0
    expectEqual(layout.problem?.kind, .empty)
    layout = good
    layout.width = .max
    layout.height = .max
    expectEqual(layout.problem?.kind, .tooLarge)
    layout = good
    layout.byteCount = .max
    expectEqual(layout.problem?.kind, .tooLarge)
  }
}
