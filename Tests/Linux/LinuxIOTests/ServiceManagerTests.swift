import CLinux
import Expectations
import Glibc
import Testing

@testable import LinuxIO

/// A manager's end of the protocol: a real datagram socket.
private final class Manager {
  let number: Int32
  let path: String

  init(path: String) throws {
    self.path = path
    number = clinux_unix_socket(Int32(SOCK_DGRAM.rawValue))
    try #require(number >= 0)
    try #require(clinux_unix_bind(number, path) == 0)
  }

  deinit {
    close(number)
    if path.hasPrefix("/") { unlink(path) }
  }

  func receive() -> (text: String, descriptor: Int32)? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var descriptor: Int32 = -1
    let count = clinux_receive(number, &buffer, buffer.count, &descriptor)
    return count < 0 ? nil : (String(decoding: buffer.prefix(count), as: UTF8.self), descriptor)
  }
}

@Suite struct ServiceManagerTests {
  private static func own(_ kind: String) -> String {
    "/tmp/scangate-\(kind)-\(getpid())-\(UInt32.random(in: .min ... .max))"
  }

  private func serviceManager(_ variables: [String: String]) -> ServiceManager? {
    ServiceManager(variable: { variables[$0] }, process: 77)
  }

  @Test(arguments: [own("notify"), "@" + own("notify")]) func whatIsToldArrives(path: String) throws {
    let manager = try Manager(path: path)
    let service = try #require(serviceManager(["NOTIFY_SOCKET": path]))
    expect(service.notify("READY=1\nSTATUS=two gates"))
    expectEqual(manager.receive()?.text, "READY=1\nSTATUS=two gates")
    expect(service.removeStored(name: "a1"))
    let told = manager.receive()
    expect(told?.text == "FDSTOREREMOVE=1\nFDNAME=a1" && told?.descriptor == -1)
  }

  @Test func aStoredDescriptorIsACopyOfTheSameFile() throws {
    let manager = try Manager(path: Self.own("store"))
    let service = try #require(serviceManager(["NOTIFY_SOCKET": manager.path]))
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let reading = OwnedDescriptor(owning: ends[0])
    expect(service.store(ends[1], name: "line-7"))
    close(ends[1])
    let told = try #require(manager.receive())
    expectEqual(told.text, "FDSTORE=1\nFDNAME=line-7")
    expectEqual(write(told.descriptor, "x", 1), 1)
    var byte: UInt8 = 0
    expect(read(reading.number, &byte, 1) == 1 && byte == UInt8(ascii: "x"))
    close(told.descriptor)
  }

  @Test func nobodyWhoListensHoldsNothingUp() throws {
    let path = Self.own("silent")
    let service = try #require(serviceManager(["NOTIFY_SOCKET": path]))
    expect(!service.notify("READY=1"))
    let manager = try Manager(path: path)
    // It never reads: a full queue is no reason to wait.
    var told = 0
    while told < 100_000, service.notify("WATCHDOG=1") { told += 1 }
    expect(told > 0 && told < 100_000)
    expectEqual(manager.receive()?.text, "WATCHDOG=1")
  }

  @Test func whatIsNoAddressIsNoManager() {
    let long = "/" + String(repeating: "x", count: 200)
    for path in ["", "/", "@", "relative", "vsock:2:1", long] {
      expect(serviceManager(["NOTIFY_SOCKET": path]) == nil)
    }
    expect(serviceManager([:]) == nil)
  }

  @Test func theWatchdogIsOursOrNobodys() throws {
    func interval(_ variables: [String: String]) -> Duration? {
      serviceManager(variables.merging(["NOTIFY_SOCKET": "@x"]) { $1 })?.watchdogInterval
    }
    expectEqual(interval(["WATCHDOG_USEC": "2000000"]), .seconds(2))
    expectEqual(interval(["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "77"]), .seconds(2))
    expect(interval(["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "78"]) == nil)
    for text in ["", "0", "-5", "two", "99999999999999999999"] { expect(interval(["WATCHDOG_USEC": text]) == nil) }
    expect(interval([:]) == nil)
  }

  @Test func passedDescriptorsHaveTheirNamesAndNoHeirs() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let first: Int32 = 900
    try #require(dup2(ends[0], first) == first && dup2(ends[1], first + 2) == first + 2)
    defer { for number in [first, first + 2] { close(number) } }
    func passed(_ variables: [String: String]) -> [ServiceManager.PassedDescriptor] {
      ServiceManager.passedDescriptors(variable: { variables[$0] }, process: 77, first: first)
    }
    let all = passed(["LISTEN_PID": "77", "LISTEN_FDS": "4", "LISTEN_FDNAMES": "socket:b"])
    expectEqual(all.map(\.name), ["socket", "unknown"])
    expectEqual(all.map(\.number), [first, first + 2])
    expectEqual(fcntl(first, F_GETFD), FD_CLOEXEC)
    expect(passed(["LISTEN_PID": "78", "LISTEN_FDS": "1"]).isEmpty)
    for count in ["", "0", "-1", "two", "2147483647", "99999999999"] {
      expect(passed(["LISTEN_PID": "77", "LISTEN_FDS": count]).isEmpty)
    }
  }
}
