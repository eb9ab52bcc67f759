import CLinux
import Expectations
import Glibc
import ScanModel
import Testing

@testable import LinuxIO
@testable import SignalOutputs

@Suite struct GPIOLinesTests {
  private func line(_ offset: UInt32, activeLow: Bool = false) -> GPIOLineConfiguration {
    GPIOLineConfiguration(chip: "no such chip", line: .offset(offset), isActiveLow: activeLow)
  }

  @Test func aNameIsOfOneRequestAndStays() {
    let one = GPIOLines.name(of: line(1))
    expectEqual(one, "line-" + StableDigits.of(line: 1))
    expect(one.utf8.count == 21 && one.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ":") })
    expect(GPIOLines.name(of: line(1, activeLow: true)) != one)
    expect(GPIOLines.name(of: line(2)) != one)
    expect(GPIOLines.name(of: GPIOLineConfiguration(chip: "no such chip", line: .name("1"))) != one)
  }

  /// What was passed for a line that is not wanted, or is no line any more, is closed, and the manager forgets it.
  @Test func whatIsNoLineIsLetGo() throws {
    let path = "@scangate-lines-\(getpid())-\(UInt32.random(in: .min ... .max))"
    let manager = clinux_unix_socket(Int32(SOCK_DGRAM.rawValue))
    defer { close(manager) }
    try #require(clinux_unix_bind(manager, path) == 0)
    let service = try #require(ServiceManager(variable: { $0 == "NOTIFY_SOCKET" ? path : nil }, process: 1))
    // Of what is passed we keep the reading ends, which tell when the writing ones are closed.
    var (one, two): ([Int32], [Int32]) = ([0, 0], [0, 0])
    try #require(pipe(&one) == 0 && pipe(&two) == 0)
    let kept = [one[0], two[0]]
    defer { for number in kept { close(number) } }
    func isClosed(_ index: Int) -> Bool {
      var state = pollfd(fd: kept[index], events: Int16(POLLIN), revents: 0)
      return poll(&state, 1, 0) == 1 && state.revents & Int16(POLLHUP) != 0
    }
    let names = [GPIOLines.name(of: line(1)), GPIOLines.name(of: line(2))]
    let lines = GPIOLines(
      keeper: service,
      passed: zip(names, [one[1], two[1]]).map { ServiceManager.PassedDescriptor(name: $0, number: $1) })
    lines.keepOnly([line(2)])
    expect(isClosed(0) && !isClosed(1))
    expectEqual(told(manager), "FDSTOREREMOVE=1\nFDNAME=\(names[0])")
    // A pipe is no line: it is closed, the line is requested anew, and that chip is not there.
    #expect(throws: DeviceError.self) { try lines.take(line(2), output: "relay", initially: true) }
    expect(isClosed(1))
  }

  private func told(_ manager: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = clinux_receive(manager, &buffer, buffer.count, nil)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}

/// The name's digits as another program would make them: FNV-1a of chip, line and flags.
private enum StableDigits {
  static func of(line: UInt32) -> String {
    var hash: UInt64 = 14_695_981_039_346_656_037
    for byte in "no such chip\u{0}offset \(line)\u{0}8".utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
