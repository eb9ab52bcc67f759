import CLinux
import Expectations
import Glibc
import LinuxIO
import Testing

/// Work that nobody waits for.
@Suite struct PacerTests {
  /// How often the calling thread has let others have the processor, and for how long it had one, in milliseconds.
  private static func use() -> (pauses: Int, worked: Int) {
    var usage = rusage()
    // RUSAGE_THREAD, which the module does not tell.
    getrusage(1, &usage)
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return (usage.ru_nvcsw, time.tv_sec * 1_000 + time.tv_nsec / 1_000_000)
  }

  @Test func workIsDoneInBits() async {
    let pauses = await SystemThread.run("pacer") {
      var pacer = Pacer()
      let before = Self.use()
      while Self.use().worked < before.worked + 40 { pacer.breathe() }
      return Self.use().pauses - before.pauses
    }
    // Some two hundred bits, of which some are longer than they are meant to be.
    expect((100...400).contains(pauses), "\(pauses)")
  }
}
