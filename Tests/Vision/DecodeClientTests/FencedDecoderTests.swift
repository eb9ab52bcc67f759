import DecodeClient
import DecodeProtocol
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Testing

@Suite(.timeLimit(.minutes(2))) struct FencedDecoderTests {
  /// Awaits the next event that is no noise.
  private func next(_ events: inout AsyncStream<DecodeEvent>.Iterator) async throws -> DecodeEvent {
    while let event = await events.next(isolation: #isolation) {
      if case .noise = event { continue }
      return event
    }
    throw CancellationError()
  }

  private func text(_ event: DecodeEvent, _ number: UInt64?) -> String? {
    guard case .reading(let frame, let reading) = event, frame == number else { return nil }
    return reading.symbols.first?.text
  }

  @Test func framesAreReadOneByOne() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    for _ in 0..<50 {
      let (number, second) = await bench.submitTwo("r")
      expect(second == nil, "one at a time")
      expectEqual(text(try await next(&events), number), "read")
    }
    let counters = await bench.counters
    expect(counters.taken == 50 && counters.read == 50 && counters.dropped == 0 && counters.fenced == 1)
    let process = await bench.process
    await bench.stop()
    expect(Bench.isGone(process))
  }

  /// What the mock does, and how it ends. Each time a new worker takes over, and the frame is counted as dropped.
  static let attempts: [(what: String, name: String, signal: Int32)] = [
    ("o", "open a file", SIGSYS), ("n", "open a socket", SIGSYS), ("x", "run a program", SIGSYS),
    ("f", "start a process", SIGSYS), ("m", "memory to run", SIGSYS), ("p", "memory made to run", SIGSYS),
    ("M", "map a descriptor", SIGSYS), ("i", "ioctl", SIGSYS), ("P", "prctl", SIGSYS), ("k", "signal others", SIGSYS),
    ("d", "copy a descriptor", SIGSYS), ("c", "close the socket", SIGSYS), ("w", "write to the picture", SIGSEGV),
  ]

  @Test(arguments: attempts) func whatItTriesEndsIt(what: String, name: String, signal: Int32) async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let process = await bench.process
    _ = await bench.submit(what)
    try await expectEqual(next(&events), .replaced(.died(signal: signal, status: 0)), "\(name)")
    await bench.ready()
    expect(Bench.isGone(process))
    let number = await bench.submit("r")
    expectEqual(text(try await next(&events), number), "read")
    let counters = await bench.counters
    expect(counters.dropped == 1 && counters.replaced == 1 && counters.fenced == 2 && counters.read == 1)
    await bench.stop()
  }

  static let lies = ["N", "K", "t", "g", "F"]

  @Test(arguments: lies) func whoLiesIsReplaced(what: String) async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let process = await bench.process
    _ = await bench.submit(what)
    guard case .replaced(.lied) = try await next(&events) else {
      Issue.record("\(what) was believed")
      return
    }
    await bench.ready()
    expect(Bench.isGone(process))
    let number = await bench.submit("r")
    expectEqual(text(try await next(&events), number), "read")
    await expectEqual(bench.counters.dropped, 1)
    await bench.stop()
  }

  @Test func anAnswerTooManyIsALie() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let number = await bench.submit("2")
    expectEqual(text(try await next(&events), number), "once")
    guard case .replaced(.lied) = try await next(&events) else {
      Issue.record("it was believed")
      return
    }
    // The frame had its answer.
    await expectEqual(bench.counters.dropped, 0)
    await bench.stop()
  }

  /// More than the longest packet: the kernel does not take it from the worker, or the client refuses it.
  @Test func aPacketThatIsTooLongIsNone() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    _ = await bench.submit("G")
    guard case .replaced = try await next(&events) else {
      Issue.record("it was believed")
      return
    }
    await bench.stop()
  }

  @Test func whoIsKilledIsReplaced() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    for round in 1...5 {
      await bench.ready()
      let process = await bench.process
      _ = await bench.submit("s")
      kill(process, SIGKILL)
      try await expectEqual(next(&events), .replaced(.died(signal: SIGKILL, status: 0)))
      await bench.ready()
      expect(Bench.isGone(process))
      let number = await bench.submit("r")
      expectEqual(text(try await next(&events), number), "read")
      await expectEqual(bench.counters.dropped, round)
    }
    await bench.stop()
  }

  /// Spinning, and stopped by a signal: neither answers.
  @Test(arguments: [false, true]) func whoHangsIsReplaced(isStopped: Bool) async throws {
    let deadline = Duration.milliseconds(250)
    let bench = try Bench(deadline: deadline)
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let process = await bench.process
    if isStopped { kill(process, SIGSTOP) }
    expect(await bench.submit(isStopped ? "r" : "s") != nil)
    try await expectEqual(next(&events), .replaced(.hung(deadline)))
    await bench.ready()
    expect(Bench.isGone(process))
    await expectEqual(bench.counters.dropped, 1)
    await bench.stop()
  }

  /// It gets as much memory as it may have, no more, and lives.
  @Test func memoryIsBounded() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let number = await bench.submit("b")
    let megabytes = text(try await next(&events), number).flatMap { Int($0) }
    expect((64...128).contains(megabytes ?? 0))
    await bench.stop()
  }

  /// It used the processor without a request: it is not asked again.
  @Test func whoGoesOnWorkingIsReplaced() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let process = await bench.process
    let first = await bench.submit("h")
    expectEqual(text(try await next(&events), first), "at work")
    // It has worked for long enough when it says so.
    await expectEqual(events.next(isolation: #isolation), .noise(lines: 1))
    expect(await bench.submit("r") == nil)
    guard case .replaced(.lied) = try await next(&events) else {
      Issue.record("it was believed")
      return
    }
    await bench.ready()
    expect(Bench.isGone(process))
    let number = await bench.submit("r")
    expectEqual(text(try await next(&events), number), "read")
    let counters = await bench.counters
    expect(counters.dropped == 0 && counters.replaced == 1)
    await bench.stop()
  }

  /// Instead of its answer, and after it.
  @Test(arguments: [false, true]) func whoTalksForEverIsReplaced(isAnswered: Bool) async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let process = await bench.process
    let first = await bench.submit(isAnswered ? "Y" : "y")
    if isAnswered { expectEqual(text(try await next(&events), first), "heard") }
    guard case .replaced(.lied) = try await next(&events) else {
      Issue.record("it was listened to")
      return
    }
    await bench.ready()
    expect(Bench.isGone(process))
    await expectEqual(bench.counters.dropped, (isAnswered ? 0 : 1))
    await bench.stop()
  }

  /// The C library says what is broken before it ends the process.
  @Test func lastWordsAreHeard() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    _ = await bench.submit("a")
    guard case .replaced(.died) = try await next(&events) else {
      Issue.record("it lives")
      return
    }
    await expectEqual(bench.counters.noise, 1)
    await bench.stop()
  }

  @Test func itsWordsAreCountedAndThrownAway() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    var lines = 0
    func word() async -> DecodeEvent? {
      while let event = await events.next(isolation: #isolation) {
        guard case .noise(let count) = event else { return event }
        lines += count
      }
      return nil
    }
    for _ in 0..<3 {
      let number = await bench.submit("e")
      expectEqual(text(try #require(await word()), number), "noisy")
    }
    // They are told once a second, and between two of its answers where those take longer.
    while lines < 9, let event = await events.next(isolation: #isolation) {
      if case .noise(let count) = event { lines += count }
    }
    expectEqual(lines, 9)
    await expectEqual(bench.counters.noise, 9)
    await bench.stop()
  }

  @Test func characterSetsAreThereBehindTheFence() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let number = await bench.submit("C")
    expectEqual(text(try await next(&events), number), "all")
    await bench.stop()
  }

  /// One that never comes to work is told once, however often it is tried.
  @Test(arguments: [UInt32(1), 2]) func whoCannotStartIsToldOnce(stages: UInt32) async throws {
    let bench = try Bench(settings: DecodeSettings(stages: stages))
    var events = bench.events.makeAsyncIterator()
    await bench.start()
    guard case .replaced(.cannotStart(let words)) = try await next(&events) else {
      Issue.record("it started")
      return
    }
    expect(words.contains(stages == 1 ? "no wish to start" : "ended with status 9"))
    while await bench.counters.replaced < 3 { await bench.loop.heartbeat() }
    expect(await !bench.isReady)
    await bench.stop()
    await #expect(throws: CancellationError.self, "told once") { _ = try await next(&events) }
  }

  @Test func aProgramThatIsNotThereIsToldOnce() async throws {
    let bench = try Bench("/nowhere/scangate-decode")
    var events = bench.events.makeAsyncIterator()
    await bench.start()
    try await expectEqual(next(&events), .replaced(.cannotStart("/nowhere/scangate-decode: No such file or directory")))
    await bench.stop()
    expect(await events.next(isolation: #isolation) == nil)
  }

  @Test func aFrameThatIsTooLargeIsNotTaken() async throws {
    let bench = try Bench()
    await bench.ready()
    let bytes = [UInt8](repeating: 0, count: DecodeLimits.maximumFrame + 1)
    expect(await bench.submit(.grey, 4_096, 4_097, 4_096, bytes) == nil)
    expect(await bench.submit(.grey, -1, 8, 8, [0]) == nil)
    expect(await bench.isReady)
    await bench.stop()
  }
}

/// The worker that is shipped.
@Suite(.timeLimit(.minutes(2))) struct RealWorkerTests {
  @Test func itIsFenced() async throws {
    let bench = try Bench("scangate-decode")
    await bench.ready()
    let file = try #require(fopen("/proc/\(await bench.process)/status", "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = fread(&bytes, 1, bytes.count, file)
    let status = String(decoding: bytes.prefix(count), as: UTF8.self)
    expect(status.contains("Seccomp:\t2\n") && status.contains("NoNewPrivs:\t1\n"))
    expect(status.contains("CapEff:\t0000000000000000\n") && status.contains("Threads:\t1\n"))
    await bench.stop()
  }

  /// Pictures lie in its memory: no other process of its user reads that (proc(5), PR_SET_DUMPABLE).
  @Test func noOtherLooksIntoIt() async throws {
    let bench = try Bench("scangate-decode")
    await bench.ready()
    // Root may do everything: there it is tried without its capabilities, of which several allow this.
    let asAnyone = geteuid() == 0 ? "setpriv --bounding-set -all --inh-caps -all" : ""
    func isDone(_ command: String) -> Bool { system("\(asAnyone) sh -c '\(command)' >/dev/null 2>&1") == 0 }
    expect(isDone("sleep 60 & cat /proc/$!/maps; read=$?; kill $!; exit $read"), "one that is not fenced can be read")
    let worker = await bench.process
    expect(!isDone("cat /proc/\(worker)/maps"))
    await bench.stop()
  }

  /// Where memory runs out, it goes before what it serves.
  @Test func itGivesWay() async throws {
    let bench = try Bench("scangate-decode")
    await bench.ready()
    let file = try #require(fopen("/proc/\(await bench.process)/oom_score_adj", "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = fread(&bytes, 1, bytes.count, file)
    expectEqual(String(decoding: bytes.prefix(count), as: UTF8.self), "1000\n")
    await bench.stop()
  }

  /// Its memory is enough for the largest frame of each sort.
  @Test(arguments: [
    ("GREY", 4_096, 4_096, 1), ("BA81", 4_096, 4_096, 1), ("YUYV", 4_096, 2_048, 2), ("RGB3", 2_048, 2_048, 3),
  ])
  func theLargestFrameIsRead(name: String, width: Int, height: Int, size: Int) async throws {
    let bench = try Bench("scangate-decode")
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let (side, grey) = QRSample.pixels(scale: 12)
    var bytes = [UInt8](repeating: name == "YUYV" ? 128 : 250, count: width * height * size)
    for row in 0..<side {
      for column in 0..<side * size where name != "YUYV" || column % 2 == 0 {
        bytes[(row * width) * size + column] = grey[row * side + column / size]
      }
    }
    let scalars = Array(name.unicodeScalars)
    let format = PixelFormat(scalars[0], scalars[1], scalars[2], scalars[3])
    let number = await bench.submit(format, width, height, width * size, bytes)
    expect(number != nil)
    guard case .reading(number, let reading)? = await events.next(isolation: #isolation) else {
      Issue.record("it was not read")
      return
    }
    expectEqual(reading.symbols.map(\.text), [QRSample.text])
    await expectEqual(bench.counters.replaced, 0)
    await bench.stop()
  }

  /// Frames of every sort, right and wrong: each has an answer, and none ends the worker.
  @Test func everyFormatIsAnsweredBehindTheFence() async throws {
    let bench = try Bench("scangate-decode")
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let names = [
      "GREY", "NV12", "NV21", "NV16", "YU12", "YV12", "YUYV", "YVYU", "UYVY", "VYUY", "MJPG", "JPEG", "RGB3", "BGR3",
      "RGBP", "BA81", "GBRG", "GRBG", "RGGB", "Y16 ", "Y10 ", "S910", "S501", "S561", "P207", "MJ31", "PJPG", "HM12",
      "O511", "O518", "H264", "????",
    ]
    for name in names {
      let scalars = Array(name.unicodeScalars)
      let format = PixelFormat(scalars[0], scalars[1], scalars[2], scalars[3])
      for (count, stride) in [(64 * 48 * 4, 128), (64 * 48 * 4, 64), (100, 64), (1, 0), (64 * 48 * 4, 1 << 30)] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let number = await bench.submit(format, 64, 48, stride, bytes)
        expect(number != nil)
        switch await events.next(isolation: #isolation) {
        case .reading(let frame, _): expectEqual(frame, number)
        case .spoilt(let frame, .picture): expectEqual(frame, number)
        case let event: Issue.record("\(name), \(count) bytes: \(String(describing: event))")
        }
      }
    }
    await expectEqual(bench.counters.replaced, 0)
    await bench.stop()
  }
}
