import CTurboJPEG
import DecodeProtocol
import Expectations
import ScanTesting
import Testing

@testable import DecodeWorker

/// What the sample files show.
private let sample = Pixels(
  width: 9, height: 7,
  grey: (0..<7).flatMap { y in (0..<9).map { x in UInt8(truncatingIfNeeded: x * 29 + y * 17) } })

@Suite struct PNGTests {
  @Test(arguments: PNGSamples.plain) func everySortIsRead(name: String, file: String) throws {
    try expectEqual(read(bytes(base64: file)).pixels, sample, "\(name)")
  }

  @Test(arguments: PNGSamples.transparent) func whatIsTransparentIsWhite(name: String, file: String) throws {
    var expected = sample
    for index in expected.grey.indices where (index % 9 + index / 9) % 2 == 0 { expected.grey[index] = 255 }
    try expectEqual(read(bytes(base64: file)).pixels, expected, "\(name)")
  }

  @Test func oneBitIsBlackAndWhite() throws {
    let expected = (0..<63).map { UInt8(($0 % 9 + $0 / 9) % 2 == 1 ? 255 : 0) }
    try expectEqual(read(bytes(base64: PNGSamples.oneBit)).pixels.grey, expected)
  }

  @Test func whatEndsEarlyIsRefused() throws {
    let file = bytes(base64: try #require(PNGSamples.plain["grey"]))
    // The last chunk, of twelve bytes, holds nothing.
    for count in 4..<file.count - 12 {
      expectEqual(fault(Array(file.prefix(count)))?.kind, .damaged, "\(count) bytes")
    }
  }

  /// A head that promises a hundred gigabytes of pixels, and one that promises none.
  @Test func sizesAreBounded() {
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    let huge = head + [0, 4, 0, 0, 0, 4, 0, 0, 8, 0, 0, 0, 0]
    expectEqual(fault(huge + checksum(huge) + [0, 0, 0, 0, 0x49, 0x44, 0x41, 0x54, 0, 0, 0, 0])?.kind, .tooLarge)
    let empty = head + [0, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0]
    expect(fault(empty + checksum(empty)) != nil)
  }

  /// CRC-32 of the chunk after the signature.
  private func checksum(_ file: [UInt8]) -> [UInt8] {
    var sum: UInt32 = ~0
    for byte in file.dropFirst(12) {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ~sum >> $0) }
  }
}

@Suite struct JPEGTests {
  private let width = 40
  private let height = 24
  private var ramp: [UInt8] { (0..<40 * 24).map { UInt8($0 % 40 * 6) } }

