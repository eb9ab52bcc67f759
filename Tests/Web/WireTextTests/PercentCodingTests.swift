import Expectations
import WireText
import ScanTesting
import Testing

@Suite struct PercentCodingTests {
  @Test func percentCoding() {
    expectEqual(PercentCoding.encode("a b&c=é~"), "a%20b%26c%3D%C3%A9~")
    expectEqual(PercentCoding.decode("a%20%c3%A9".utf8), [UInt8]("a é".utf8))
    for bad in ["%", "%2", "%zz", "a%2", "%%20", "%+1"] { expect(PercentCoding.decode(bad.utf8) == nil) }
    var random = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      let text = random.text()
      expectEqual(PercentCoding.decode(PercentCoding.encode(text).utf8), [UInt8](text.utf8))
    }
  }
}
