import Expectations
import Glibc
import LinuxIO
import Testing

/// Groups of this machine.
@Suite struct UserGroupTests {
  /// A group that this process may give a file to, other than the one that its files have by themselves, where there is one.
  private var other: UserGroup? {
    if geteuid() == 0 { return ["daemon", "nogroup", "nobody", "mail"].lazy.compactMap { UserGroup(named: $0) }.first }
    var numbers = [gid_t](repeating: 0, count: 256)
    let count = max(0, Int(getgroups(Int32(numbers.count), &numbers)))
    let names = (numbers.prefix(count) + [getegid()]).compactMap {
      getgrgid($0).map { String(cString: $0.pointee.gr_name) }
    }
    return names.lazy.compactMap { UserGroup(named: $0) }.first
  }

  @Test func theRootsIsZeroAndAnotherIsNotThere() {
    expectEqual(UserGroup(named: "root")?.id, 0)
    expect(UserGroup(named: "no-such-group-here") == nil)
  }

  @Test func itTakesWhatIsOursAndFollowsNoLink() throws {
    let group = try #require(other)
    var template = Array("/tmp/user-group-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    let (file, link) = (folder + "/file", folder + "/link")
    defer {
      for path in [file, link] { unlink(path) }
      rmdir(folder)
    }
    close(open(file, O_CREAT | O_WRONLY, 0o660))
    try group.take(file)
    var status = stat()
    expect(stat(file, &status) == 0 && status.st_gid == group.id && status.st_uid == geteuid())
    expectEqual(symlink("/nonexistent/target", link), 0)
    try group.take(link)
    #expect(throws: SystemError(errno: ENOENT, call: "chown")) { try group.take(folder + "/none") }
  }
}
