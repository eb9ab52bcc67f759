internal import Glibc

/// A group of this machine's users.
package struct UserGroup: Sendable, Equatable {
  /// The name.
  package let name: String
  /// The number.
  package let id: UInt32

  /// Looks a group up; `nil` where there is none of this name.
  package init?(named name: String) {
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    // A group with thousands of members has a long entry.
    var buffer = [CChar](repeating: 0, count: 262_144)
    guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    (self.name, id) = (name, entry.gr_gid)
  }

  /// Makes it the group of what lies at `path`; a link there is not followed.
  /// - Throws: that this process may not, or that nothing is there.
  package func take(_ path: String) throws(SystemError) {
    guard lchown(path, uid_t.max, id) == 0 else { throw SystemError(errno: errno, call: "chown") }
  }
}
