import Expectations
import Glibc
import LinuxIO
import Testing

@Suite struct NodeAccessTests {
  private let service = UserAccount(name: "scangate", id: 990, groups: [990, 105])

  @Test(arguments: [
    (UInt32(0), UInt32(105), UInt32(0o660), true), (0, 106, 0o660, false), (0, 105, 0o640, false),
    (0, 106, 0o666, true), (990, 0, 0o600, true), (990, 105, 0o060, false), (0, 105, 0o606, false),
  ])
  func whoFitsFirstDecides(_ owner: UInt32, _ group: UInt32, _ mode: UInt32, _ isAllowed: Bool) {
    expectEqual(NodeAccess(owner: owner, group: group, mode: mode).allows(service), isAllowed)
  }

  @Test func rootMayAll() {
    expect(NodeAccess(owner: 5, group: 5, mode: 0).allows(UserAccount(name: "root", id: 0, groups: [0])))
  }

  @Test func theMachinesOwnWords() throws {
    let root = try #require(UserAccount(named: "root"))
    expect(root.id == 0 && root.groups.contains(0))
    expect(UserAccount(named: "no such user") == nil)
    let null = try #require(NodeAccess(node: "/dev/null"))
    expect(null.title.hasSuffix(" 0666") && null.title.hasPrefix("root:"), "\(null.title)")
    expect(null.allows(service))
    expect(NodeAccess(node: "/dev/no-such-node") == nil)
    expectEqual(NodeAccess(owner: 4_000_001, group: 4_000_002, mode: 0o20).title, "4000001:4000002 0020")
  }
}
