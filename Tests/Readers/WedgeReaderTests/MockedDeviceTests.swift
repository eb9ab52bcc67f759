import Expectations
import Glibc
import Testing

/// The scenarios of `wedge-mock`: the whole reader with libudev and libevdev on mocked devices, each in a process of its
/// own, because umockdev must be preloaded.
private let scenarios = [
  "reads", "replug", "permission", "grabbed", "keyDown", "overflow", "lamps", "stranger", "identical", "ambiguous",
  "contested", "composite", "ownClock", "flood", "devices", "stop", "broken", "programmed", "hotplug", "identify",
  "serviceUser",
]

private let wrapper = "/usr/bin/umockdev-wrapper"

@Suite(.enabled(if: access(wrapper, X_OK) == 0, "needs the Debian packages umockdev and libumockdev0"))
struct MockedDeviceTests {
  @Test(arguments: scenarios) func scenario(_ name: String) throws {
    var path = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    try #require(length > 0)
    let executable = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = executable.split(separator: "/").dropLast().joined(separator: "/")
    // The test bed leaves its files behind, so it gets a folder that goes with it; anybody may write there, because the
    // program gives up root's rights.
    var template = [UInt8]("/tmp/wedge-mock.XXXXXX".utf8).map { CChar(bitPattern: $0) } + [0]
    try #require(mkdtemp(&template) != nil)
    let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    chmod(temporary, 0o777)
    defer { _ = try? run(["/bin/rm", "-rf", temporary]) }
    let command = ["/usr/bin/env", "TMPDIR=\(temporary)", wrapper, "/\(folder)/wedge-mock", name]
    var (status, output) = try run(command)
    // Whoever opens a mocked device in the instant in which it is unplugged is ended by the test bed itself.
    for _ in 0..<3 where output.contains("libumockdev-preload: Failed to connect to ioctl socket") {
      (status, output) = try run(command)
    }
    expect(output.contains("passed \(name)"), "\(output)")
    expectEqual(status, 0, "\(output)")
  }

  /// Runs a program to its end: its wait status, and what it wrote.
  private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    argv.append(nil)
    defer { for argument in argv { free(argument) } }
    var child = pid_t()
    let result = posix_spawn(&child, arguments[0], &actions, nil, &argv, environ)
    close(ends[1])
    defer { close(ends[0]) }
    try #require(result == 0)
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count <= 0 { break }
      output += buffer[..<count]
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return (status, String(decoding: output, as: UTF8.self))
  }
}
