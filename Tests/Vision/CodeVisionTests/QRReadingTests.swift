import Expectations
import Glibc
import ScanModel
import Testing

@testable import CodeVision

@Suite struct QRReadingTests {
  private func read(_ picture: TestPicture, _ stages: VisionStages = .all) -> [SeenSymbol] {
    let reader = CodeReader(VisionSettings(kinds: .qr, stages: stages))
    return picture.withGrey { reader.read(picture: $0).symbols }
  }

  /// A symbol turned by an angle in degrees, modules of this size, in the middle of a picture.
  private func turned(
    _ name: String, degrees: Double, module: Float, side: Int = 400, depth: Float = 0, black: Float = 20,
    white: Float = 230, isMirrored: Bool = false
  ) throws -> TestPicture {
    let symbol = try TestPicture(name)
    var picture = TestPicture(width: side, height: side, grey: 120)
    let angle = degrees * .pi / 180
    let (c, s) = (Float(cos(angle)), Float(sin(angle)))
    let middle = Float(symbol.width) / 2
    picture.paint(symbol: symbol, black: black, white: white) { x, y in
      let (dx, dy) = ((x - Float(side) / 2) / module, (y - Float(side) / 2) / module)
      // What is farther to the right is farther away.
      let scale = 1 / (1 - depth * dx / Float(symbol.width))
      let (u, v) = ((dx * c + dy * s) * scale, (dy * c - dx * s) * scale)
      return isMirrored ? (middle + v, middle + u) : (middle + u, middle + v)
    }
    return picture
  }

  @Test(arguments: ["small", "middle", "large"]) func sizesAreRead(_ name: String) throws {
    let symbols = read(try turned(name, degrees: 0, module: 3, side: 420))
    expectEqual(symbols.map(\.text), [try TestPicture.text(name)])
    expectEqual(symbols.first?.symbology, .qr)
    expectEqual(symbols.first?.identifier?.description, "]Q1")
  }

  @Test(arguments: (0..<24).map { Double($0) * 15 }) func turnedCodesAreRead(_ degrees: Double) throws {
    let symbols = read(try turned("small", degrees: degrees, module: 4))
    expectEqual(symbols.map(\.text), [try TestPicture.text("small")], "\(degrees) degrees")
  }

  @Test func theCornersAreWhereTheyAre() throws {
    let picture = try turned("small", degrees: 0, module: 4)
    let half = Float(try TestPicture("small").width) * 2
    let corners = try #require(read(picture).first?.points)
    let expected = [(-half, -half), (half, -half), (half, half), (-half, half)].map { (200 + $0.0, 200 + $0.1) }
    expectEqual(corners.count, 4)
    for (corner, (x, y)) in zip(corners, expected) {
      expect(abs(corner.x - x) < 2 && abs(corner.y - y) < 2, "\(corner) instead of \(x), \(y)")
    }
  }

  @Test func perspectiveIsReadBecauseOfTheEdgesAndTheAlignment() throws {
    for degrees in [0.0, 35, 80] {
      let picture = try turned("middle", degrees: degrees, module: 4, side: 500, depth: 0.35)
      expectEqual(read(picture).map(\.text), [try TestPicture.text("middle")], "\(degrees) degrees")
    }
  }

  @Test func lightOnDarkNeedsItsStage() throws {
    let picture = try turned("small", degrees: 20, module: 4, black: 230, white: 20)
    let text = try TestPicture.text("small")
    expectEqual(read(picture).map(\.text), [text])
    expect(read(picture, .all.subtracting([.inverted])).isEmpty)
  }

  @Test func mirroredCodesAreRead() throws {
    let picture = try turned("small", degrees: 20, module: 4, isMirrored: true)
    let text = try TestPicture.text("small")
    expectEqual(read(picture).map(\.text), [text])
  }

  @Test func noiseAndBlurAreBorne() throws {
    for seed in UInt64(1)...5 {
      var picture = try turned("small", degrees: Double(seed) * 23, module: 5)
      picture.blur(2)
      picture.addNoise(24, seed: seed)
      expectEqual(read(picture).map(\.text), [try TestPicture.text("small")], "seed \(seed)")
    }
  }

  @Test(arguments: ["paper", "cloth", "label"]) func photographsAreRead(_ name: String) throws {
    expectEqual(read(try TestPicture(name)).map(\.text), [try TestPicture.text(name)])
  }

  @Test func clothNeedsToBeBent() throws {
    expect(read(try TestPicture("cloth"), .all.subtracting([.bending, .fallback])).isEmpty)
  }

  @Test func withoutFindersItIsZBarAlone() throws {
    let picture = try turned("small", degrees: 0, module: 4)
    expectEqual(read(picture, []).map(\.text), [try TestPicture.text("small")])
  }

  @Test func severalCodesAreReadAndEachOnce() throws {
    let names = ["small", "middle", "small"]
    var picture = TestPicture(width: 640, height: 300, grey: 140)
    for (index, name) in names.enumerated() {
      let symbol = try TestPicture(name)
      picture.paint(symbol: symbol) { x, y in ((x - 30 - Float(index) * 210) / 3, (y - 40) / 3) }
    }
    let texts = read(picture).map(\.text).sorted()
    expectEqual(texts, [try TestPicture.text("middle"), try TestPicture.text("small")].sorted())
  }

  @Test func theQualityIsTold() throws {
    let reader = CodeReader(VisionSettings())
    let reading = try turned("small", degrees: 0, module: 4).withGrey { reader.read(picture: $0) }
    expectEqual(reading.quality.finders, 3)
    expect(abs(reading.quality.modulePixels - 4) < 0.3)
    expect(reading.quality.sharpness > 0.7)
    expectEqual(reading.quality.contrast, 110)
    var soft = try turned("small", degrees: 0, module: 4)
    soft.blur(3)
    expect(soft.withGrey { reader.read(picture: $0).quality.sharpness } < 0.4)
  }

  @Test func whatIsSeenIsDrawn() throws {
    let picture = try turned("small", degrees: 0, module: 4)
    let reader = CodeReader(VisionSettings())
    let (reading, canvas) = picture.withGrey { reader.explain(picture: $0) }
    expectEqual(reading.symbols.count, 1)
    let drawn = try #require(canvas)
    expectEqual(drawn.rgb.count, 3 * drawn.width * drawn.height)
    expect(drawn.rgb != picture.pixels.flatMap { [$0, $0, $0] })
  }
}
