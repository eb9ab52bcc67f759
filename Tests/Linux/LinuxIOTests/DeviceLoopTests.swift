import Expectations
import Glibc
import LinuxIO
import ScanModel
import Testing

/// An actor that lives on a device loop, as readers and outputs do.
private actor Resident {
  private let loop: DeviceLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var received: [UInt8] = []
  private var fired: [Int] = []

  init(loop: DeviceLoop) { self.loop = loop }

  func isOnLoop() -> Bool { loop.isCurrent }

  func read(from descriptor: Int32, into stream: AsyncStream<[UInt8]>.Continuation) {
    _ = loop.watch(descriptor, for: .readable) { readiness in
      self.assumeIsolated { $0.take(descriptor, readiness, stream) }
    }
  }

  private func take(_ descriptor: Int32, _ readiness: DeviceLoop.Readiness, _ stream: AsyncStream<[UInt8]>.Continuation)
  {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    stream.yield(Array(buffer.prefix(max(0, count))))
  }

  func alarms(_ stream: AsyncStream<Int>.Continuation) {
    let now = SystemTime().now()
    _ = loop.at(now + .milliseconds(20)) { stream.yield(3) }
    _ = loop.at(now + .milliseconds(5)) { stream.yield(1) }
    let cancelled = loop.at(now + .milliseconds(8)) { stream.yield(99) }
    _ = loop.at(now + .milliseconds(10)) { stream.yield(2) }
    loop.cancel(cancelled)
  }
}

@Test func actorsOfALoopRunOnItsThread() async throws {
  let loop = try DeviceLoop(name: "test")
  defer { loop.stop() }
  expect(await Resident(loop: loop).isOnLoop())
  expect(!loop.isCurrent)
}

@Test func aReadableDescriptorReachesItsHandler() async throws {
  let loop = try DeviceLoop(name: "test")
  defer { loop.stop() }
  var ends: [Int32] = [0, 0]
  try #require(pipe(&ends) == 0)
  let reading = OwnedDescriptor(owning: ends[0])
  let writing = OwnedDescriptor(owning: ends[1])
  let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
  await Resident(loop: loop).read(from: reading.number, into: continuation)
  var iterator = stream.makeAsyncIterator()
  for text in ["one", "two"] {
    expectEqual(write(writing.number, text, text.utf8.count), text.utf8.count)
    await expectEqual(iterator.next(), [UInt8](text.utf8))
  }
}

@Test func timersFireInOrderAndNotWhenCancelled() async throws {
  let loop = try DeviceLoop(name: "test")
  defer { loop.stop() }
  let (stream, continuation) = AsyncStream<Int>.makeStream()
  await Resident(loop: loop).alarms(continuation)
  var seen: [Int] = []
  for await value in stream {
    seen.append(value)
    if seen.count == 3 { break }
  }
  expectEqual(seen, [1, 2, 3])
}

@Test func timesSaturateInsteadOfTrapping() {
  let end = MonotonicTime(nanoseconds: .max)
  expectEqual(end + .seconds(Int64.max), end)
  expectEqual(MonotonicTime(nanoseconds: .min) - .seconds(5), MonotonicTime(nanoseconds: .min))
  expectEqual(WallTime(seconds: .max).nanoseconds, .max)
  expectEqual(WallTime(nanoseconds: -1).seconds, -1)
  expectEqual((MonotonicTime(nanoseconds: 5) - MonotonicTime(nanoseconds: 7)), .nanoseconds(-2))
}

/// A device says in one of three ways that it is gone.
@Test(arguments: [POLLERR, POLLHUP, POLLNVAL]) func anyOfTheThreeSaysThatADeviceIsGone(bit: Int32) {
  expect(DeviceLoop.Readiness(rawValue: Int16(bit)).isGone)
  expect(DeviceLoop.Readiness(rawValue: Int16(bit | POLLIN)).isGone)
  expect(!DeviceLoop.Readiness.readable.isGone)
}

/// On no actor.
private func isHere(_ loop: DeviceLoop) async -> Bool { loop.isCurrent }

@Test func aTaskThatPrefersALoopRunsThereWhereItIsOnNoActor() async throws {
  let loop = try DeviceLoop(name: "test", runsTasks: true)
  defer { loop.stop() }
  let resident = Resident(loop: loop)
  let places = await Task(executorPreference: loop.tasks) {
    [await isHere(loop), await resident.isOnLoop(), await isHere(loop)]
  }.value
  expectEqual(places, [true, true, true])
  expect(!(await isHere(loop)))
}

/// A thread that sleeps is woken once, and by everything that comes after it looked.
@Test func whatIsBroughtFromAnywhereIsNeverLeftLying() async throws {
  let loop = try DeviceLoop(name: "test", runsTasks: true)
  defer { loop.stop() }
  let resident = Resident(loop: loop)
  let count = extent(landing: 3_000, release: 100_000)
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<4 {
      group.addTask { for _ in 0..<count { _ = await resident.isOnLoop() } }
      group.addTask { for _ in 0..<count / 10 { await loop.heartbeat() } }
    }
  }
}

@Test func jobsThatNeverEndDoNotKeepDescriptorsWaiting() async throws {
  let loop = try DeviceLoop(name: "test", runsTasks: true)
  defer { loop.stop() }
  let busy = Task(executorPreference: loop.tasks) { while !Task.isCancelled { await Task.yield() } }
  var ends: [Int32] = [0, 0]
  try #require(pipe(&ends) == 0)
  let reading = OwnedDescriptor(owning: ends[0])
  let writing = OwnedDescriptor(owning: ends[1])
  let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
  await Resident(loop: loop).read(from: reading.number, into: continuation)
  expectEqual(write(writing.number, "one", 3), 3)
  var iterator = stream.makeAsyncIterator()
  await expectEqual(iterator.next(), [UInt8]("one".utf8))
  busy.cancel()
  await busy.value
}
