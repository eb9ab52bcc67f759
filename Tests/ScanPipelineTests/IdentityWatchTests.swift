import Expectations
import ScanModel
import ScanPipeline
import Testing

private let left = ReaderID("left")
private let place = "/sys/usb1/1-1"
private let keyboard = IdentityWatch.Identity(
  vendor: 0x0c2e, product: 0x0901, serial: "SN1", interfaces: ":030101:", name: "Scanner")
private let pointOfSale = IdentityWatch.Identity(
  vendor: 0x0c2e, product: 0x0907, serial: "SN1", interfaces: ":030000:", name: "Scanner")
private let stranger = IdentityWatch.Identity(vendor: 0x046d, product: 0xc31c, interfaces: ":030101:")

private func at(_ seconds: Double) -> MonotonicTime {
  MonotonicTime(nanoseconds: Int64((1_000 + seconds) * 1_000_000_000))
}

/// A reader whose device has just been read at second 0.
private func watching(read: Bool = true) -> IdentityWatch {
  var watch = IdentityWatch()
  expect(watch.come(keyboard, to: place, at: at(-100)) == nil)
  watch.hold(place, by: left)
  if read { watch.read(at: place, at(0)) }
  return watch
}

@Suite struct IdentityWatchTests {
  @Test func anotherModeAfterARead() {
    var watch = watching()
    watch.leave(place, at: at(1))
    let change = watch.come(pointOfSale, to: place, at: at(2.5))
    expect(change?.reader == left && change?.before == keyboard && change?.after == pointOfSale)
    expect(watch.come(pointOfSale, to: place, at: at(2.6)) == nil, "told once")
  }

  /// The bus tells of a device once more while it leaves, when its ids cannot be read any more.
  @Test func aDeviceThatLeavesIsNoOtherOne() {
    var watch = watching()
    expect(watch.come(.init(vendor: nil, product: nil), to: place, at: at(1)) == nil)
    watch.leave(place, at: at(1.1))
    expect(watch.come(.init(vendor: nil, product: nil), to: place, at: at(1.9)) == nil)
    expect(watch.come(keyboard, to: place, at: at(2)) == nil, "the same one came back")
    watch.hold(place, by: left)
    watch.read(at: place, at(3))
    watch.leave(place, at: at(4))
    expectEqual(watch.come(pointOfSale, to: place, at: at(5))?.reader, left, "the next change is seen")
  }

  @Test func eachPartCounts() {
    let changes: [(inout IdentityWatch.Identity) -> Void] = [
      { $0.product = 1 }, { $0.serial = nil }, { $0.interfaces = ":020201:" }, { $0.vendor = 1 },
    ]
    for (index, change) in changes.enumerated() {
      var (watch, after) = (watching(), keyboard)
      change(&after)
      watch.leave(place, at: at(9))
      expectEqual(watch.come(after, to: place, at: at(18))?.after, after, "\(index)")
    }
    var (watch, renamed) = (watching(), keyboard)
    renamed.name = "Another"
    watch.leave(place, at: at(1))
    expect(watch.come(renamed, to: place, at: at(2)) == nil)
  }

  @Test func whatIsNotToldYetIsNoChange() {
    var (watch, early) = (watching(), keyboard)
    early.interfaces = nil
    expect(watch.come(early, to: place, at: at(1)) == nil)
    expect(watch.come(keyboard, to: place, at: at(1.1)) == nil)
  }

  @Test func theSameDeviceIsNoChange() {
    var watch = watching()
    watch.leave(place, at: at(1))
    expect(watch.come(keyboard, to: place, at: at(2)) == nil)
    expect(watch.come(pointOfSale, to: "/sys/usb1/1-2", at: at(2)) == nil, "another port")
  }

  @Test func aSwapByHandIsNoChange() {
    var late = watching()
    late.leave(place, at: at(11))
    expect(late.come(stranger, to: place, at: at(12)) == nil)
    var slow = watching()
    slow.leave(place, at: at(11))
    expect(slow.come(pointOfSale, to: place, at: at(15)) == nil)
    var away = watching()
    away.leave(place, at: at(1))
    expect(away.come(pointOfSale, to: place, at: at(12)) == nil)
  }

  @Test func withoutAReadOnlyAQuickReturnOfTheSameVendor() {
    var quick = watching(read: false)
    quick.leave(place, at: at(1))
    expectEqual(quick.come(pointOfSale, to: place, at: at(3))?.reader, left)
    var other = watching(read: false)
    other.leave(place, at: at(1))
    expect(other.come(stranger, to: place, at: at(3)) == nil)
  }

  @Test func aLostWordOfLeavingHidesNothing() {
    var watch = watching()
    expectEqual(watch.come(pointOfSale, to: place, at: at(2))?.before, keyboard)
  }

  @Test func nobodysDeviceIsNobodysBusiness() {
    var watch = IdentityWatch()
    expect(watch.come(keyboard, to: place, at: at(0)) == nil)
    watch.read(at: place, at(0))
    watch.leave(place, at: at(1))
    expect(watch.come(pointOfSale, to: place, at: at(2)) == nil)
    // The next reader at the port begins anew.
    watch.hold(place, by: left)
    watch.leave(place, at: at(20))
    expect(watch.come(pointOfSale, to: place, at: at(21)) == nil)
  }
}
