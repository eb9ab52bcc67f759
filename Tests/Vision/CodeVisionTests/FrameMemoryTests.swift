import Expectations
import Glibc
import Testing

@Suite struct FrameMemoryTests {
  /// In a process of its own, for the heap of this one is in use by other tests.
  @Test func aStreamOfFramesTakesNoMoreMemory() throws {
    var frames: [UInt8] = Array("YUV4MPEG2 W400 H240 F30:1 Ip A1:1 Cmono\n".utf8)
    for frame in 0..<6 {
      var picture = BarPicture()
      picture.draw(Bars.code128("SG-2041"), at: (180 + 6 * Float(frame), 120), module: 2, degrees: Float(frame))
      picture.addNoise(frame < 3 ? 4 : 90, seed: UInt64(frame))
      frames += Array("FRAME\n".utf8) + picture.pixels
    }
    var template = Array("/tmp/scangate-frames-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    try #require(file >= 0)
    defer {
      close(file)
      unlink(template)
    }
    try #require(write(file, frames, frames.count) == frames.count)
    let path = template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    // It lies beside the tests' own executable.
    let executable = try #require(realpath("/proc/self/exe", nil))
    defer { free(executable) }
    let folder = String(cString: executable).split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let output = try #require(popen("'\(folder)/decode-bench' memory \(path) 2>/dev/null", "r"))
    defer { pclose(output) }
    var line = [CChar](repeating: 0, count: 64)
    try #require(fgets(&line, 64, output) != nil)
    let words = line.prefix { $0 > 0x20 || $0 == 0x2D }.map(UInt8.init(bitPattern:))
    let grown = try #require(Int(String(decoding: words, as: UTF8.self)))
    // In 96 frames: pages; what is kept of a frame must be less than 80 bytes.
    expect(grown <= 2)
  }
}
