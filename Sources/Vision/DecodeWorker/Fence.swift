import CLinux
import CSeccomp
import Glibc

/// What the worker does to itself before it looks at the first picture of a stranger: from then on it can compute, use memory
/// within bounds, and answer on the one socket that it has. Whatever else it tries ends it with SIGSYS.
///
///     open ──restrict──▶ restricted ──close──▶ closed
///
/// Restricted, files can still be opened: what libraries load late is loaded then (`WarmUp`).
package struct Fence {
  /// Why the fence cannot be closed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  /// The descriptor of the socket to the client.
  static let socket: Int32 = 3
  /// The descriptor of the memory in which pictures come.
  static let pictures: Int32 = 4
  /// The descriptor of the memory for what is sent back beside a result.
  static let returns: Int32 = 5

  /// The answer of a closed fence to a call that is tried on purpose: no system call gives it by itself there.
  private static let trialError = ENOTRECOVERABLE

  /// Lets the gateway, which started it, have memory and the processor first. Where the system does not take that, the
  /// limits are there.
  static func giveWay() {
    _ = clinux_die_first()
    _ = clinux_no_favour()
  }

  /// Gives up rights for good.
  /// - Throws: what did not work; the process has to end then.
  static func restrict() throws(Failure) {
    let steps: [(String, () -> Int32)] = [
      ("dying with the client", clinux_die_with_parent),
      ("no new privileges", clinux_no_new_privileges),
      ("no capabilities", clinux_drop_capabilities),
      ("not to be looked into", clinux_not_dumpable), ("words that do not end it", clinux_no_size_signal),
    ]
    for (name, step) in steps where step() != 0 { throw failure(name, errno) }
  }

  /// Sets the limits and the filter, and tries whether it is there.
  /// - Parameter memory: how many bytes of its own the process may use.
  /// - Throws: what did not work; the process has to end then.
  static func close(memory: Int) throws(Failure) {
    // Mappings of files and of shared memory are on top, and what the libraries reserve.
    let space = UInt(memory) + 1 << 30
    let limits: [(String, clinux_limit, UInt)] = [
      ("a limit of memory", clinux_limit_data, UInt(memory)), ("a limit of address space", clinux_limit_memory, space),
      ("no core", clinux_limit_core, 0), ("no files written", clinux_limit_file_size, 0),
      ("no files opened", clinux_limit_files, 0), ("no processes", clinux_limit_processes, 0),
      ("no locked memory", clinux_limit_locked, 0),
    ]
    for (name, limit, most) in limits where clinux_limit(limit, most) != 0 { throw failure(name, errno) }
    try filter()
    errno = 0
    guard clinux_parent() == -1, errno == trialError else { throw Failure(description: "the filter lets a call pass") }
  }

  private static func failure(_ name: String, _ number: Int32) -> Failure {
    Failure(description: "the kernel refuses \"\(name)\": error \(number)")
  }

  /// A condition on an argument of a call: its lower 32 bits, masked, are this value.
  private static func argument(_ index: UInt32, _ mask: Int32 = -1, is value: Int32) -> scmp_arg_cmp {
    scmp_arg_cmp(
      arg: index, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(UInt32(bitPattern: mask)),
      datum_b: UInt64(UInt32(bitPattern: value)))
  }

  private static func filter() throws(Failure) {
    guard let filter = seccomp_init(cseccomp_kill) else {
      throw Failure(description: "the kernel refuses seccomp; a service that may not call it cannot start a decoder")
    }
    defer { seccomp_release(filter) }
    // Calls of another architecture's numbers: this kernel may know some.
    guard seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, cseccomp_kill) == 0 else {
      throw Failure(description: "the filter cannot refuse other architectures")
    }

    func rule(_ action: UInt32, _ name: String, _ conditions: [scmp_arg_cmp]) throws(Failure) {
      let call = seccomp_syscall_resolve_name(name)
      // Not every architecture has each of them under a name of its own.
      guard call >= 0 else { return }
      let result = seccomp_rule_add_array(filter, action, call, UInt32(conditions.count), conditions)
      guard result == 0 else { throw failure("the rule for \(name)", -result) }
    }

    // Packets on the socket, words to the standard error (libraries write there), and nothing to any address.
    try rule(cseccomp_allow, "recvfrom", [argument(0, is: socket)])
    let nowhere = scmp_arg_cmp(arg: 4, op: SCMP_CMP_EQ, datum_a: 0, datum_b: 0)
    try rule(cseccomp_allow, "sendto", [argument(0, is: socket), nowhere])
    for output in [STDOUT_FILENO, STDERR_FILENO] { try rule(cseccomp_allow, "write", [argument(0, is: output)]) }
    // The C library's last words, when it finds its memory broken.
    try rule(cseccomp_allow, "writev", [argument(0, is: STDERR_FILENO)])

    // Memory of its own, never to be run.
    try rule(
      cseccomp_allow, "mmap",
      [
        argument(2, PROT_EXEC, is: 0),
        argument(3, MAP_ANONYMOUS | MAP_PRIVATE | MAP_SHARED, is: MAP_ANONYMOUS | MAP_PRIVATE),
      ])
    try rule(cseccomp_allow, "mprotect", [argument(2, PROT_EXEC, is: 0)])
    for name in ["brk", "munmap", "mremap", "madvise"] { try rule(cseccomp_allow, name, []) }

    // What a run time without threads does. The C library's sorting asks for the machine's memory (sysinfo).
    for name in [
      "sysinfo", "futex", "clock_gettime", "gettimeofday", "getrandom", "sched_yield", "rt_sigprocmask", "rt_sigaction",
      "rt_sigreturn", "restart_syscall", "exit", "exit_group",
    ] { try rule(cseccomp_allow, name, []) }

    try rule(cseccomp_fail(UInt16(trialError)), "getppid", [])

    let result = seccomp_load(filter)
    guard result == 0 else { throw failure("the filter", -result) }
  }
}
