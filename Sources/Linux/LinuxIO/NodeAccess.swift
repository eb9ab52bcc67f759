import ScanModel
import Glibc

/// A user of this machine with the groups that are theirs.
package struct UserAccount: Sendable, Equatable {
  /// The name.
  package var name: String
  /// The user's number.
  package var id: UInt32
  /// The numbers of all their groups.
  package var groups: Set<UInt32>

  /// Makes an account of numbers that are known.
  package init(name: String, id: UInt32, groups: Set<UInt32>) {
    self.name = name
    self.id = id
    self.groups = groups
  }

  /// Looks a user up; `nil` where there is none of this name.
  package init?(named name: String) {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    var count: Int32 = 256
    var groups = [gid_t](repeating: 0, count: Int(count))
    guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0, count >= 0 else { return nil }
    self.init(name: name, id: entry.pw_uid, groups: Set(groups.prefix(Int(count))))
  }
}

/// Whose a node is, and who may open it. Access control lists are not looked at: the service's right comes from the group.
package struct NodeAccess: Sendable, Equatable {
  /// The owner's number.
  package var owner: UInt32
  /// The group's number.
  package var group: UInt32
  /// The permission bits.
  package var mode: UInt32

  /// Makes an access of numbers that are known.
  package init(owner: UInt32, group: UInt32, mode: UInt32) {
    self.owner = owner
    self.group = group
    self.mode = mode
  }

  /// Looks at a node; `nil` where it is gone.
  package init?(node: String) {
    var status = stat()
    guard stat(node, &status) == 0 else { return nil }
    self.init(owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o7777)
  }

  /// What is said of a node that the service's user may not open.
  package func refusal(of node: String, to service: UserAccount) -> String {
    "the service's user \(service.name) may not open it (\(title)): is "
      + "/usr/lib/udev/rules.d/70-scangate.rules installed? Then: udevadm control --reload && udevadm trigger \(node)"
  }

  /// Whether the user may read and write. The first of owner, group and others that fits decides, as in the kernel.
  package func allows(_ user: UserAccount) -> Bool {
    if user.id == 0 { return true }
    if user.id == owner { return mode & 0o600 == 0o600 }
    if user.groups.contains(group) { return mode & 0o060 == 0o060 }
    return mode & 0o006 == 0o006
  }

  /// Owner, group and mode, such as `root:input 0660`.
  package var title: String {
    "\(Self.userName(owner)):\(Self.groupName(group)) \(String(mode, digits: 4, radix: 8))"
  }

  private static func userName(_ id: UInt32) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name else {
      return String(id)
    }
    return String(cString: name)
  }

  private static func groupName(_ id: UInt32) -> String {
    var entry = group_entry()
    var found: UnsafeMutablePointer<group_entry>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getgrgid_r(id, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.gr_name else {
      return String(id)
    }
    return String(cString: name)
  }
}

/// The C structure: `group` is a property's name here.
private typealias group_entry = Glibc.group
