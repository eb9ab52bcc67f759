internal import CLinux
internal import Glibc
internal import LinuxIO
internal import ScanModel

/// A program of the system that is asked for what it prints.
enum SystemProgram {
  /// What one printed on standard output.
  struct Output: Sendable, Equatable {
    var bytes: [UInt8]
    /// What it ended with; `nil` where it was ended: it took too long, or printed too much.
    var status: Int32?

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Runs a program and waits for its end; blocks. It gets nothing on standard input, and what it says of errors is dropped.
  /// - Parameters:
  ///   - most: how much is taken of what it prints, in bytes.
  ///   - patience: how long it may take.
  /// - Throws: why it could not be started.
  static func output(
    of program: String, _ arguments: [String], upTo most: Int, within patience: Duration
  ) throws(SystemError) -> Output {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(errno: errno, call: "pipe") }
    let ours = OwnedDescriptor(owning: ends[0])
    let id = try start(program, arguments, writingTo: OwnedDescriptor(owning: ends[1]), not: ours.number)
    let time = SystemTime()
    let deadline = time.now() + patience
    var bytes: [UInt8] = []
    var isWhole = false
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= most {
      let left = (deadline - time.now()).milliseconds
      guard left > 0 else { break }
      var waiting = pollfd(fd: ours.number, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Int32(clamping: left))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { break }
      let count = read(ours.number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        isWhole = count == 0
        break
      }
      bytes += buffer.prefix(count)
    }
    // It has closed its output, and may still hang.
    let hasEnded = isWhole && isOver(id, before: deadline)
    if !hasEnded { kill(id, SIGKILL) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    // WIFEXITED, WEXITSTATUS (wait.h).
    let isExit = hasEnded && status & 0x7F == 0
    return Output(bytes: Array(bytes.prefix(most)), status: isExit ? status >> 8 & 0xFF : nil)
  }

  /// Waits for a child's end, and leaves it to be reaped.
  private static func isOver(_ id: pid_t, before deadline: MonotonicTime) -> Bool {
    let number = clinux_pidfd(id)
    // Where nobody waits for children in this process, the kernel has reaped it already.
    guard number >= 0 else { return errno == ESRCH }
    let handle = OwnedDescriptor(owning: number)
    let time = SystemTime()
    while true {
      var waiting = pollfd(fd: handle.number, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Int32(clamping: max(0, (deadline - time.now()).milliseconds)))
      if ready >= 0 || errno != EINTR { return ready > 0 }
    }
  }

  private static func start(
    _ program: String, _ arguments: [String], writingTo output: consuming OwnedDescriptor, not other: Int32
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    guard posix_spawn_file_actions_init(&actions) == 0 else { throw SystemError(errno: ENOMEM, call: "posix_spawn") }
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addclose(&actions, other)
    if output.number > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, output.number) }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    // What it prints is read by a program: in the words that never change, in one piece.
    let variables = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0"]
    var environment = variables.map { strdup($0) } + [nil]
    defer { for text in words + environment { free(text) } }
    var id = pid_t()
    let result = posix_spawn(&id, program, &actions, nil, &words, &environment)
    guard result == 0 else { throw SystemError(errno: result, call: "posix_spawn") }
    return id
  }
}
