import Glibc
import LinuxIO
import Testing

/// Runs a program to its end, with its output in a file.
///
/// By hand, because Foundation's processes are waited for with a run loop and share their pipes' ends with one another's children.
/// - Returns: its status as `waitpid` tells it: 0 for a good end, the signal's number where one killed it.
func runProgram(
  _ path: String, _ arguments: [String], environment: [String] = [], output: String = "/dev/null"
) async throws -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
  let command: [String] = [path] + arguments
  let words = command.map { strdup($0) } + [nil]
  let variables = environment.map { strdup($0) } + [nil]
  defer { for text in words + variables { free(text) } }
  var child: pid_t = 0
  try #require(posix_spawn(&child, path, &actions, nil, words, variables) == 0)
  let started = child
  // On a thread of its own: the tests' threads are few.
  return try await withCheckedThrowingContinuation { done in
    do {
      try SystemThread.start("wait") {
        var status: Int32 = 0
        while waitpid(started, &status, 0) < 0, errno == EINTR {}
        done.resume(returning: status)
      }
    } catch {
      done.resume(throwing: error)
    }
  }
}
