import Expectations
import ScanModel
import Testing

@testable import CodeVision

@Suite struct ZBarScannerTests {
  /// The bars of thirteen digits (ISO/IEC 15420), in pixels of three a module.
  private func ean13(_ digits: [Int]) -> TestPicture {
    let left = [
      "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011",
    ]
    let parity = ["000000", "001011", "001101", "001110", "010011", "011001", "011100", "010101", "010110", "011010"]
    let odd = left.map { Array($0).map { $0 == "1" } }
    let right = odd.map { $0.map { !$0 } }
    let even = right.map { Array($0.reversed()) }
    var modules = [true, false, true]
    for (index, sign) in parity[digits[0]].enumerated() { modules += (sign == "0" ? odd : even)[digits[index + 1]] }
    modules += [false, true, false, true, false]
    for digit in digits[7...] { modules += right[digit] }
    modules += [true, false, true]
    return bars(modules)
  }

  /// The bars of Interleaved 2 of 5 (ISO/IEC 16390): pairs of digits.
  private func itf(_ digits: [Int]) -> TestPicture {
    let wide = ["00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010"]
      .map { Array($0).map { $0 == "1" } }
    var modules = [true, false, true, false]
    for pair in stride(from: 0, to: digits.count - 1, by: 2) {
      for index in 0..<5 {
        modules += [Bool](repeating: true, count: wide[digits[pair]][index] ? 3 : 1)
        modules += [Bool](repeating: false, count: wide[digits[pair + 1]][index] ? 3 : 1)
      }
    }
    return bars(modules + [true, true, true, false, true])
  }

  private func bars(_ modules: [Bool]) -> TestPicture {
    var picture = TestPicture(width: modules.count * 3 + 90, height: 60)
    for (index, isBlack) in modules.enumerated() where isBlack {
      for row in 5..<55 {
        for column in 0..<3 { picture.pixels[row * picture.width + 45 + index * 3 + column] = 0 }
      }
    }
    return picture
  }

  private func scan(_ picture: TestPicture, _ kinds: [Symbology]) throws -> [SeenSymbol] {
    let scanner = try #require(ZBarScanner(SymbologySet(kinds)))
    return picture.withGrey { scanner.scan($0) }
  }

  private let book = [9, 7, 8, 0, 2, 0, 1, 3, 7, 9, 6, 2, 4]
  private let can = [0, 0, 3, 6, 0, 0, 0, 2, 9, 1, 4, 5, 2]

  @Test func ean13IsReadWithItsEnds() throws {
    let symbols = try scan(ean13(book), [.ean13])
    expectEqual(symbols.map(\.text), ["9780201379624"])
    let points = try #require(symbols.first?.points)
    expectEqual(points.count, 2)
    expect(abs(points[1].x - points[0].x) > 200)
  }

  @Test func upcAIsOneOnlyWhereItIsWanted() throws {
    try expectEqual(scan(ean13(can), [.ean13]).map(\.text), ["0036000291452"])
    let both = try scan(ean13(can), [.ean13, .upcA])
    expectEqual(both.map(\.text), ["036000291452"])
    expectEqual(both.first?.symbology, .upcA)
    try expectEqual(scan(ean13(can), [.upcA]).map(\.text), ["036000291452"])
    expect(try scan(ean13(book), [.upcA]).isEmpty)
  }

  @Test func whatIsNotWantedIsNotRead() throws {
    expect(try scan(ean13(book), [.code128, .qr]).isEmpty)
    expect(try scan(ean13(book), []).isEmpty)
  }

  @Test func shortBarsAreNotBelieved() throws {
    expect(try scan(itf([1, 2, 3, 4]), [.itf]).isEmpty)
    try expectEqual(scan(itf([1, 2, 3, 4, 5, 6]), [.itf]).map(\.text), ["123456"])
  }

  @Test func densitiesChooseTheDirection() throws {
    let picture = ean13(book)
    let across = try #require(ZBarScanner(SymbologySet([Symbology.ean13]), xDensity: 0, yDensity: 1))
    let down = try #require(ZBarScanner(SymbologySet([Symbology.ean13]), xDensity: 1, yDensity: 0))
    expectEqual(picture.withGrey { across.scan($0) }.count, 1)
    expect(picture.withGrey { down.scan($0) }.isEmpty)
  }

  @Test func aCropIsPacked() throws {
    let bars = ean13(book)
    var picture = TestPicture(width: bars.width + 37, height: bars.height + 20, grey: 0)
    for row in 0..<bars.height {
      for column in 0..<bars.width {
        picture.pixels[(row + 9) * picture.width + column + 21] = bars.pixels[row * bars.width + column]
      }
    }
    let scanner = try #require(ZBarScanner(SymbologySet([Symbology.ean13])))
    let part = PixelRect(x: 21, y: 9, width: bars.width, height: bars.height)
    let symbols = try picture.withGrey { scanner.scan(try #require($0.cropped(to: part))) }
    expectEqual(symbols.map(\.text), ["9780201379624"])
  }

  @Test func binaryIsExact() throws {
    // The scanner of QR codes is used for many pictures: nothing of one is in the next.
    let scanner = try #require(ZBarScanner(.qr))
    var picture = TestPicture(width: 200, height: 200)
    let symbol = try TestPicture("small")
    picture.paint(symbol: symbol) { x, y in ((x - 30) / 4, (y - 30) / 4) }
    for _ in 0..<3 {
      expectEqual(picture.withGrey { scanner.scan($0) }.map(\.bytes), [Array(try TestPicture.text("small").utf8)])
      expect(TestPicture(width: 200, height: 200).withGrey { scanner.scan($0) }.isEmpty)
    }
  }
}
