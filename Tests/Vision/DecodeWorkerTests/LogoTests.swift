import CTurboJPEG
import DecodeProtocol
import Expectations
import ScanTesting
import Testing

@testable import DecodeWorker

/// Logos of strangers: colours, and nothing that is larger than a screen wants.
@Suite struct LogoTests {
  private func logo(_ file: [UInt8], room: Int = 1 << 23) throws -> (width: Int, height: Int, rgba: [UInt8]) {
    var target = [UInt8](repeating: 7, count: room)
    let reader = try LogoReader()
    let (width, height) = try file.withUnsafeBytes { file in
      try target.withUnsafeMutableBytes { try reader.read(file, into: $0) }
    }
    return (width, height, Array(target.prefix(4 * width * height)))
  }

  private func fault(_ file: [UInt8], room: Int = 1 << 23) -> PictureFault.Kind? {
    #expect(throws: PictureFault.self) { _ = try logo(file, room: room) }.map(\.kind)
  }

  @Test(arguments: PNGSamples.plain) func everySortOfPNGIsRead(name: String, file: String) throws {
    let logo = try logo(bytes(base64: file))
    expect(logo.width == 9 && logo.height == 7)
    for place in 0..<63 {
      let (x, y) = (place % 9, place / 9)
      let grey = UInt8(truncatingIfNeeded: x * 29 + y * 17)
      expectEqual(Array(logo.rgba[4 * place..<4 * place + 4]), [grey, grey, grey, 255], "\(name) at \(x), \(y)")
    }
  }

  @Test(arguments: PNGSamples.transparent) func whatIsTransparentStaysSo(name: String, file: String) throws {
    let logo = try logo(bytes(base64: file))
    for place in 0..<63 {
      expectEqual(logo.rgba[4 * place + 3], (place % 9 + place / 9) % 2 == 0 ? 0 : 255, "\(name) at \(place)")
    }
  }

  @Test func aJPEGHasItsColours() throws {
    let red = (0..<32 * 16).flatMap { _ in [230, 20, 40] as [UInt8] }
    let logo = try logo(jpeg(red, TJPF_RGB, width: 32, height: 16))
    expect(logo.width == 32 && logo.height == 16)
    for (found, wanted) in zip(logo.rgba.prefix(4), [230, 20, 40, 255]) { expect(abs(Int(found) - wanted) < 6) }
  }

  @Test func sizesAreBounded() throws {
    let side = DecodeLimits.longestLogo
    func grey(_ width: Int, _ height: Int) throws -> [UInt8] {
      try jpeg([UInt8](repeating: 9, count: width * height), TJPF_GRAY, width: width, height: height)
    }
    try expectEqual(logo(grey(side, 1)).width, side)
    try expectEqual(logo(grey(1, side)).height, side)
    try expectEqual(fault(grey(side + 1, 1)), .tooLarge)
    try expectEqual(fault(grey(1, side + 1)), .tooLarge)
    try expectEqual(fault(grey(20_000, 2)), .tooLarge)
    try expectEqual(fault(grey(8, 8), room: 255), .tooLarge)
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    expect(fault(head + [0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20, 8, 6, 0, 0, 0, 0, 0, 0, 0]) != nil)
  }

  @Test(
    arguments: [
      [], Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), Array("GIF89a".utf8), Array("P5 2 2 255\n0000".utf8),
      Array("YUV4MPEG2 W2 H2\nFRAME\n".utf8), [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], Array("RIFF    WEBP".utf8),
    ] as [[UInt8]]) func onlyPNGAndJPEG(file: [UInt8])
  { expect(fault(file) != nil) }

  @Test func inksAreForPrinters() throws {
    try expectEqual(fault(jpeg([UInt8](repeating: 9, count: 256), TJPF_CMYK, width: 8, height: 8)), .unsupported)
  }

  @Test(arguments: 0..<UInt64(4)) func damageIsToldOrHarmless(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let files =
      [
        try jpeg((0..<192).map { UInt8(truncatingIfNeeded: $0 * 7) }, TJPF_RGB, width: 8, height: 8)
      ] + PNGSamples.plain.values.map { bytes(base64: $0) }
    for _ in 0..<extent(landing: 300, release: 3_000) {
      let file = damaged(files.randomElement(using: &random) ?? [], &random)
      guard let logo = try? logo(file) else { continue }
      expect(logo.width <= DecodeLimits.longestLogo && logo.height <= DecodeLimits.longestLogo, "seed \(seed)")
      expectEqual(logo.rgba.count, 4 * logo.width * logo.height, "seed \(seed)")
    }
  }
}
