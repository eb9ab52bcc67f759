internal import CLinux
internal import Glibc

/// The addresses by which this machine can be reached in its networks.
package enum NetworkAddresses {
  /// Where the kernel lists those of IPv6: of this process's own network, also where nothing but processes is to be seen of `/proc`.
  private static let list = "/proc/self/net/if_inet6"
  private static let longest = 65_536
  private static let most = 128

  /// Those of all interfaces as they are now, as text: of IPv4, then of IPv6, and those that hold on one link alone last. What the kernel
  /// does not tell is left out.
  package static func all() -> [String] {
    var found = [UInt32](repeating: 0, count: most)
    let count = clinux_ipv4_addresses(&found, Int32(most))
    let short = found.prefix(max(0, Int(count))).compactMap { text(AF_INET, withUnsafeBytes(of: $0) { Array($0) }) }
    let lines = (try? SmallFile.read(list, limit: longest)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return short + long(in: lines)
  }

  /// Those of IPv6 in the kernel's list: `fe80…01 02 40 20 80 eth0`, which is address, interface, prefix, scope, flags, name.
  static func long(in list: String) -> [String] {
    var (wide, ofLink): ([String], [String]) = ([], [])
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count == 6, let address = bytes(fields[0]), let text = text(AF_INET6, address) else { continue }
      if address[0] == 0xFE, address[1] & 0xC0 == 0x80 { ofLink.append(text) } else { wide.append(text) }
    }
    return wide + ofLink
  }

  /// 16 bytes of 32 hexadecimal digits.
  private static func bytes(_ digits: Substring) -> [UInt8]? {
    let values = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard values.count == 32, digits.utf8.count == 32 else { return nil }
    return stride(from: 0, to: 32, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  private static func text(_ family: Int32, _ address: [UInt8]) -> String? {
    var written = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, address, &written, socklen_t(written.count)) != nil else { return nil }
    return String(decoding: written.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
