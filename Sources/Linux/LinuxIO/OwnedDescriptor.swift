package import Glibc

/// A file descriptor with exactly one owner; closed when the owner goes away.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The descriptor's number, valid as long as this value lives.
  package let number: Int32

  /// Takes ownership of an open descriptor.
  package init(owning number: Int32) { self.number = number }

  /// Takes ownership of what `call` has just returned.
  /// - Throws: the system's error (`errno`) where it returned none.
  package init(_ number: Int32, by call: String) throws(SystemError) {
    guard number >= 0 else { throw SystemError(errno: errno, call: call) }
    self.init(owning: number)
  }

  deinit { Glibc.close(number) }

  /// Opens `path` with `flags`; `O_CLOEXEC` is always added.
  /// - Parameter mode: who may do what with a file that is made by it, before the process's mask.
  /// - Throws: the system's error.
  package static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) -> OwnedDescriptor
  {
    try OwnedDescriptor(Glibc.open(path, flags | O_CLOEXEC, mode), by: "open")
  }

  /// Another descriptor of what `number` is open on.
  /// - Throws: the system's error.
  package static func duplicate(of number: Int32) throws(SystemError) -> OwnedDescriptor {
    try OwnedDescriptor(fcntl(number, F_DUPFD_CLOEXEC, 3), by: "dup")
  }
}

/// A failed system call.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The system's error number (`errno.h`).
  package let errno: Int32
  /// The call that failed.
  package let call: String

  package init(errno: Int32, call: String) {
    self.errno = errno
    self.call = call
  }

  /// The system's own words for the error number, such as "Permission denied".
  package var words: String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(errno, &buffer, buffer.count) == 0 else { return "error \(errno)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package var description: String { "\(call): \(words) (\(errno))" }
}
