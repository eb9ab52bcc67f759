import Glibc
import LinuxIO
import Testing

/// A running `holder-bench`: its lines, and signals to it. Killed when it goes.
final class Child {
  let process: pid_t
  private let input: Int32
  private var isInputOpen = true
  private let lines: AsyncStream<String>
  private let reader: LineReader
  /// Every line that was taken so far.
  private(set) var seen: [String] = []
  private var iterator: AsyncStream<String>.Iterator

  /// Starts it beside the test's own executable.
  init(_ arguments: [String], environment: [String] = []) throws {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    try #require(pipe(&toChild) == 0 && pipe(&fromChild) == 0)
    for end in [toChild[1], fromChild[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    let words = [try Self.folder() + "/holder-bench"] + arguments
    var argv = words.map { strdup($0) } + [nil]
    var envp = environment.map { strdup($0) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var id = pid_t()
    let result = posix_spawn(&id, words[0], &actions, nil, &argv, &envp)
    close(toChild[0])
    close(fromChild[1])
    input = toChild[1]
    try #require(result == 0)
    process = id
    reader = try LineReader(fromChild[0])
    lines = reader.lines
    iterator = lines.makeAsyncIterator()
  }

  /// Where the executables are that were built with the tests.
  static func folder() throws -> String {
    var path = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    try #require(length > 0)
    let executable = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "/" + executable.split(separator: "/").dropLast().joined(separator: "/")
  }

  deinit {
    closeInput()
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  func send(_ signal: Int32) { kill(process, signal) }

  /// Stops it; returns when each of its threads has stopped.
  func stop() {
    kill(process, SIGSTOP)
    var info = siginfo_t()
    waitid(P_PID, id_t(process), &info, WSTOPPED)
  }

  /// Ends its standard input.
  func closeInput() {
    if isInputOpen { close(input) }
    isInputOpen = false
  }

  func tell(_ line: String) { _ = write(input, line + "\n", line.utf8.count + 1) }

  /// Kills it; returns when it is dead. It is reaped when it goes: its number stays its own until then.
  func killAndWait() {
    kill(process, SIGKILL)
    var info = siginfo_t()
    waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT)
  }

  /// The next line that has `text` in it; the lines before it are in `seen`.
  @discardableResult func next(_ text: String) async throws -> String {
    while let line = await iterator.next(isolation: #isolation) {
      seen.append(line)
      if line.contains(text) { return line }
    }
    Issue.record("it ended without \"\(text)\"; it said \(seen)")
    throw CancellationError()
  }

  /// The time at the end of a line.
  static func time(_ line: String) throws -> Int64 {
    try #require(line.split(separator: " ").last.flatMap { Int64($0) })
  }
}

/// Reads lines from a pipe on a thread of its own.
private final class LineReader: Sendable {
  let lines: AsyncStream<String>
  private let loop: DeviceLoop

  init(_ number: Int32) throws {
    let (lines, tell) = AsyncStream<String>.makeStream()
    self.lines = lines
    loop = try DeviceLoop(name: "lines")
    let rest = Rest()
    let loop = loop
    _ = loop.watch(number, for: .readable) { _ in
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = read(number, &buffer, buffer.count)
      if count <= 0 {
        tell.finish()
        close(number)
        loop.stop()
        return
      }
      for line in rest.take(buffer.prefix(count)) { tell.yield(line) }
    }
  }

  /// What is left of a line; used on the loop's thread alone.
  private final class Rest: @unchecked Sendable {
    // Only the handler above has it, and the loop calls that one call at a time.
    private var bytes: [UInt8] = []
    func take(_ new: some Sequence<UInt8>) -> [String] {
      bytes += new
      var parts = bytes.split(separator: 10, omittingEmptySubsequences: false)
      bytes = Array(parts.popLast() ?? [])
      return parts.map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
