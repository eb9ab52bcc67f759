import Expectations
import LinuxIO
import ReaderKit
import ScanModel
import Testing

@Suite struct DeviceListingTests {
  @Test func eachDeviceIsListedWithWhatBecomesOfIt() throws {
    let rack = try Rack()
    let slot = Slot(id: ReaderID("lane"), root: rack.root)
    for node in ["1", "2", "3", "unfit"] { try rack.add("a/\(node)") }
    func words(_ readers: [Slot]) throws -> [String] {
      let listing = try DeviceListing(of: Slots.self, readers, as: nil)
      return listing.devices.sorted { $0.node < $1.node }.map { device in
        let report = listing.report(on: device) { _ throws(SlotObstacle) in
          if !device.node.hasSuffix("/1") { throw device.node.hasSuffix("/2") ? .busy : .absent }
        }
        return "\(report.reader?.name ?? "-") \(report.outcome) \(report.words)"
      }
    }
    expectEqual(
      try words([slot]),
      [
        "lane taken reader lane takes it", "lane grabbed reader lane waits for busy \(rack.root)/a/2",
        "lane unusable it has just gone", "lane notKeyboard it cannot be read",
      ])
    expect(
      try words([slot, Slot(id: ReaderID("other"), root: rack.root)]).allSatisfy {
        $0.hasPrefix("- ambiguous the readers")
      })
    try rack.add("b/1")
    expectEqual(try words([slot]).count { $0.hasPrefix("lane ambiguous two devices match") }, 4)
  }
}

@Suite struct PlaceProblemsTests {
  /// A reader as its technology configures it.
  private struct Reader: ReaderConfiguration {
    var id: ReaderID
    var place: DevicePlace
  }

  @Test func whatIsWrongWithAPlaceIsSaidOfItsReader() {
    let match = DevicePlace.match(DeviceMatch(vendor: 1))
    let readers: [(String, DevicePlace)] = [
      ("a", match), ("b", match), ("a", .path("dev/x")), ("c", .match(DeviceMatch())), ("d", .match(DeviceMatch())),
    ]
    let words: PlaceWords = (every: "slot", same: "slot", fields: "a port", distinction: "port", path: "/dev/slot")
    let problems = Reader.problems(in: readers.map { Reader(id: ReaderID($0.0), place: $0.1) }, words) { reader in
      reader.id.name == "b" ? [reader.problem("it is late", "Be early.")] : []
    }
    expectEqual(
      problems.map(\.description),
      [
        "reader b: it matches the same slot as reader a. Tell them apart by port.", "reader b: it is late. Be early.",
        "reader a: “dev/x” is no absolute path. Write it from / on, such as /dev/slot.",
        "reader a: two readers have this name. Give each its own name.",
        "reader c: its match is empty and would take every slot. Give a port.",
        "reader d: its match is empty and would take every slot. Give a port.",
      ])
  }
}
