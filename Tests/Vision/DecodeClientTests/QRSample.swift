/// A QR code of version 1, drawn: it says "gate 7 ü".
enum QRSample {
  static let text = "gate 7 ü"

  private static let modules = """
    #######.#.###.#######
    #.....#...##..#.....#
    #.###.#.##.#..#.###.#
    #.###.#.##..#.#.###.#
    #.###.#.#..#..#.###.#
    #.....#..####.#.....#
    #######.#.#.#.#######
    ...........##........
    ####..#.######..###.#
    .#.###..#..##..#..#.#
    .###.###..##.#.##..##
    #.#.##..#..#.##.##..#
    ..###.##.#..####.#.#.
    ........#.##.#..#....
    #######..#####..#....
    #.....#..##.....####.
    #.###.#...#.#.##.##..
    #.###.#.##.#..##.#.#.
    #.###.#.#...#.##.##..
    #.....#.##...#...#..#
    #######.###..#..#.#..
    """

  /// Its picture, with a quiet zone of four modules.
  /// - Parameter scale: pixels a module.
  static func pixels(scale: Int) -> (side: Int, grey: [UInt8]) {
    let rows = modules.split(separator: "\n").map(Array.init)
    let side = (rows.count + 8) * scale
    var grey = [UInt8](repeating: 255, count: side * side)
    for row in 0..<rows.count * scale {
      for column in 0..<rows.count * scale where rows[row / scale][column / scale] == "#" {
        grey[(row + 4 * scale) * side + column + 4 * scale] = 0
      }
    }
    return (side, grey)
  }

  /// The same as a PGM file.
  static func file(scale: Int = 4) -> [UInt8] {
    let (side, grey) = pixels(scale: scale)
    return Array("P5 \(side) \(side) 255\n".utf8) + grey
  }
}
