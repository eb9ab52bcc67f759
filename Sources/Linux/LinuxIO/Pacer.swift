internal import CLinux
import Glibc

/// Has work that nobody waits for done in bits: after each the processor is left to others for as long again. So whoever is woken meanwhile
/// waits for a bit at most. A lower priority does less: the service may ask for none, and what a thread holds while it is put off (a lock, the
/// heap's) others wait for. Of one thread.
package struct Pacer {
  /// How long is worked on end, in nanoseconds of the thread's processor time.
  private static let bit: Int64 = 200_000
  /// For how long not, in nanoseconds; less than a second.
  private static let pause = 200_000

  /// As `worked`.
  private var began: Int64

  /// Begins a bit of the calling thread's.
  package init() { began = Self.worked }

  /// Sleeps for a fifth of a millisecond where the thread has worked for as long since the bit began, and begins another one; returns at
  /// once otherwise. To be called often, by the thread that began.
  package mutating func breathe() {
    guard Self.worked - began >= Self.bit else { return }
    var pause = timespec(tv_sec: 0, tv_nsec: Self.pause)
    nanosleep(&pause, nil)
    began = Self.worked
  }

  /// For how long this thread has had a processor, in nanoseconds.
  private static var worked: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
