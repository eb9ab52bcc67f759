import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import CodeVision

@Suite struct LinearPassTests {
  private func read(_ picture: BarPicture, _ kinds: SymbologySet = .linear) -> [SeenSymbol] {
    let pass = LinearPass(kinds)
    return picture.withImage { image in
      let seen = pass.read(image, effort: .patient)
      return seen.isEmpty ? pass.read(image, effort: .rest) : seen
    } ?? []
  }

  @Test(arguments: [0, 7, 30, 45, 62, 90, 135, 180, 250] as [Float])
  func barsAreReadWhateverTheirAngle(_ degrees: Float) throws {
    var picture = BarPicture(width: 360, height: 360)
    picture.draw(Bars.ean13("4006381333931"), degrees: degrees)
    picture.addNoise(6, seed: 1)
    let symbol = try #require(read(picture).first)
    expectEqual(symbol.symbology, .ean13)
    expectEqual(symbol.text, "4006381333931")
    expectEqual(symbol.identifier, AIMIdentifier(letter: UInt8(ascii: "E"), modifier: UInt8(ascii: "0")))
    // The two ends are some 240 pixels apart, and the middle of the picture is between them.
    try #require(symbol.points.count == 2)
    let middle = (symbol.points[0].x + symbol.points[1].x, symbol.points[0].y + symbol.points[1].y)
    expect(abs(middle.0 / 2 - 180) < 30 && abs(middle.1 / 2 - 180) < 30)
  }

  @Test func otherKindsAreRead() {
    var picture = BarPicture()
    picture.draw(Bars.code128("SG-2041"), degrees: 12)
    expectEqual(read(picture).map(\.text), ["SG-2041"])
    picture = BarPicture()
    picture.draw(Bars.ean8("96385074"), module: 3, degrees: -20)
    expectEqual(read(picture).map { "\($0.symbology) \($0.text)" }, ["ean8 96385074"])
  }

  @Test func blurAndNoiseAreBorne() {
    var picture = BarPicture()
    picture.draw(Bars.ean13("9780804816632"), module: 3, degrees: 5, ink: 70, paper: 170)
    picture.blur(times: 2)
    picture.addNoise(14, seed: 2)
    expectEqual(read(picture).map(\.text), ["9780804816632"])
  }

  @Test(arguments: [-0.45, -0.3, 0.3, 0.45] as [Float])
  func inkThatSpreadDoesNotChangeDigits(_ spread: Float) {
    // 1 and 7, 2 and 8 differ in nothing but how wide their bars are together.
    for text in ["7112782178129", "2817712817713"] {
      var picture = BarPicture()
      picture.draw(Bars.ean13(Self.checked(text)), spread: spread)
      picture.blur()
      expectEqual(read(picture).map(\.text), [Self.checked(text)])
    }
  }

  @Test func wideBarsAreReadAtASmallerSize() {
    var picture = BarPicture(width: 1_200, height: 300)
    picture.draw(Bars.ean8("96385074"), module: 15, tall: 200)
    expectEqual(read(picture).map(\.text), ["96385074"])
  }

  @Test func upcIsToldAsWhatIsWanted() {
    var picture = BarPicture()
    picture.draw(Bars.ean13("0036602301467"))
    expectEqual(read(picture, SymbologySet([.ean13])).map(\.text), ["0036602301467"])
    expectEqual(read(picture, SymbologySet([.upcA])).map { "\($0.symbology) \($0.text)" }, ["upcA 036602301467"])
    expectEqual(read(picture, SymbologySet([.ean13, .upcA])).map(\.symbology), [.upcA])
    expect(read(picture, SymbologySet([.code128])).isEmpty)
    expect(read(picture, .qr).isEmpty)
  }

  @Test func aPartOfThePictureIsSearchedInItsOwnPlace() throws {
    var picture = BarPicture(width: 640, height: 300)
    picture.draw(Bars.ean13("4006381333931"), at: (480, 150), module: 2)
    let pass = LinearPass(.linear)
    let (right, left) = try #require(
      picture.withImage { image in
        (
          pass.read(image, effort: .patient, region: PixelRect(x: 320, y: 40, width: 400, height: 400)),
          pass.read(image, effort: .patient, region: PixelRect(x: -50, y: 0, width: 300, height: 300))
        )
      })
    expect(left.isEmpty)
    let symbol = try #require(right.first)
    expect(symbol.points.allSatisfy { (300...640).contains($0.x) && (100...200).contains($0.y) })
  }

  @Test func nothingIsReadFromNoiseAndStripes() {
    for seed in UInt64(1)...6 {
      var picture = BarPicture(width: 320, height: 200)
      var generator = SeededGenerator(seed: seed)
      let stripes = (0..<40).map { _ in Float.random(in: 0.5...4, using: &generator) }
      picture.draw(stripes, degrees: Float(seed) * 17)
      picture.addNoise(Int(seed) * 10, seed: seed)
      expect(read(picture).isEmpty)
    }
  }

  /// Whatever the pixels, the size and the stride are, reading ends and reads nothing beyond the picture.
  @Test func anyPixelsAreBorne() {
    var generator = SeededGenerator(seed: 77)
    let pass = LinearPass(.linear)
    for round in 0..<60 {
      let width = Int.random(in: 1...(round % 10 == 0 ? 300 : 90), using: &generator)
      let height = Int.random(in: 1...70, using: &generator)
      let stride = width + Int.random(in: 0...9, using: &generator)
      // Exactly as long as it has to be: a sanitizer sees what reads on.
      let count = stride * (height - 1) + width
      let period = Int.random(in: 1...9, using: &generator)
      var pixels = (0..<count).map { UInt8(truncatingIfNeeded: ($0 % stride) / period % 2 * 255) }
      for _ in 0..<count / 8 {
        pixels[Int.random(in: 0..<count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      pixels.withUnsafeBufferPointer { buffer in
        guard let image = GreyImage(buffer, width: width, height: height, stride: stride) else { return }
        _ = pass.read(image, effort: .patient)
        _ = pass.read(image, effort: .rest)
        _ = pass.read(
          image, effort: .glance(.half), region: PixelRect(x: -5, y: 3, width: 40, height: .max))
      }
    }
  }

  @Test func linesThatDisagreeTellNothing() {
    var votes = LinearVotes()
    func symbol(_ kind: Symbology, _ text: String) -> SeenSymbol {
      SeenSymbol(symbology: kind, bytes: Array(text.utf8), text: text)
    }
    votes.add(symbol(.ean13, "4006381333931"), lines: 2)
    expect(votes.winners.isEmpty)
    votes.add(symbol(.ean13, "4006381333931"), lines: 2)
    expectEqual(votes.winners.map(\.text), ["4006381333931"])
    votes.add(symbol(.upcE, "01264904"), lines: 3)
    expect(votes.winners.isEmpty)
    // Another family in the same place is no rival.
    votes.add(symbol(.code128, "A"), lines: 9)
    expectEqual(votes.winners.map(\.text), ["A"])
  }

  private static func checked(_ text: String) -> String {
    let digits = text.prefix(12).compactMap(\.wholeNumberValue)
    let sum = digits.enumerated().reduce(0) { $0 + ($1.offset % 2 == 0 ? $1.element : 3 * $1.element) }
    return String(text.prefix(12)) + String((10 - sum % 10) % 10)
  }
}
