import Glibc
import LinuxIO
import Testing

/// A running `journal-child`: its lines, and signals to it. Killed when it goes.
final class Child {
  let process: pid_t
  private let input: Int32
  private let output: Int32
  private var rest: [UInt8] = []

  /// Starts it beside the test's own executable.
  init(_ arguments: String...) throws {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    try #require(pipe(&toChild) == 0 && pipe(&fromChild) == 0)
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    var path = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    try #require(length > 0)
    let executable = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = "/" + executable.split(separator: "/").dropLast().joined(separator: "/")
    let words = [folder + "/journal-child"] + arguments
    var argv = words.map { strdup($0) } + [nil]
    defer { for pointer in argv { free(pointer) } }
    var id = pid_t()
    let result = posix_spawn(&id, words[0], &actions, nil, &argv, environ)
    close(toChild[0])
    close(fromChild[1])
    input = toChild[1]
    output = fromChild[0]
    try #require(result == 0)
    process = id
  }

  deinit {
    close(input)
    close(output)
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  /// Kills it; returns when it is dead.
  func killAndWait() {
    kill(process, SIGKILL)
    var info = siginfo_t()
    waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT)
  }

  func tell(_ line: String) { _ = write(input, line + "\n", line.utf8.count + 1) }

  /// Its next line; `nil` at its end.
  func next() -> String? {
    while true {
      if let end = rest.firstIndex(of: 10) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeSubrange(...end)
        return line
      }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = read(output, &buffer, buffer.count)
      if count <= 0 { return nil }
      rest += buffer.prefix(count)
    }
  }

  /// The next line that begins with `text`.
  func next(_ text: String) throws -> String {
    while let line = next() { if line.hasPrefix(text) { return line } }
    Issue.record("it ended without \"\(text)\"")
    throw CancellationError()
  }
}
