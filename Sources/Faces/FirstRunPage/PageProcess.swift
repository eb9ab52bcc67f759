internal import CLinux
internal import Glibc
package import LinuxIO

/// The page's process as the terminal's has it: started without anything of ours but one socket.
package final class PageProcess: Sendable {
  /// What is said to it.
  package let link: PageLink
  private let id: pid_t

  /// Starts `scangate setup-page`.
  /// - Throws: the system's error.
  package init() throws(SystemError) {
    var pair: [Int32] = [-1, -1]
    guard
      socketpair(
        AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0,
        &pair) == 0
    else { throw SystemError(errno: errno, call: "socketpair") }
    link = PageLink(PacketSocket(owning: pair[0]))
    let theirs = OwnedDescriptor(owning: pair[1])
    // Away from the numbers that they get in the child, so that none overwrites another.
    let noise = try OwnedDescriptor(clinux_copy_above(STDERR_FILENO, 16), by: "F_DUPFD")
    let socket = try OwnedDescriptor(clinux_copy_above(theirs.number, 16), by: "F_DUPFD")
    let numbers = [noise.number, socket.number]
    var arguments = [strdup("scangate"), strdup("setup-page"), nil]
    // Nothing of ours: a crash ends at once.
    var environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { for text in arguments + environment { free(text) } }
    var id = pid_t()
    let result = clinux_spawn(&id, "/proc/self/exe", &arguments, &environment, numbers, Int32(numbers.count))
    guard result == 0 else { throw SystemError(errno: result, call: "posix_spawn") }
    self.id = id
  }

  /// Whether it has no more rights than it may, in none of its threads: none of root's, and no capability. As the kernel tells it, not
  /// as it says itself.
  package var isConfined: Bool {
    guard let folder = opendir("/proc/\(id)/task") else { return false }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard Int(name) != nil else { continue }
      guard Self.isConfined("/proc/\(id)/task/\(name)/status") else { return false }
      count += 1
    }
    return count > 0
  }

  private static func isConfined(_ path: String) -> Bool {
    guard let bytes = try? SmallFile.read(path, limit: 65_536) else { return false }
    var (isUser, isBare, isHeld) = (false, false, false)
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split { $0 == "\t" || $0 == " " }
      switch words.first {
      case "Uid:": isUser = words.count == 5 && !words.contains("0")
      case "CapEff:": isBare = words.last?.allSatisfy { $0 == "0" } == true
      case "NoNewPrivs:": isHeld = words.last == "1"
      default: break
      }
    }
    return isUser && isBare && isHeld
  }

  /// Ends it.
  package func end() {
    kill(id, SIGKILL)
    var status: Int32 = 0
    waitpid(id, &status, 0)
  }
}

/// What the page's process does to itself before it hears anything.
package enum PageFence {
  /// The socket's number in it.
  package static let socket: Int32 = 3

  /// Gives up everything that a page does not need: root's user and groups, every capability, new privileges, core files. Then the
  /// program begins anew: rights are a thread's, the main thread of an asynchronous program waits where no call of the C library
  /// reaches it, and would go on being root's. What begins anew has one thread, with what this one has left.
  /// - Parameter arguments: what the program is started with.
  /// - Throws: the system's error: then there is to be no page. Does not return otherwise.
  package static func close(beginningAnew arguments: [String]) throws(SystemError) -> Never {
    if geteuid() == 0 {
      guard let entry = getpwnam("scangate-console") ?? getpwnam("nobody"), entry.pointee.pw_uid != 0 else {
        throw SystemError(errno: ENOENT, call: "getpwnam")
      }
      let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
      guard setgroups(0, nil) == 0, setgid(group) == 0, setuid(user) == 0 else {
        throw SystemError(errno: errno, call: "setuid")
      }
    }
    guard clinux_drop_capabilities() == 0, clinux_no_new_privileges() == 0,
      clinux_limit(clinux_limit_core, 0) == 0, clinux_limit(clinux_limit_file_size, 0) == 0,
      clinux_limit(clinux_limit_files, 256) == 0
    else { throw SystemError(errno: errno, call: "prctl") }
    let words = arguments.map { strdup($0) } + [nil]
    let environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    execve("/proc/self/exe", words, environment)
    throw SystemError(errno: errno, call: "execve")
  }

  /// Nobody else of the same user may look into its memory, through which the key passes.
  /// - Throws: the system's error.
  package static func hide() throws(SystemError) {
    guard clinux_not_dumpable() == 0 else { throw SystemError(errno: errno, call: "prctl") }
  }
}
