import CodeVision
import Expectations
import ScanModel
import Reading
import ScanTesting
import Testing

/// What is said of pictures in which nothing is read, tried with pictures.
@Suite struct ViewAdviceTests {
  /// "TICKET-0001", version 1 M.
  private static let code = """
    #######.#.#.#.#######
    #.....#..#....#.....#
    #.###.#.#.#.#.#.###.#
    #.###.#....#..#.###.#
    #.###.#..##.#.#.###.#
    #.....#.#.#...#.....#
    #######.#.#.#.#######
    .........#.#.........
    #.#...##...##..#..#.#
    ##.###..##...#...#.##
    #.##.###.##..#######.
    #...#....##.#....#..#
    #.#...##.##..#####.##
    ........#..#.##....#.
    #######.##.###.####..
    #.....#..###.##...##.
    #.###.#..#.#####.#..#
    #.###.#...#.....##...
    #.###.#.###...##.####
    #.....#...#.#..#.##.#
    #######.#.....##...##
    """.split(separator: "\n").map { $0.map { $0 == "#" } }

  /// A picture of 640x480 on a wall with some texture, with the code in its middle.
  private struct Scene {
    var module = 7.3
    var black = 30
    var white = 220
    var wall = 150
    var blur = 0
    var hasCode = true
    var isCut = false

    var pixels: [UInt8] {
      var random = SeededGenerator(seed: 7)
      let (width, height) = (640, 480)
      var pixels = [UInt8](repeating: 0, count: width * height)
      let side = 29 * module
      let (left, top) = ((Double(width) - side) / 2, (Double(height) - side) / 2)
      let range = white - black
      for y in 0..<height {
        for x in 0..<width {
          // Edges in the wall, which a sharp picture shows.
          var value = wall + ((x / 37 + y / 37) % 2 == 0 ? range / 5 : 0)
          let column = Int(((Double(x) - left) / module).rounded(.down)) - 4
          let row = Int(((Double(y) - top) / module).rounded(.down)) - 4
          if hasCode, (-4..<25).contains(column), (-4..<25).contains(row), !(isCut && column > 8) {
            let isBlack =
              (0..<21).contains(column) && (0..<21).contains(row) && ViewAdviceTests.code[row][column]
            value = isBlack ? black : white
          }
          pixels[y * width + x] = UInt8(max(0, min(255, value + Int.random(in: -2...2, using: &random))))
        }
      }
      for _ in 0..<blur { pixels = Self.smeared(pixels, width, height) }
      return pixels
    }

    /// The mean of 9x9 pixels.
    private static func smeared(_ pixels: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
      func pass(_ pixels: [UInt8], _ count: Int, _ length: Int, _ step: Int, _ other: Int) -> [UInt8] {
        var result = pixels
        for line in 0..<count {
          for place in 4..<(length - 4) {
            var sum = 0
            for near in -4...4 { sum += Int(pixels[line * other + (place + near) * step]) }
            result[line * other + place * step] = UInt8(sum / 9)
          }
        }
        return result
      }
      return pass(pass(pixels, height, width, 1, width), width, height, width, 1)
    }
  }

  private func advice(_ scene: Scene) throws -> [ViewAdvice]? {
    let pixels = scene.pixels
    return try pixels.withUnsafeBufferPointer { buffer in
      let image = try #require(GreyImage(buffer, width: 640, height: 480, stride: 640))
      let reading = CodeReader(VisionSettings()).read(picture: image)
      return reading.symbols.isEmpty ? ViewAdvice.of([reading.quality]) : nil
    }
  }

  @Test func aGoodPictureIsRead() throws {
    expect(try advice(Scene()) == nil)
  }

  @Test func lightIsJudgedFirst() throws {
    try expectEqual(advice(Scene(black: 2, white: 4, wall: 3))?.first, .tooDark)
    try expectEqual(advice(Scene(black: 246, white: 252, wall: 250))?.first, .tooBright)
    try expectEqual(advice(Scene(black: 118, white: 124, wall: 120))?.first, .flat)
  }

  @Test func blurIsTold() throws {
    try expectEqual(advice(Scene(blur: 3))?.first, .blurred)
  }

  @Test func whatIsMissingIsTold() throws {
    try expectEqual(advice(Scene(hasCode: false)), [.noCode])
    try expectEqual(advice(Scene(isCut: true)), [.partial])
    expect(try advice(Scene(module: 0.8))?.last != .partial)
  }

  @Test func theBestOfSeveralPicturesCounts() {
    let dark = ViewQuality(brightness: 10, contrast: 10, sharpness: 0)
    let good = ViewQuality(brightness: 120, contrast: 150, sharpness: 0.8, finders: 3, modulePixels: 1.5)
    expectEqual(ViewAdvice.of([dark, good]), [.tooSmall])
    expectEqual(ViewAdvice.of([dark]), [.tooDark, .noCode])
    expect(ViewAdvice.of([]).isEmpty)
    expectEqual(Set(ViewAdvice.allCases.map(\.words)).count, ViewAdvice.allCases.count)
  }
}
