import Expectations
import Testing

@testable import LinuxIO

@Suite struct NetworkAddressesTests {
  @Test func thisMachineIsReachedByItsLoopback() {
    let addresses = NetworkAddresses.all()
    expect(addresses.contains("127.0.0.1"), "\(addresses)")
  }

  @Test func theKernelsListIsRead() {
    let list = """
      fe80000000000000505400fffe123456 02 40 20 80     eth0
      00000000000000000000000000000001 01 80 10 80       lo
      20010db8000000000000000000000007 02 40 00 80     eth0
      20010db80000000000000000000000 02 40 00 80     eth0
      zz010db8000000000000000000000007 02 40 00 80     eth0
      20010db8000000000000000000000008
      fd000000000000000000000000000009 02 40 00 80     eth0

      """
    expectEqual(
      NetworkAddresses.long(in: list), ["::1", "2001:db8::7", "fd00::9", "fe80::5054:ff:fe12:3456"])
    expectEqual(NetworkAddresses.long(in: ""), [])
    expectEqual(NetworkAddresses.long(in: "\u{0}ä\n\n 01 02 03 04 05"), [])
  }
}
