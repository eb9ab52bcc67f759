import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Reading

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

  /// The USB bus does not tell of a Bluetooth scanner, which has a new place each time it comes.
  @Test func whatTheBusDoesNotTellOfIsForgottenWithItsReader() {
    var watch = watching()
    let before = watch.places
    for number in 0..<10_000 {
      let radio = "/sys/devices/virtual/misc/uhid/0005:0C2E:0901.\(number)"
      watch.hold(radio, by: left)
      watch.read(at: radio, at(1))
      watch.letGo(radio)
      // What is read of it while it goes.
      watch.read(at: radio, at(1))
      expectEqual(watch.places, before)
    }
    // That of the bus is watched on: its reader lets go before the bus tells that it left.
    watch.read(at: place, at(2))
    watch.letGo(place)
    watch.leave(place, at: at(3))
    expectEqual(watch.come(pointOfSale, to: place, at: at(4))?.reader, left)
  }

  @Test func whatLeftUnheardIsForgotten() {
    var watch = watching()
    watch.leave(allBut: [], at: at(1))
    expectEqual(watch.come(pointOfSale, to: place, at: at(2))?.reader, left)
    watch.leave(allBut: [place], at: at(3))
    expectEqual(watch.places, 1)
  }

  /// Whatever comes and goes: remembered is what is plugged in or held, and what left in the last seconds.
  @Test func itGrowsWithNothing() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<extent(landing: 200, release: 2_000) {
      var watch = IdentityWatch()
      var (plugged, held): (Set<String>, Set<String>) = ([], [])
      var left: [String: MonotonicTime] = [:]
      var now = at(0)
      for _ in 0..<200 {
        now = now + .milliseconds(Int.random(in: 0...4_000, using: &random))
        let place = "/sys/\(Int.random(in: 0..<40, using: &random))"
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          _ = watch.come(
            [keyboard, pointOfSale, stranger].randomElement(using: &random) ?? keyboard, to: place, at: now)
          plugged.insert(place)
        case 1:
          watch.leave(place, at: now)
          if plugged.remove(place) != nil { left[place] = now }
          // The session at it ends, too.
          watch.letGo(place)
          held.remove(place)
        case 2:
          watch.hold(place, by: ReaderID("left"))
          held.insert(place)
        case 3: watch.read(at: place, now)
        case 4:
          watch.letGo(place)
          held.remove(place)
        default:
          let there = Set(plugged.filter { _ in Bool.random(using: &random) })
          watch.leave(allBut: there, at: now)
          for gone in plugged.subtracting(there) {
            left[gone] = now
            watch.letGo(gone)
            held.remove(gone)
          }
          plugged = there
        }
        left = left.filter { !plugged.contains($0.key) }
        expect(watch.places <= plugged.union(held).union(left.keys).count)
      }
      for place in plugged.union(held) {
        watch.leave(place, at: now)
        watch.letGo(place)
      }
      // The seconds after the last one that left are over when the next one leaves.
      _ = watch.come(keyboard, to: "/sys/last", at: now + .seconds(60))
      watch.leave("/sys/last", at: now + .seconds(60))
      expectEqual(watch.places, 0)
    }
  }
}
