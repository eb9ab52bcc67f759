internal import CLinux
internal import Glibc
internal import ScanModel

/// The machine's time daemon, asked by systemd's own tool: it knows the kernel's word whichever program keeps the clock (timesyncd, chrony, ntpd).
package enum TimeDaemon {
  private static let tool = "/usr/bin/timedatectl"
  private static let words = ["show", "--property=NTPSynchronized", "--value"]

  /// Whether it says that the clock is kept right; `false` where it does not answer. Waits for it, for `limit` at most.
  package static func saysSynchronised(_ program: String = tool, within limit: Duration = .seconds(10)) -> Bool {
    guard let said = answer(of: program, words, within: limit) else { return false }
    return said == Array("yes\n".utf8)
  }

  /// What a program prints, on both its outputs, if it ends well and in time; `nil` otherwise, or where it prints more than a line may have.
  private static func answer(of program: String, _ words: [String], within limit: Duration) -> [UInt8]? {
    var pipe: [Int32] = [-1, -1]
    guard clinux_pipe(&pipe) == 0 else { return nil }
    let output = OwnedDescriptor(owning: pipe[0])
    let input = OwnedDescriptor(owning: pipe[1])
    // Away from the numbers that it gets in the child.
    let copied = clinux_copy_above(input.number, 16)
    guard copied >= 0 else { return nil }
    let given = OwnedDescriptor(owning: copied)
    _ = consume input
    var arguments = ([program] + words).map { strdup($0) } + [nil]
    var environment = [strdup("LC_ALL=C"), nil]
    defer { for text in arguments + environment { free(text) } }
    var id = pid_t()
    let started = clinux_spawn_from(1, &id, program, &arguments, &environment, [given.number, given.number], 2)
    _ = consume given
    guard started == 0 else { return nil }
    let end = SystemTime().now() + limit
    let text = readAll(output.number, until: end)
    let handle = OwnedDescriptor(owning: clinux_pidfd(id))
    // Who says nothing in time, or says it and does not end, is ended.
    if text == nil || !awaits(handle.number, until: end) { kill(id, SIGKILL) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? text : nil
  }

  /// What comes until the end; `nil` where that is late, or more than 256 bytes.
  private static func readAll(_ number: Int32, until end: MonotonicTime) -> [UInt8]? {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 257)
    while awaits(number, until: end) {
      let count = read(number, &buffer, buffer.count)
      if count == 0 { return text }
      if count < 0 {
        guard errno == EAGAIN || errno == EINTR else { return nil }
        continue
      }
      text += buffer.prefix(count)
      guard text.count <= 256 else { return nil }
    }
    return nil
  }

  /// Waits until a descriptor can be read; `false` where that is not so by `end`.
  private static func awaits(_ number: Int32, until end: MonotonicTime) -> Bool {
    while true {
      let left = end - SystemTime().now()
      guard left > .zero else { return false }
      var readable = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
      let found = poll(&readable, 1, Int32(clamping: left.saturatedNanoseconds / 1_000_000 + 1))
      if found > 0 { return true }
      guard found == 0 || errno == EINTR else { return false }
    }
  }
}
