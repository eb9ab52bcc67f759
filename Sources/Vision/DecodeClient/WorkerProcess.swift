import CLinux
import DecodeProtocol
import Glibc
import LinuxIO

/// One process of the decoder, from its start until it is reaped.
final class WorkerProcess {
  enum Ending {
    case signal(Int32)
    case status(Int32)
  }

  let id: pid_t
  /// Our end of its socket.
  let socket: PacketSocket
  /// Becomes readable when it ends.
  let handle: OwnedDescriptor
  /// What it writes to its standard error.
  let noise: OwnedDescriptor
  private var isReaped = false

  /// Starts it, with its settings waiting for it. On the loop's thread: it dies with the thread that started it.
  /// - Throws: the system's error.
  init(
    program: String, settings: DecodeSettings, pictures: borrowing SealedMemory, returns: borrowing SealedMemory
  ) throws(SystemError) {
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
      throw SystemError(errno: errno, call: "socketpair")
    }
    socket = PacketSocket(owning: pair[0])
    let theirs = OwnedDescriptor(owning: pair[1])
    var pipe: [Int32] = [-1, -1]
    guard clinux_pipe(&pipe) == 0 else { throw SystemError(errno: errno, call: "pipe2") }
    noise = OwnedDescriptor(owning: pipe[0])
    let output = OwnedDescriptor(owning: pipe[1])

    // Away from the numbers that they get in the child, so that none overwrites another.
    let first = try Self.copy(output.number)
    let second = try Self.copy(theirs.number)
    let third = try Self.copy(pictures.descriptor.number)
    let fourth = try Self.copy(returns.descriptor.number)
    let numbers = [first.number, second.number, third.number, fourth.number]
    _ = socket.send(DecodeRequest.settings(version: DecodeLimits.version, settings).bytes)

    var arguments = [strdup(program), nil]
    // Nothing of ours: no library of it takes orders from variables, and a crash ends at once.
    var environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { for text in arguments + environment { free(text) } }
    var id = pid_t()
    let result = clinux_spawn(&id, program, &arguments, &environment, numbers, Int32(numbers.count))
    _ = consume fourth
    guard result == 0 else { throw SystemError(errno: result, call: "posix_spawn") }
    let handle = clinux_pidfd(id)
    guard handle >= 0 else {
      let error = SystemError(errno: errno, call: "pidfd_open")
      Glibc.kill(id, SIGKILL)
      var status: Int32 = 0
      waitpid(id, &status, 0)
      throw error
    }
    self.id = id
    self.handle = OwnedDescriptor(owning: handle)
  }

  private static func copy(_ number: Int32) throws(SystemError) -> OwnedDescriptor {
    try OwnedDescriptor(clinux_copy_above(number, 16), by: "F_DUPFD")
  }

  /// How much of the processor it has used; nothing where it has ended.
  var processorTime: Duration {
    var clock = clockid_t()
    var spent = timespec()
    guard clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &spent) == 0 else { return .zero }
    return .seconds(Int64(spent.tv_sec)) + .nanoseconds(Int64(spent.tv_nsec))
  }

  /// It stands still by a signal (SIGSTOP), or by a debugger.
  var isStopped: Bool {
    if isReaped { return false }
    var found = siginfo_t()
    return waitid(P_PID, id_t(id), &found, WSTOPPED | WNOHANG | WNOWAIT) == 0 && found.si_signo == SIGCHLD
  }

  /// Ends it, whatever it does; `handle` tells when it has.
  func kill() { if !isReaped { Glibc.kill(id, SIGKILL) } }

  /// Takes its ending from the kernel; `nil` where it still runs.
  func reap() -> Ending? {
    var status: Int32 = 0
    if isReaped { return nil }
    let reaped = waitpid(id, &status, WNOHANG)
    // Where this process was started with its children's ends ignored (SIGCHLD), the kernel reaps, and does not tell how.
    if reaped < 0, errno == ECHILD {
      isReaped = true
      return .status(-1)
    }
    guard reaped == id else { return nil }
    isReaped = true
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
  }

  /// Ends and reaps it; waits for the kernel, which takes milliseconds.
  func endAndWait() {
    kill()
    var ended = pollfd(fd: handle.number, events: Int16(POLLIN), revents: 0)
    _ = poll(&ended, 1, 1_000)
    _ = reap()
  }

  /// The lines that it wrote to its standard error since the last time, at most so many bytes of them.
  func takeNoise(limit: Int = 16_384) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = read(noise.number, &buffer, limit)
    return count > 0 ? Array(buffer.prefix(count)) : []
  }
}
