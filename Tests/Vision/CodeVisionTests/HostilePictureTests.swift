import Expectations
import Glibc
import ScanModel
import ScanTesting
import Testing

@testable import CodeVision

@Suite struct HostilePictureTests {
  /// Pixels of any kind in any size, with rows apart: nothing is read outside (a sanitiser sees it), nothing traps.
  @Test func anyPixelsAreBorne() throws {
    let seed: UInt64 = 71
    var numbers = SeededGenerator(seed: seed)
    let reader = CodeReader(VisionSettings(kinds: .all))
    let symbol = try TestPicture("middle")
    for round in 0..<60 {
      let width = Int.random(in: 1...(round % 5 == 0 ? 200 : 70), using: &numbers)
      let height = Int.random(in: 1...70, using: &numbers)
      let stride = width + Int.random(in: 0...3, using: &numbers)
      // The last row ends with the memory.
      var pixels = [UInt8](repeating: 0, count: stride * (height - 1) + width)
      let step = Int.random(in: 1...8, using: &numbers)
      for index in pixels.indices {
        switch round % 3 {
        case 0: pixels[index] = UInt8.random(in: 0...255, using: &numbers)
        case 1: pixels[index] = (index % stride / step + index / stride / step) % 2 == 0 ? 0 : 255
        default:
          // A part of a symbol, cut anywhere, damaged.
          let (x, y) = ((index % stride + round) % symbol.width, (index / stride + round) % symbol.height)
          pixels[index] =
            symbol.pixels[y * symbol.width + x] ^ (UInt8.random(in: 0...19, using: &numbers) == 0 ? 255 : 0)
        }
      }
      pixels.withUnsafeBufferPointer { buffer in
        guard let image = GreyImage(buffer, width: width, height: height, stride: stride) else { return }
        let reading = reader.read(picture: image)
        expect(reading.symbols.count <= 2 * ZBarScanner.maximumSymbols, "seed \(seed), round \(round)")
        for symbol in reading.symbols {
          expect(symbol.points.allSatisfy { $0.x.isFinite && $0.y.isFinite }, "seed \(seed), round \(round)")
        }
      }
    }
  }

  @Test func regionsAnywhereAreBorne() throws {
    let pass = QRPass(stages: .all)
    let picture = try TestPicture("paper")
    picture.withGrey { image in
      for region in [
        PixelRect(x: -50, y: -50, width: 100, height: 100), PixelRect(x: 230, y: 230, width: 1_000, height: 1_000),
        PixelRect(x: 500, y: 0, width: 10, height: 10), PixelRect(x: .min, y: .min, width: .max, height: .max),
        PixelRect(x: 0, y: 0, width: -1, height: 5), PixelRect(x: .max, y: .max, width: .max, height: .max),
      ] {
        for level in QRLevel.allCases { expect(pass.read(image, level: level, region: region).symbols.isEmpty) }
      }
      let whole = PixelRect(x: 0, y: 0, width: .max, height: .max)
      expectEqual(pass.read(image, level: .full, region: whole).symbols.count, 1)
    }
  }

  /// A steady stream of frames without a code keeps no memory.
  @Test func framesWithoutACodeKeepNothing() throws {
    var numbers = SeededGenerator(seed: 5)
    var picture = TestPicture(width: 160, height: 120)
    for index in picture.pixels.indices { picture.pixels[index] = UInt8.random(in: 0...255, using: &numbers) }
    let pass = QRPass(stages: .all)
    picture.withGrey { image in
      func look() { for level in QRLevel.allCases { _ = pass.read(image, level: level, inverted: true) } }
      for _ in 0..<3 { look() }
      let before = pass.capacity
      for _ in 0..<5 { look() }
      expectEqual(pass.capacity, before)
    }
  }

  @Test func sizesThatMakeNoSenseAreNone() {
    let pixels = [UInt8](repeating: 0, count: 100)
    pixels.withUnsafeBufferPointer { buffer in
      expect(GreyImage(buffer, width: 10, height: 10, stride: 10) != nil)
      expect(GreyImage(buffer, width: 10, height: 11, stride: 10) == nil)
      expect(GreyImage(buffer, width: 10, height: 10, stride: 9) == nil)
      expect(GreyImage(buffer, width: 0, height: 10, stride: 10) == nil)
      expect(GreyImage(buffer, width: 10, height: .max, stride: 10) == nil)
      expect(GreyImage(buffer, width: 10, height: 3, stride: .max) == nil)
    }
  }
}
