import Expectations
import Testing

@testable import CodeVision

/// Numbers of ISO/IEC 18004, annexes D and E.
@Suite struct SymbolVersionTests {
  @Test(arguments: [
    (1, []), (2, [6, 18]), (7, [6, 22, 38]), (14, [6, 26, 46, 66]), (22, [6, 26, 50, 74, 98]),
    (32, [6, 34, 60, 86, 112, 138]), (40, [6, 30, 58, 86, 114, 142, 170]),
  ])
  func alignmentPatternsAreInTheirPlaces(_ number: Int, _ places: [Int]) {
    expectEqual(SymbolVersion(number: number).alignment, places)
  }

  @Test func versionBitsAreCorrected() {
    expectEqual(SymbolVersion(number: 7).bits, 0x07C94)
    expectEqual(SymbolVersion(number: 40).bits, 0x28C69)
    for number in 7...40 {
      let bits = SymbolVersion(number: number).bits
      expectEqual(SymbolVersion(bits: bits ^ 0b1_0000_1000_0000_0001)?.number, number)
    }
    expect(SymbolVersion(bits: 0) == nil)
  }

  @Test func sizesAreRounded() {
    expectEqual(SymbolVersion(nearest: 21).number, 1)
    expectEqual(SymbolVersion(nearest: 24.9).number, 2)
    expectEqual(SymbolVersion(nearest: 177).number, 40)
    expectEqual(SymbolVersion(nearest: .infinity).number, 1)
    expectEqual(SymbolVersion(nearest: -5).number, 1)
    expectEqual(SymbolVersion(nearest: 100_000).number, 40)
  }

  @Test func whatIsFixedIsWhatADrawnSymbolHas() throws {
    for name in ["small", "middle", "large"] {
      let symbol = try TestPicture(name)
      let version = SymbolVersion(nearest: Float(symbol.width))
      expectEqual(version.side, symbol.width)
      var count = 0
      for row in 0..<version.side {
        for column in 0..<version.side {
          guard let isBlack = version.fixed(column: column, row: row) else { continue }
          count += 1
          expectEqual(isBlack, (symbol.pixels[row * symbol.width + column] < 128), "\(name) \(column) \(row)")
        }
      }
      expect(count > 200)
    }
  }
}
