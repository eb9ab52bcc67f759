import Glibc

/// What a HID device says it is: the usages of its application collections (USB-IF, "Device Class Definition for HID" 1.11,
/// 6.2.2).
package enum HIDReportDescriptor {
  /// A usage and its page.
  package struct Usage: Hashable, Sendable {
    /// The page, such as 0x8C for bar code scanners (USB-IF, "HID Point of Sale Usage Tables" 1.02).
    package var page: UInt16
    /// The usage on it.
    package var usage: UInt16
  }

  /// The page of bar code scanners.
  package static let barCodeScannerPage: UInt16 = 0x8C

  /// The descriptor of a hidraw node, by its place in sysfs, and what it says; empty where it cannot be read. Opens no device.
  package static func applications(ofHIDRaw sysfsPath: String) -> [Usage] {
    guard
      let file = try? OwnedDescriptor.open("\(sysfsPath)/device/report_descriptor", O_RDONLY)
    else { return [] }
    // HID_MAX_DESCRIPTOR_SIZE of the kernel.
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(file.number, &bytes, bytes.count)
    return count > 0 ? applications(in: Array(bytes[..<count])) : []
  }

  /// The usages of the application collections in a descriptor, in order; what is cut off or wrong ends the list.
  package static func applications(in descriptor: [UInt8]) -> [Usage] {
    var found: [Usage] = []
    var page: UInt16 = 0
    var pages: [UInt16] = []
    var usage: Usage?
    var index = 0
    while index < descriptor.count {
      let prefix = descriptor[index]
      if prefix == 0xFE {
        // A long item: its length is the next byte.
        guard index + 1 < descriptor.count else { break }
        index += 3 + Int(descriptor[index + 1])
        continue
      }
      let size = [0, 1, 2, 4][Int(prefix & 3)]
      guard index + size < descriptor.count else { break }
      var value: UInt32 = 0
      for offset in 0..<size { value |= UInt32(descriptor[index + 1 + offset]) << (8 * offset) }
      switch prefix & 0xFC {
      case 0x04: page = UInt16(truncatingIfNeeded: value)
      case 0xA4: pages.append(page)
      case 0xB4: page = pages.popLast() ?? page
      case 0x08 where usage == nil:
        // Four bytes bring the page along.
        usage = Usage(
          page: size == 4 ? UInt16(truncatingIfNeeded: value >> 16) : page, usage: UInt16(truncatingIfNeeded: value))
      case 0xA0:
        if value == 1, let usage { found.append(usage) }
        usage = nil
      case 0x80, 0x90, 0xB0, 0xC0: usage = nil
      default: break
      }
      index += 1 + size
    }
    return found
  }
}
