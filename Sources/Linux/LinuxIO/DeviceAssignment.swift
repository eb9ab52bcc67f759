package import ScanModel

/// Which device belongs to which reader; pure, so that every case can be tried without a device.
///
/// A device is taken when exactly one reader claims it and that reader's devices are one thing. Where there is doubt
/// nothing is taken: a code must not be read at the wrong gate.
package struct DeviceAssignment: Equatable, Sendable {
  /// What becomes of one node.
  package enum Fate: Equatable, Sendable {
    /// No reader claims it; it is left alone.
    case unmatched
    /// This reader's device, but a node that reads nothing (a wake-up key, an LED).
    case unfit(lane: Int)
    /// To be read for this reader.
    case taken(lane: Int)
    /// Several readers claim it.
    case contested(lanes: [Int])
    /// This reader claims another device as well.
    case ambiguous(lane: Int)
  }

  /// What a reader asks for. Readers are known by their place in the list, the lane.
  package struct Claim {
    /// The reader.
    package var reader: ReaderID
    /// Whether it means the device.
    package var covers: (DeviceIdentity) -> Bool

    package init(reader: ReaderID, covers: @escaping (DeviceIdentity) -> Bool) {
      self.reader = reader
      self.covers = covers
    }
  }

  /// By sysfs path.
  package private(set) var fates: [String: Fate] = [:]
  /// By reader: what is wrong and what to do.
  package private(set) var problems: [Int: String] = [:]

  /// Assigns.
  /// - Parameters:
  ///   - held: by reader, the thing that it reads from now; it keeps it when another one comes.
  ///   - thing: what nodes share that belong together, such as the physical path.
  ///   - distinction: the fields of a match that would tell two such devices apart, in words.
  ///   - isFit: whether a node is one to read.
  package init(
    devices: [DeviceIdentity], claims: [Claim], held: [Int: String], by thing: (DeviceIdentity) -> String,
    distinction: String, isFit: (DeviceIdentity) -> Bool
  ) {
    var candidates: [Int: [DeviceIdentity]] = [:]
    for device in devices.sorted(by: { ($0.node.utf8.count, $0.node) < ($1.node.utf8.count, $1.node) }) {
      let lanes = claims.indices.filter { claims[$0].covers(device) }
      if let lane = lanes.first, lanes.count == 1 {
        if isFit(device) {
          candidates[lane, default: []].append(device)
        } else {
          fates[device.sysfsPath] = .unfit(lane: lane)
        }
      } else if lanes.isEmpty {
        fates[device.sysfsPath] = .unmatched
      } else {
        fates[device.sysfsPath] = .contested(lanes: lanes)
        let names = lanes.map { claims[$0].reader.name }.joined(separator: " and ")
        for lane in lanes where problems[lane] == nil {
          problems[lane] =
            "the readers \(names) both match \(device.title), so neither reads it: add \(distinction) to their matches"
        }
      }
    }
    for (lane, devices) in candidates {
      var things: [String] = []
      for device in devices where !things.contains(thing(device)) { things.append(thing(device)) }
      let keeper = things.count == 1 ? things.first : things.first { $0 == held[lane] }
      for device in devices {
        fates[device.sysfsPath] = thing(device) == keeper ? .taken(lane: lane) : .ambiguous(lane: lane)
      }
      guard things.count > 1 else { continue }
      let titles = things.compactMap { one in devices.first { thing($0) == one }?.title }
      let what = things.count == 2 ? "two devices match" : "\(things.count) devices match"
      problems[lane] =
        "\(what), \(titles.joined(separator: " and ")): add \(distinction); \(keeper == nil ? "none of them is read" : "only the first that was there is read")"
    }
  }
}
