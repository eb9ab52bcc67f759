import FoundationEssentials
import ScanTesting

@testable import CodeVision

/// A grey picture in memory, for tests.
struct TestPicture {
  var width: Int
  var height: Int
  var pixels: [UInt8]

  /// One grey.
  init(width: Int, height: Int, grey: UInt8 = 255) {
    self.width = width
    self.height = height
    pixels = [UInt8](repeating: grey, count: width * height)
  }

  /// A picture of `pictures/`, in PGM.
  init(_ name: String) throws {
    let bytes = try Self.file(name + ".pgm")
    var fields: [Int] = []
    var index = 2
    while fields.count < 3, index < bytes.count {
      var value = 0
      while index < bytes.count, !(0x30...0x39).contains(bytes[index]) { index += 1 }
      while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
        value = value * 10 + Int(bytes[index] - 0x30)
        index += 1
      }
      fields.append(value)
    }
    width = fields[0]
    height = fields[1]
    pixels = Array(bytes[(index + 1)...])
    precondition(pixels.count == width * height)
  }

  /// What the picture of this name says.
  static func text(_ name: String) throws -> String {
    var text = String(decoding: try file(name + ".txt"), as: UTF8.self)
    while text.hasSuffix("\n") { text.removeLast() }
    return text
  }

  private static func file(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    return try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/pictures/" + name)))
  }

  /// Calls with the picture as the reader wants it.
  func withGrey<T>(_ body: (GreyImage) throws -> T) rethrows -> T {
    try pixels.withUnsafeBufferPointer { buffer in
      guard let image = GreyImage(buffer, width: width, height: height, stride: width) else {
        preconditionFailure("a picture of \(width) by \(height)")
      }
      return try body(image)
    }
  }

  /// Paints what `source` says for each pixel that it knows, by the mean of nine places in it; of pixels that are not `near` it knows none.
  mutating func paint(
    near: (_ x: Float, _ y: Float) -> Bool = { _, _ in true }, _ source: (_ x: Float, _ y: Float) -> Float?
  ) {
    for row in 0..<height {
      for column in 0..<width where near(Float(column) + 0.5, Float(row) + 0.5) {
        var sum: Float = 0
        var count: Float = 0
        for part in 0..<9 {
          let x = Float(column) + (Float(part % 3) + 0.5) / 3
          let y = Float(row) + (Float(part / 3) + 0.5) / 3
          if let value = source(x, y) { (sum, count) = (sum + value, count + 1) }
        }
        guard count > 0 else { continue }
        let here = Float(pixels[row * width + column])
        pixels[row * width + column] = UInt8(max(0, min(255, (sum + here * (9 - count)) / 9)))
      }
    }
  }

  /// Paints a symbol of one pixel a module with four modules of white around it; `place` leads from here into the symbol.
  mutating func paint(
    symbol: TestPicture, black: Float = 20, white: Float = 230, _ place: (_ x: Float, _ y: Float) -> (Float, Float)
  ) {
    let (wide, high) = (Float(symbol.width), Float(symbol.height))
    // A pixel is smaller than a module, so that by its middle it is known to be outside.
    func isNear(_ x: Float, _ y: Float) -> Bool {
      let (u, v) = place(x, y)
      return u > -6 && v > -6 && u < wide + 6 && v < high + 6
    }
    paint(near: isNear) { x, y in
      let (u, v) = place(x, y)
      guard u > -4, v > -4, u < Float(symbol.width) + 4, v < Float(symbol.height) + 4 else { return nil }
      guard u >= 0, v >= 0, u < Float(symbol.width), v < Float(symbol.height) else { return white }
      return symbol.pixels[Int(v) * symbol.width + Int(u)] < 128 ? black : white
    }
  }

  /// Noise of about this many steps either way.
  mutating func addNoise(_ strength: Int, seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    for index in pixels.indices {
      let noise =
        Int.random(in: -strength...strength, using: &numbers) + Int.random(in: -strength...strength, using: &numbers)
      pixels[index] = UInt8(max(0, min(255, Int(pixels[index]) + noise)))
    }
  }

  /// The mean of three by three, so many times.
  mutating func blur(_ times: Int) {
    for _ in 0..<times {
      let before = pixels
      for row in 1..<height - 1 {
        for column in 1..<width - 1 {
          var sum = 0
          for y in row - 1...row + 1 { for x in column - 1...column + 1 { sum += Int(before[y * width + x]) } }
          pixels[row * width + column] = UInt8(sum / 9)
        }
      }
    }
  }
}
