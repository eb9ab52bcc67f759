import ScanModel

@testable import CodeVision

/// Pixels → symbols, as a picture and as frames of a camera.
///
/// The input: two bytes of kinds, two of stages, width, bytes beside each row, how large a pixel is drawn, then pixels row by row. They
/// are repeated to one row more than they fill, so that small inputs make whole pictures.
func fuzzVision(_ input: inout FuzzInput) {
  let kinds = SymbologySet(rawValue: UInt16(input.byte()) | UInt16(input.byte()) << 8)
  let stages = VisionStages(rawValue: ~(UInt32(input.byte()) | UInt32(input.byte()) << 8))
  let width = Int(input.byte() & 0x7F) + 1
  let gap = Int(input.byte() & 3)
  let size = Int(input.byte() & 3) + 1
  let pixels = input.remainder()
  guard !pixels.isEmpty else { return }
  let rows = min(128, (pixels.count + width - 1) / width + 1)
  let (across, down) = (width * size, rows * size)
  let stride = across + gap
  // Nothing behind the last pixel: a sanitiser sees who reads there.
  var memory = [UInt8](repeating: 0, count: stride * (down - 1) + across)
  for row in 0..<down {
    for column in 0..<across {
      memory[row * stride + column] = pixels[(row / size * width + column / size) % pixels.count]
    }
  }
  let reader = CodeReader(VisionSettings(kinds: kinds, stages: stages))
  memory.withUnsafeBufferPointer { buffer in
    guard let image = GreyImage(buffer, width: across, height: down, stride: stride) else {
      property(false, "a picture that fits is one")
      return
    }
    check(reader.read(picture: image), kinds)
    for _ in 0..<3 { check(reader.read(frame: image), kinds) }
  }
}

private func check(_ reading: ViewReading, _ kinds: SymbologySet) {
  property(reading.symbols.count <= 4 * ZBarScanner.maximumSymbols, "symbols are bounded")
  for symbol in reading.symbols {
    property(kinds.contains(symbol.symbology), "only what is wanted is read")
    property(!symbol.bytes.isEmpty && symbol.bytes.count <= ZBarScanner.maximumBytes, "bytes are bounded")
    property(String(validating: Array(symbol.text.utf8), as: UTF8.self) == symbol.text, "a text is UTF-8")
    property(symbol.points.allSatisfy { $0.x.isFinite && $0.y.isFinite }, "corners are numbers")
    property(
      reading.symbols.count { $0.symbology == symbol.symbology && $0.bytes == symbol.bytes } == 1, "each is told once")
  }
  property((0...1).contains(reading.quality.sharpness), "sharpness is a share")
}