  @Test func greyAndColourAreRead() throws {
    let expected = Pixels(width: width, height: height, grey: ramp)
    let grey = try read(jpeg(ramp, TJPF_GRAY, width: width, height: height)).pixels
    expect(try #require(grey.difference(expected)) < 8)
    let colour = try read(jpeg(ramp.flatMap { [$0, $0, $0] }, TJPF_RGB, width: width, height: height)).pixels
    expect(try #require(colour.difference(expected)) < 8)
  }

  /// Inks of print: no colour, only black.
  @Test func inksAreRead() throws {
    let inks = ramp.flatMap { [255, 255, 255, $0] as [UInt8] }
    let pixels = try read(jpeg(inks, TJPF_CMYK, width: width, height: height)).pixels
    expect(try #require(pixels.difference(Pixels(width: width, height: height, grey: ramp))) < 12)
  }

  @Test func whatEndsEarlyIsRefused() throws {
    let file = try jpeg(ramp, TJPF_GRAY, width: width, height: height)
    for count in 2..<file.count - 2 { expect(fault(Array(file.prefix(count))) != nil, "\(count) bytes") }
    // What follows the end is nobody's.
    try expectEqual(read(file + [0, 0, 0, 0]).pixels.width, width)
  }

  @Test func sizesAreBounded() throws {
    var file = try jpeg(ramp, TJPF_GRAY, width: width, height: height)
    let frame = try #require(file.indices.dropLast(9).first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
    for largest: UInt8 in [0x00, 0xFF] {
      for index in [5, 7] { file[frame + index] = 0xFF }
      for index in [6, 8] { file[frame + index] = largest }
      expectEqual(fault(file)?.kind, .tooLarge)
    }
    for index in [7, 8] { file[frame + index] = 0 }
    expect(fault(file) != nil)
  }

  @Test(arguments: 0..<50) func damageIsRefusedOrRead(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try jpeg(ramp, TJPF_GRAY, width: width, height: height)
    let png = bytes(base64: try #require(PNGSamples.plain["interlaced"]))
    for _ in 0..<20 {
      _ = try? read(damaged(file, &generator))
      _ = try? read(damaged(png, &generator))
    }
  }
}

@Suite struct PGMTests {
  private func file(_ head: String, _ body: [UInt8] = []) -> [UInt8] { Array(head.utf8) + body }

  @Test func everySortIsRead() throws {
    let expected = Pixels(width: 3, height: 2, grey: [0, 1, 2, 253, 254, 255])
    try expectEqual(read(file("P5\n3 2\n255\n", expected.grey)).pixels, expected)
    try expectEqual(read(file("P5 # 9 9\n3\t2 # so\n255 ", expected.grey)).pixels, expected)
    try expectEqual(read(file("P2\n3 2 255\n0 1 2\n# half\n253 254 255")).pixels, expected)
    try expectEqual(read(file("P5 3 2 65535\n", expected.grey.flatMap { [$0, $0] })).pixels, expected)
    try expectEqual(read(file("P5 2 1 1\n", [0, 1])).pixels.grey, [0, 255])
    // More than the largest value is the largest.
    try expectEqual(read(file("P2 2 1 100\n 100 250")).pixels.grey, [255, 255])
  }

  @Test func whatIsNoneIsRefused() {
    expectEqual(fault(file("P5\n3 2\n255\n", [1, 2, 3, 4, 5]))?.kind, .damaged)
    expectEqual(fault(file("P5 3 2 65535\n", Array(repeating: 0, count: 11)))?.kind, .damaged)
    expectEqual(fault(file("P2 3 2 255\n 1 2 3 4 5"))?.kind, .damaged)
    expectEqual(fault(file("P5 0 2 255\n"))?.kind, .empty)
    expectEqual(fault(file("P5 9999999 9999999 255\n", [0]))?.kind, .tooLarge)
    expectEqual(fault(file("P5 99999999999999999999 1 255\n", [0]))?.kind, .damaged)
    expectEqual(fault(file("P5 1 1 65536\n", [0, 0, 0]))?.kind, .unsupported)
    expectEqual(fault(file("P5 1 1 0\n", [0]))?.kind, .unsupported)
    for head in ["P5", "P5\n", "P5 3", "P5 3 2", "P5 3 2 255", "P5 -3 2 255\n", "P2 x"] {
      expect(fault(file(head)) != nil, "\(head)")
    }
    expectEqual(fault(file("P6 1 1 255\n", [1, 2, 3]))?.kind, .unsupported)
    expectEqual(fault([])?.kind, .empty)
    expectEqual(fault([0x47, 0x49, 0x46, 0x38])?.kind, .unsupported)
  }
}

@Suite struct Y4MTests {
  private func video(_ parameters: String, _ frames: [[UInt8]], head: String = "FRAME\n") -> [UInt8] {
    frames.reduce(Array("YUV4MPEG2 \(parameters)\n".utf8)) { $0 + Array(head.utf8) + $1 }
  }

  @Test(arguments: [("Cmono", 0), ("C420", 12), ("C420jpeg XYSCSS=420", 12), ("", 12), ("C422", 18), ("C444", 30)])
  func everySortIsRead(colours: String, more: Int) throws {
    let first = Pixels(width: 5, height: 3, grey: (0..<15).map { UInt8($0) })
    let second = Pixels(width: 5, height: 3, grey: (0..<15).map { UInt8(200 - $0) })
    let rest = [UInt8](repeating: 77, count: more)
    let file = video("W5 H3 F25:1 \(colours)", [first.grey + rest, second.grey + rest], head: "FRAME Ip\n")
    let one = try read(file)
    expect(one.pixels == first && one.hasMore)
    let two = try read(file, frame: 1)
    expect(two.pixels == second && !two.hasMore)
    expectEqual(fault(file, frame: 2)?.kind, .damaged)
    expectEqual(fault(Array(file.dropLast()), frame: 1)?.kind, .damaged)
  }

  @Test func whatIsNoneIsRefused() {
    let frame = [UInt8](repeating: 0, count: 64)
    expectEqual(fault(video("W4 H4 C420p10", [frame]))?.kind, .unsupported)
    expectEqual(fault(video("W4 H4 Cmono16", [frame]))?.kind, .unsupported)
    expectEqual(fault(video("W0 H4 C420", [frame]))?.kind, .empty)
    expectEqual(fault(video("H4 C420", [frame]))?.kind, .empty)
    expectEqual(fault(video("W9223372036854775807 H9223372036854775807", [frame]))?.kind, .tooLarge)
    expectEqual(fault(video("W-4 H-4", [frame]))?.kind, .empty)
    expectEqual(fault(video("W4 H4", [frame], head: "FRAMF\n"))?.kind, .damaged)
    expectEqual(fault(video("W4 H4", [], head: ""))?.kind, .damaged)
    expectEqual(fault(Array("YUV4MPEG2 W4 H4".utf8))?.kind, .damaged)
  }

  /// In turn, with steps, and from the beginning; what lies before the frame that was read last is not looked at again.
  @Test func framesInTurnAreNotLookedForFromTheFirst() throws {
    let frames = (0..<6).map { [UInt8](repeating: UInt8(10 * $0), count: 16) }
    var file = video("W4 H4 Cmono", frames)
    let reader = try PictureReader()
    func level(_ frame: Int) throws -> UInt8? {
      try file.withUnsafeBytes { Pixels(try reader.read($0, frame: frame).image).grey.first }
    }
    expect(try level(0) == 0 && level(1) == 10)
    let head = try #require(file.firstIndex(of: UInt8(ascii: "\n"))) + 1
    file[head] = 0
    expect(try level(2) == 20 && level(4) == 40 && level(5) == 50)
    #expect(throws: PictureFault.self) { try level(3) }
    #expect(throws: PictureFault.self) { try level(5) }
    file[head] = UInt8(ascii: "F")
    expect(try level(3) == 30 && level(3) == 30 && level(0) == 0)
    // Another file with the same number of frames begins anew.
    file = video("W4 H4 Cmono", frames.reversed(), head: "FRAME Ip\n")
    expect(try level(1) == 40 && level(2) == 30)
  }
}
