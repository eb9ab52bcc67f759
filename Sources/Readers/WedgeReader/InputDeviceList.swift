public import LinuxIO
public import ScanModel

/// What is plugged in, which reader would take it, and why not. Opens only nodes that a reader matches, and holds them no
/// longer than it takes to see that they can be grabbed.
/// - Parameter service: the user that the service runs as, where it is not the caller: whether that user may open a node is
///   judged by its owner, group and mode.
/// - Throws: where udev cannot be asked.
public func listInputDevices(
  _ configurations: [WedgeConfiguration], as service: UserAccount? = nil
) throws(DeviceError) -> [DeviceReport] {
  let devices: [DeviceIdentity]
  do throws(SystemError) {
    devices = try DeviceMonitor(subsystem: "input").devices().filter { $0.node.hasPrefix("/dev/input/event") }
  } catch {
    throw DeviceError(
      device: "udev", what: "it cannot be asked for input devices: \(error)",
      remedy: "Look whether /sys is mounted and readable.", errno: error.errno)
  }
  let assignment = DeviceAssignment(devices: devices, configurations: configurations)
  return devices.map { device in
    func report(_ lane: Int?, _ outcome: DeviceReport.Outcome, _ words: String) -> DeviceReport {
      DeviceReport(device: device, reader: lane.map { configurations[$0].id }, outcome: outcome, words: words)
    }
    switch assignment.fates[device.sysfsPath] ?? .unmatched {
    case .unmatched: return report(nil, .notMatched, "no reader matches it; it is left alone")
    case .unfit(let lane): return report(lane, .notKeyboard, "this node types no digits; it is left alone")
    case .contested(let lanes):
      return report(nil, .ambiguous, lanes.first.flatMap { assignment.problems[$0] } ?? "several readers match it")
    case .ambiguous(let lane):
      return report(lane, .ambiguous, assignment.problems[lane] ?? "several devices match")
    case .taken(let lane):
      let reader = configurations[lane].id
      if let service, let access = NodeAccess(node: device.node), !access.allows(service) {
        return report(lane, .noPermission, access.refusal(of: device.node, to: service))
      }
      guard let obstacle = obstacle(device) else { return report(lane, .taken, "reader \(reader) takes it") }
      let words = obstacle.words(device).map { "reader \(reader) waits for \($0)" } ?? "it has just gone"
      switch obstacle {
      case .permission: return report(lane, .noPermission, words)
      case .grabbed: return report(lane, .grabbed, words)
      case .keyDown: return report(lane, .taken, words)
      case .absent, .other: return report(lane, .unusable, words)
      }
    }
  }
}

private func obstacle(_ device: DeviceIdentity) -> WedgeObstacle? {
  do throws(SystemError) {
    let opened = try EventDevice(node: device.node)
    if try opened.hasKeysDown() { return .keyDown }
    try opened.grab()
    opened.ungrab()
    return nil
  } catch {
    return WedgeObstacle(error)
  }
}
