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
    var status: Int32 = 0
    var ended = isWhole ? waitpid(id, &status, WNOHANG) : 0
    while ended == 0, isWhole, time.now() < deadline {
      usleep(1_000)
      ended = waitpid(id, &status, WNOHANG)
    }
    if ended == 0 {
      kill(id, SIGKILL)
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      return Output(bytes: Array(bytes.prefix(most)), status: nil)
    }
    // WIFEXITED, WEXITSTATUS (wait.h).
    return Output(bytes: Array(bytes.prefix(most)), status: status & 0x7F == 0 ? status >> 8 & 0xFF : nil)
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
