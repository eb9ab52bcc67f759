import Expectations
@testable import LinuxIO
import Testing

@Suite struct HIDReportDescriptorTests {
  /// The boot keyboard of "Device Class Definition for HID" 1.11, appendix B.1, shortened to its collection.
  @Test func aKeyboardIsNoScanner() {
    let keyboard: [UInt8] = [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x81, 0x02, 0xC0]
    expectEqual(HIDReportDescriptor.applications(in: keyboard), [.init(page: 1, usage: 6)])
  }

  @Test func aPointOfSaleScannerIsOne() {
    // Usage page 0x8C, usage 2 (bar code scanner), an application collection with a logical one inside.
    let scanner: [UInt8] = [
      0x05, 0x8C, 0x09, 0x02, 0xA1, 0x01, 0x09, 0x12, 0xA1, 0x02, 0x85, 0x02, 0x81, 0x02, 0xC0, 0xC0,
    ]
    expectEqual(HIDReportDescriptor.applications(in: scanner), [.init(page: 0x8C, usage: 2)])
    expectEqual(HIDReportDescriptor.applications(in: [0x0B, 0x02, 0x00, 0x8C, 0x00, 0xA1, 0x01]).first?.page, 0x8C)
    // Two collections, the page pushed and popped, a long item between.
    let both: [UInt8] =
      [0x06, 0x8C, 0x00, 0xA4, 0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0xC0, 0xFE, 0x02, 0x10, 0xA1, 0x01, 0xB4]
      + [0x09, 0x02, 0xA1, 0x01, 0xC0]
    expectEqual(HIDReportDescriptor.applications(in: both), [.init(page: 1, usage: 6), .init(page: 0x8C, usage: 2)])
  }

  @Test func anyBytesAreRead() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      expect(HIDReportDescriptor.applications(in: bytes).count <= bytes.count, "\(bytes)")
    }
  }
}
