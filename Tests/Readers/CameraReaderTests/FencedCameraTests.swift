import Reading
import CameraReader
import CameraTesting
import DecodeClient
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Synchronization
import Testing

/// A camera that shows a code to the real decoder, behind its fence.
@Suite(.timeLimit(.minutes(2))) struct FencedCameraTests {
  /// "TICKET-0001" as a QR code, version 1 M.
  private static let code = [
    "#######.#.#.#.#######", "#.....#..#....#.....#", "#.###.#.#.#.#.#.###.#", "#.###.#....#..#.###.#",
    "#.###.#..##.#.#.###.#", "#.....#.#.#...#.....#", "#######.#.#.#.#######", ".........#.#.........",
    "#.#...##...##..#..#.#", "##.###..##...#...#.##", "#.##.###.##..#######.", "#...#....##.#....#..#",
    "#.#...##.##..#####.##", "........#..#.##....#.", "#######.##.###.####..", "#.....#..###.##...##.",
    "#.###.#..#.#####.#..#", "#.###.#...#.....##...", "#.###.#.###...##.####", "#.....#...#.#..#.##.#",
    "#######.#.....##...##",
  ].map { $0.map { $0 == "#" } }

  /// A wall, and the code in its middle.
  private static var picture: [UInt8] {
    (0..<480).flatMap { y in
      (0..<640).map { x -> UInt8 in
        let (column, row) = ((x - 200) / 8 - 4, (y - 120) / 8 - 4)
        guard x >= 200, y >= 120, column < 25, row < 25 else { return 150 }
        guard (0..<21).contains(column), (0..<21).contains(row) else { return 220 }
        return code[row][column] ? 30 : 220
      }
    }
  }

  /// One picture on demand: it is what the camera shows, with the code in it, one a second, and of no reader that has none.
  @Test func onePictureIsShown() async throws {
    let camera = try FakeCamera()
    camera.state.withLock { state in
      state.offers = [VideoOffer(format: .grey, sizes: .one(VideoSize(width: 640, height: 480)))]
      state.pictureBytes = 640 * 480
      state.picture = Self.picture
    }
    let program = try #require(
      CommandLine.arguments.first.map { path in
        path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/scangate-decode"
      })
    let lane = ReaderID("lane")
    let source = try CameraSource(
      [CameraConfiguration(id: lane, place: .path(camera.node))], calls: camera,
      makeDecoder: fencedDecoders(program: program))
    await #expect(throws: CameraLookFault.notRead) { try await source.look(at: lane) }
    let (stream, continuation) = AsyncStream<ReaderEvent>.makeStream()
    try await source.start { continuation.yield($0) }
    let isOver = Atomic(false)
    try SystemThread.start("feeder") {
      while !isOver.load(ordering: .relaxed) { if !camera.take() { sched_yield() } }
    }
    defer { isOver.store(true, ordering: .relaxed) }
    for await event in stream { if case .read = event { break } }
    var look = try await source.look(at: lane)
    // A new scene is searched by one way after another, and not each of them reads its code: one a second is shown until all were tried.
    for _ in 0..<20 where look.reading.symbols.isEmpty {
      try await Task.sleep(for: .seconds(1))
      look = try await source.look(at: lane)
    }
    expect(look.picture.width == 640 && look.picture.height == 480)
    expectEqual(look.picture.pixels, Self.picture)
    expectEqual(look.reading.symbols.map(\.text), ["TICKET-0001"])
    expect(look.isFrozen, "this camera gives the same picture for ever")
    await #expect(throws: CameraLookFault.tooSoon) { try await source.look(at: lane) }
    await #expect(throws: CameraLookFault.notRead) { try await source.look(at: ReaderID("other")) }
    await source.stop()
  }

  @Test func aCodeIsReadThroughTheFence() async throws {
    let camera = try FakeCamera()
    camera.state.withLock { state in
      state.offers = [VideoOffer(format: .grey, sizes: .one(VideoSize(width: 640, height: 480)))]
      state.pictureBytes = 640 * 480
      state.picture = Self.picture
    }
    let program = try #require(
      CommandLine.arguments.first.map { path in
        // Beside the tests.
        path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/scangate-decode"
      })
    let source = try CameraSource(
      [CameraConfiguration(id: ReaderID("lane"), place: .path(camera.node))], calls: camera,
      makeDecoder: fencedDecoders(program: program))
    let (stream, continuation) = AsyncStream<ReaderEvent>.makeStream()
    try await source.start { continuation.yield($0) }
    let isOver = Atomic(false)
    try SystemThread.start("feeder") {
      while !isOver.load(ordering: .relaxed) { if !camera.take() { sched_yield() } }
    }
    defer { isOver.store(true, ordering: .relaxed) }
    var told: [String] = []
    for await event in stream {
      switch event {
      case .read(let read): told.append(String(decoding: read.bytes, as: UTF8.self))
      case .inView: told.append("in view")
      case .state(_, .failed(let words)): told.append(words)
      case .state, .left, .discarded, .identityChanged: continue
      }
      if told.count == 2 { break }
    }
    await source.stop()
    expectEqual(told, ["TICKET-0001", "in view"])
  }
}
