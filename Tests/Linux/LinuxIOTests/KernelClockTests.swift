import Expectations
import Foundation
import LinuxIO
import ScanModel
import Synchronization
import Testing

/// A machine whose clock a test sets, and what its kernel and its time daemon say.
private final class Machine: TimeSource {
  struct State {
    var now: Int64 = 1_000
    var wall: Int64 = 1_800_000_000
    var kernel = KernelClock.Word.refused
    var daemon = false
    var asked = 0
  }
  let state = Mutex(State())
  func now() -> MonotonicTime { MonotonicTime(nanoseconds: state.withLock { $0.now } * 1_000_000_000) }
  func wall() -> WallTime { WallTime(seconds: state.withLock { $0.wall }) }
  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
  var asked: Int { state.withLock { $0.asked } }
  func clock() -> KernelClock {
    KernelClock(
      time: self, kernel: { self.state.withLock { $0.kernel } },
      daemon: {
        self.state.withLock {
          $0.asked += 1
          return $0.daemon
        }
      })
  }
}

@Suite struct KernelClockTests {
  @Test(arguments: [(KernelClock.Word.synchronised, true), (.unsynchronised, false)])
  func whereTheKernelTellsNobodyElseIsAsked(word: KernelClock.Word, isSynchronised: Bool) {
    let machine = Machine()
    machine.change { $0.kernel = word }
    machine.change { $0.daemon = !isSynchronised }
    let clock = machine.clock()
    clock.refresh()
    expectEqual(clock.isSynchronised, isSynchronised)
    expectEqual(machine.asked, 0)
  }

  @Test func whereItRefusesTheDaemonsYesIsGoodUntilTheClockIsSet() {
    let machine = Machine()
    let clock = machine.clock()
    clock.refresh()
    expect(!clock.isSynchronised)
    machine.change { $0.daemon = true }
    clock.refresh()
    expect(clock.isSynchronised)
    // It is not asked again while it need not be.
    clock.refresh()
    expectEqual(machine.asked, 2)
    machine.change { ($0.now, $0.wall) = ($0.now + 86_400, $0.wall + 86_401) }
    expect(clock.isSynchronised)
    machine.change { $0.wall += 3 }
    expect(!clock.isSynchronised)
    machine.change { $0.daemon = false }
    clock.refresh()
    expect(!clock.isSynchronised)
    machine.change { $0.daemon = true }
    clock.refresh()
    expect(clock.isSynchronised)
  }

  /// What a program in the daemon's place does, and whether that says yes.
  @Test(arguments: [
    ("echo yes", true), ("echo no", false), ("echo yes; exit 1", false), ("echo yes; echo more", false),
    ("exec yes", false),
    ("echo 'Failed to connect to bus' >&2; echo yes", false), ("exec sleep 1000", false),
    ("echo yes; exec >&- 2>&-; exec sleep 1000", false),
  ])
  func onlyOneWholeYesCounts(body: String, isYes: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "daemon-\(ScanID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "timedatectl").path
    try "#!/bin/sh\n\(body)\n".write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    expectEqual(TimeDaemon.saysSynchronised(program, within: isYes ? .seconds(60) : .seconds(1)), isYes)
  }

  @Test func whoIsNotThereSaysNothing() {
    expect(!TimeDaemon.saysSynchronised("/nowhere/timedatectl"))
  }
}
