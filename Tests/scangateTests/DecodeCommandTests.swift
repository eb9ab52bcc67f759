import Expectations
import Foundation
import Testing

/// `scangate decode` as it is typed.
@Suite struct DecodeCommandTests {
  /// A QR code of version 1 that says "gate 7 ü".
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

  /// The same as a picture, with a quiet zone of four modules of four pixels.
  private static func picture(module: Int = 4) -> (side: Int, grey: [UInt8]) {
    let rows = modules.split(separator: "\n").map(Array.init)
    let side = (rows.count + 8) * module
    var grey = [UInt8](repeating: 255, count: side * side)
    for row in 0..<rows.count * module {
      for column in 0..<rows.count * module where rows[row / module][column / module] == "#" {
        grey[(row + 4 * module) * side + column + 4 * module] = 0
      }
    }
    return (side, grey)
  }

  private static func pgm() -> [UInt8] {
    let (side, grey) = picture()
    return Array("P5 \(side) \(side) 255\n".utf8) + grey
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func eachFileHasItsLine() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let good = folder.appending(path: "good.pgm").path
    let bad = folder.appending(path: "bad.png").path
    try Data(Self.pgm()).write(to: URL(filePath: good))
    try Data("no picture".utf8).write(to: URL(filePath: bad))
    let files = [good, bad, folder.path + "/none.png", folder.path, good]
    let result = try await Program.run(["decode", "--json"] + files)
    expect(result.status == 1 && result.lines.count == 5, "\(result.errors)")
    for (file, line) in zip(files, result.lines) {
      let told = try object(line)
      expect(told["file"] as? String == file)
      guard file == good else {
        expect((told["error"] as? String)?.isEmpty == false && told["symbols"] == nil)
        continue
      }
      let symbol = try #require((told["symbols"] as? [[String: Any]])?.first)
      expect(symbol["symbology"] as? String == "qr" && symbol["text"] as? String == "gate 7 ü")
      expect(symbol["bytes"] as? String == Data("gate 7 ü".utf8).base64EncodedString())
      expectEqual((symbol["points"] as? [[Double]])?.allSatisfy { $0.count == 2 }, true)
      expect(told["decode_ms"] is Double && told["frame"] == nil)
    }
    let plain = try await Program.run(["decode", good])
    expect(plain.status == 0 && plain.lines == ["\(good): qr \"gate 7 ü\""])
  }

  @Test func standardInputIsReadToo() async throws {
    let result = try await Program.run(["decode", "--formats", "QR-Code", "-"], input: Self.pgm())
    expect(result.status == 0 && result.lines == ["-: qr \"gate 7 ü\""])
    let other = try await Program.run(["decode", "--formats", "linear, EAN_13", "-"], input: Self.pgm())
    expect(other.status == 0 && other.lines == ["-: no code"])
  }

  @Test func aVideoIsReadFrameByFrame() async throws {
    let (side, grey) = Self.picture()
    let blank = [UInt8](repeating: 180, count: side * side)
    let file = [blank, grey].reduce(Array("YUV4MPEG2 W\(side) H\(side) Cmono\n".utf8)) {
      $0 + Array("FRAME\n".utf8) + $1
    }
    let result = try await Program.run(["decode", "--json", "-"], input: file)
    expect(result.status == 0 && result.lines.count == 1, "\(result.errors)")
    expect(try object(result.lines.first ?? "")["frame"] as? Int == 1)
  }

  /// A camera looks at a frame for a moment; here nobody waits.
  @Test func aVideoReadsWhatAPictureReads() async throws {
    let (side, grey) = Self.picture(module: 80)
    let picture = try await Program.run(["decode", "-"], input: Array("P5 \(side) \(side) 255\n".utf8) + grey)
    expectEqual(picture.lines, ["-: qr \"gate 7 ü\""])
    let video = try await Program.run(
      ["decode", "-"], input: Array("YUV4MPEG2 W\(side) H\(side) Cmono\nFRAME\n".utf8) + grey)
    expectEqual(video.lines, ["- frame 0: qr \"gate 7 ü\""], "\(video.errors)")
  }

  @Test func whatWasSeenIsExplained() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let drawn = folder.appending(path: "out.png")
    let result = try await Program.run(["decode", "--explain", drawn.path, "-"], input: Self.pgm())
    expectEqual(result.status, 0, "\(result.errors)")
    expect(try Data(contentsOf: drawn).starts(with: [0x89, 0x50, 0x4E, 0x47]))
    try await expectEqual(Program.run(["decode", "--explain", drawn.path, "a", "b"]).status, 64)
  }

  @Test func aPictureIsNeverReplacedByItsExplanation() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let picture = folder.appending(path: "ticket.pgm")
    try Data(Self.pgm()).write(to: picture)
    for file in [picture.path, "-"] {
      let result = try await Program.run(["decode", "--explain", picture.path, file], input: Self.pgm())
      expect(result.status == 64 && result.errors.contains("exists already"))
    }
    try expectEqual(Data(contentsOf: picture), Data(Self.pgm()))
  }

  @Test func aVideoIsNotExplained() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = Array("YUV4MPEG2 W16 H16 Cmono\nFRAME\n".utf8) + [UInt8](repeating: 180, count: 256)
    let result = try await Program.run(
      ["decode", "--explain", folder.appending(path: "out.png").path, "-"], input: file)
    expect(result.status == 1 && result.errors.contains("this is a video"))
    try await expectEqual(Program.run(["decode", "-"], input: file).lines, ["-: no code"])
  }

  /// Without a camera on the machine.
  @Test(arguments: [
    ("nobody", "no camera has that node"), ("/dev/null", "it is no camera"), ("/dev/nowhere", "there is no such node"),
    ("desk-camera", "its camera is not plugged in"), ("desk-scanner", "it is no camera"),
  ]) func aSnapshotOfWhatIsNoCameraIsToldSo(name: String, words: String) async throws {
    let example = repositoryFile("examples/camera.yaml")
    let result = try await Program.run(["camera", "snapshot", "-c", example.path, name])
    expect(result.status == 69 && result.errors.contains(words), "\(result.errors)")
  }

  @Test func aKindThatIsNoneIsToldWithThoseThatAre() async throws {
    let result = try await Program.run(["decode", "--formats", "qr,klingon", "-"])
    expect(result.status == 64 && result.errors.contains("klingon") && result.errors.contains("code128"))
  }

  @Test func withoutTheDecoderItIsToldWhere() async throws {
    let result = try await Program.run(
      ["decode", "-"], input: Self.pgm(), environment: ["SCANGATE_DECODE": "/nowhere/scangate-decode"])
    expect(result.status == 1 && result.errors.contains("/nowhere/scangate-decode: No such file or directory"))
  }
}
