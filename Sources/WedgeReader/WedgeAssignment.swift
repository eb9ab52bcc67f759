import LinuxIO
import ScanModel

/// Which device belongs to which reader; pure, so that every case can be tried without a device.
///
/// A device is taken when exactly one reader matches it and that reader's devices are one thing that one can hold in a hand.
/// Where there is doubt nothing is taken: a code must not be read at the wrong gate.
struct WedgeAssignment: Equatable {
  /// What becomes of one node.
  enum Fate: Equatable {
    /// No reader matches it; it is left alone.
    case unmatched
    /// This reader's device, but a node that types nothing (a wake-up key, an LED).
    case notKeyboard(lane: Int)
    /// To be read for this reader.
    case taken(lane: Int)
    /// Several readers match it.
    case contested(lanes: [Int])
    /// This reader matches another device as well.
    case ambiguous(lane: Int)
  }

  /// By sysfs path.
  private(set) var fates: [String: Fate] = [:]
  /// By reader: what is wrong and what to do.
  private(set) var problems: [Int: String] = [:]

  /// Assigns.
  /// - Parameter held: by reader, the physical device that it reads from now; it keeps it when another one comes.
  init(devices: [DeviceIdentity], configurations: [WedgeConfiguration], held: [Int: String] = [:]) {
    var candidates: [Int: [DeviceIdentity]] = [:]
    for device in devices.sorted(by: { ($0.node.utf8.count, $0.node) < ($1.node.utf8.count, $1.node) }) {
      let lanes = configurations.indices.filter { configurations[$0].match.matches(device) }
      if let lane = lanes.first, lanes.count == 1 {
        if device.isKeyboard {
          candidates[lane, default: []].append(device)
        } else {
          fates[device.sysfsPath] = .notKeyboard(lane: lane)
        }
      } else if lanes.isEmpty {
        fates[device.sysfsPath] = .unmatched
      } else {
        fates[device.sysfsPath] = .contested(lanes: lanes)
        let names = lanes.map { configurations[$0].id.name }.joined(separator: " and ")
        for lane in lanes where problems[lane] == nil {
          problems[lane] =
            "the readers \(names) both match \(device.title), so neither reads it: add serial or port to their matches"
        }
      }
    }
    for (lane, devices) in candidates {
      var physical: [String] = []
      for device in devices where !physical.contains(device.physicalPath) { physical.append(device.physicalPath) }
      let keeper = physical.count == 1 ? physical.first : physical.first { $0 == held[lane] }
      for device in devices {
        fates[device.sysfsPath] = device.physicalPath == keeper ? .taken(lane: lane) : .ambiguous(lane: lane)
      }
      guard physical.count > 1 else { continue }
      let titles = physical.compactMap { path in devices.first { $0.physicalPath == path }?.title }
      let what = physical.count == 2 ? "two devices match" : "\(physical.count) devices match"
      problems[lane] =
        "\(what), \(titles.joined(separator: " and ")): add serial or port; \(keeper == nil ? "none of them is read" : "only the first that was there is read")"
    }
  }
}
