public import LinuxIO
public import ScanModel

/// Which serial lines are there, which reader would take them, and why not. Opens only lines that a reader matches, and
/// holds them no longer than it takes to see that they can be had.
/// - Parameter service: the user that the service runs as, where it is not the caller: whether that user may open a node is
///   judged by its owner, group and mode.
/// - Throws: where udev cannot be asked.
public func listSerialDevices(
  _ configurations: [SerialConfiguration], as service: UserAccount? = nil
) throws(DeviceError) -> [DeviceReport] {
  let known: [DeviceIdentity]
  do throws(SystemError) {
    known = try DeviceMonitor(subsystem: "tty").devices()
  } catch {
    throw DeviceError(
      device: "udev", what: "it cannot be asked for serial lines: \(error)",
      remedy: "Look whether /sys is mounted and readable.", errno: error.errno)
  }
  let roster = SerialRoster(known: known, configurations: configurations)
  return roster.devices.map { device in
    func report(_ lane: Int?, _ outcome: DeviceReport.Outcome, _ words: String) -> DeviceReport {
      DeviceReport(device: device, reader: lane.map { configurations[$0].id }, outcome: outcome, words: words)
    }
    let problems = roster.assignment.problems
    switch roster.assignment.fates[device.sysfsPath] ?? .unmatched {
    case .unmatched: return report(nil, .notMatched, "no reader matches it; it is left alone")
    case .contested(let lanes):
      return report(nil, .ambiguous, lanes.first.flatMap { problems[$0] } ?? "several readers match it")
    case .ambiguous(let lane): return report(lane, .ambiguous, problems[lane] ?? "several devices match")
    case .unfit(let lane): return report(lane, .unusable, "it cannot be read")
    case .taken(let lane):
      let configuration = configurations[lane]
      if let service, let access = NodeAccess(node: device.node), !access.allows(service) {
        return report(lane, .noPermission, access.refusal(of: device.node, to: service))
      }
      do throws(SystemError) {
        _ = try SerialDevice(node: device.node, settings: configuration.settings)
        return report(lane, .taken, "reader \(configuration.id) takes it")
      } catch {
        let obstacle = SerialObstacle(error)
        let what = obstacle.words(device, configuration.settings) ?? "it has just gone"
        let words = obstacle.isFault || obstacle == .absent ? what : "reader \(configuration.id) waits for \(what)"
        switch obstacle {
        case .permission: return report(lane, .noPermission, words)
        case .held: return report(lane, .grabbed, words)
        case .absent, .notSerial, .settings, .other: return report(lane, .unusable, words)
        }
      }
    }
  }
}
