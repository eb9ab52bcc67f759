import DecodeClient
import DecodeProtocol
import Expectations
import Glibc
import LinuxIO
import ScanModel
import ScanTesting
import Testing

/// Pictures through the worker that is shipped.
@Suite(.timeLimit(.minutes(2))) struct SessionTests {
  private func session(
    _ program: String = "scangate-decode", kinds: SymbologySet = .all, stages: UInt32 = .max,
    deadline: Duration = .seconds(20)
  ) throws -> DecodeSession {
    try DecodeSession(
      program: try Bench.folder() + "/" + program, settings: DecodeSettings(kinds: kinds, stages: stages),
      deadline: deadline)
  }

  @Test func aPictureIsReadAndExplained() async throws {
    let session = try session()
    for scale in [3, 4, 8] {
      let picture = try await session.read(QRSample.file(scale: scale))
      let symbol = try #require(picture.result.reading.symbols.first)
      expect(symbol.symbology == .qr && symbol.text == QRSample.text && symbol.bytes == Array(QRSample.text.utf8))
      expect(picture.result.width == UInt32(29 * scale) && !picture.result.hasMore && picture.explanation.isEmpty)
      expect(picture.result.reading.decodeTime > 0)
    }
    let explained = try await session.read(QRSample.file(), purpose: .explanation)
    expect(explained.explanation.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    expectEqual(explained.result.reading.symbols.map(\.text), [QRSample.text])
    // The worker reads its own drawing.
    expect(try await session.read(explained.explanation).result.width > 0)
    await session.stop()
  }

  /// It comes back as a PNG that this process has written, in the same colours.
  @Test func aLogoIsWrittenAnew() async throws {
    let session = try session()
    let (width, height) = (5, 3)
    let rgba = (0..<4 * width * height).map { UInt8(truncatingIfNeeded: $0 % 4 == 3 ? 255 : $0 * 37) }
    let logo = try await session.read(PlainPNG.bytes(width: width, rgba: rgba), purpose: .logo)
    expect(logo.result.width == 5 && logo.result.height == 3 && logo.result.reading.symbols.isEmpty)
    expectEqual(logo.explanation, PlainPNG.bytes(width: width, rgba: rgba))
    for file in [Array("<svg/>".utf8), PlainPNG.bytes(width: 1_025, rgba: [UInt8](repeating: 9, count: 4_100)), []] {
      await #expect(throws: DecodeFault.self) { try await session.read(file, purpose: .logo) }
    }
    // A whole picture of the largest size.
    let large = [UInt8](repeating: 200, count: 4 << 20)
    try await expectEqual(
      session.read(PlainPNG.bytes(width: 1_024, rgba: large), purpose: .logo).explanation.count,
      PlainPNG.bytes(width: 1_024, rgba: large).count)
    await session.stop()
  }

  @Test func whatIsNoPictureIsToldAndTheNextIsRead() async throws {
    let session = try session()
    for (file, kind) in [
      ([], PictureFault.Kind.empty), (Array("GIF89a".utf8), .unsupported), ([0xFF, 0xD8, 0xFF], .damaged),
      (Array("P5 90000 90000 255\n0".utf8), .tooLarge), (Array(QRSample.file().dropLast()), .damaged),
    ] {
      do throws(DecodeFault) {
        _ = try await session.read(file)
        Issue.record("it was read")
      } catch .picture(let fault) {
        expectEqual(fault.kind, kind)
      } catch {
        Issue.record("\(error)")
      }
      try await expectEqual(session.read(QRSample.file()).result.reading.symbols.count, 1)
    }
    let counters = await session.counters
    expect(counters.replaced == 0 && counters.spoilt == 5 && counters.read == 5)
    await session.stop()
  }

  @Test func framesOfAVideoAreReadOneByOne() async throws {
    let (side, grey) = QRSample.pixels(scale: 4)
    let empty = [UInt8](repeating: 200, count: side * side)
    let file = [grey, empty, grey].reduce(Array("YUV4MPEG2 W\(side) H\(side) F25:1 Cmono\n".utf8)) {
      $0 + Array("FRAME\n".utf8) + $1
    }
    let session = try session()
    var more: [Bool] = []
    var symbols: [Int] = []
    for frame in 0..<3 {
      let picture = try await session.read(frame == 0 ? file : nil, frame: UInt32(frame))
      expect(picture.result.isVideo)
      more.append(picture.result.hasMore)
      symbols.append(picture.result.reading.symbols.count)
    }
    expectEqual(more, [true, true, false])
    expectEqual(symbols, [1, 0, 1])
    await session.stop()
  }

  /// What looks like codes everywhere makes the libraries do all that they can do: none of it is forbidden.
  @Test(arguments: 0..<4) func noiseDoesNotEndTheWorker(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let (side, code) = QRSample.pixels(scale: 3)
    let (width, height) = (240, 180)
    let cell = Int.random(in: 1...6, using: &generator)
    let cells = (0..<width * height).map { _ in UInt8(Bool.random(using: &generator) ? 230 : 20) }
    var grey = (0..<width * height).map { cells[$0 / width / cell * width + $0 % width / cell] }
    // Corners of codes on top, so that something is searched for.
    for _ in 0..<12 {
      let (left, top) = (
        Int.random(in: 0..<width - side, using: &generator), Int.random(in: 0..<height - side, using: &generator)
      )
      let size = Int.random(in: 24..<side, using: &generator)
      for row in 0..<size {
        for column in 0..<size { grey[(top + row) * width + left + column] = code[row * side + column] }
      }
    }
    let session = try session()
    let file = Array("P5 \(width) \(height) 255\n".utf8) + grey
    try await expectEqual(session.read(file).result.width, UInt32(width))
    await expectEqual(session.counters.replaced, 0)
    await session.stop()
  }

  /// A picture that kills the worker, or keeps it for ever, costs itself alone.
  @Test func thePictureThatKillsIsToldAndTheNextIsRead() async throws {
    let session = try session("decode-mock", deadline: .milliseconds(300))
    func fault(_ what: String) async -> DecodeFault? {
      do throws(DecodeFault) {
        _ = try await session.read(Array(what.utf8))
        return nil
      } catch {
        return error
      }
    }
    await expectEqual(fault("o"), .died(signal: SIGSYS, status: 0))
    expect(await fault("r") == nil)
    await expectEqual(fault("s"), .hung(.milliseconds(300)))
    expect(await fault("r") == nil)
    await expectEqual(fault("q"), .died(signal: nil, status: 3))
    expect(await fault("r") == nil)
    await session.stop()
  }

  /// Whoever believed it would ask for ever.
  @Test func aVideoHasNoMoreFramesThanItsFileCanHold() async throws {
    let session = try session("decode-mock")
    let file = Array("V".utf8) + [UInt8](repeating: 0, count: 17)
    expect(try await session.read(file).result.hasMore)
    expect(try await session.read(nil, frame: 1).result.hasMore)
    await #expect(throws: DecodeFault.lied("more frames than the file can hold")) {
      _ = try await session.read(nil, frame: 2)
    }
    try await expectEqual(session.read(Array("r".utf8)).result.reading.symbols.count, 1)
    await session.stop()
  }

  @Test func whereNoWorkerCanStartEveryPictureIsToldSo() async throws {
    let session = try session("decode-mock", stages: 1)
    for _ in 0..<3 {
      await #expect(throws: DecodeFault.self) { _ = try await session.read(QRSample.file()) }
    }
    await session.stop()
  }
}

/// What is shipped is what it should be.
@Suite struct ExecutableTests {
  private func run(_ words: [String]) throws -> Int32 {
    var argv = words.map { strdup($0) } + [nil]
    defer { for pointer in argv { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for number in [Int32(1), 2] { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0) }
    var id = pid_t()
    var envp: [UnsafeMutablePointer<CChar>?] = [nil]
    try #require(posix_spawn(&id, words[0], &actions, nil, &argv, &envp) == 0)
    var status: Int32 = 0
    waitpid(id, &status, 0)
    return status >> 8
  }

  @Test func whoeverStartsItByHandIsToldWhatItIs() throws {
    let program = try Bench.folder() + "/scangate-decode"
    try expectEqual(run([program, "--version"]), 0)
    try expectEqual(run([program]), 64)
    try expectEqual(run([program, "picture.png"]), 64)
  }

  @Test(arguments: ["libFoundation", "NIOCore", "libudev", "libevdev"]) func itLinksNothingElse(name: String) throws {
    let program = try Bench.folder() + "/scangate-decode"
    try expectEqual(run(["/bin/grep", "-q", "libzbar", program]), 0)
    try expectEqual(run(["/bin/grep", "-q", name, program]), 1)
  }
}
