package import LinuxIO
package import ScanModel

/// What is there of a technology's devices, which reader would take each, and why not.
package struct DeviceListing<Technology: ReaderTechnology> {
  /// Everything that a reader could mean.
  package var devices: [DeviceIdentity] { roster.devices }
  private let configurations: [Technology.Configuration]
  private let roster: DeviceRoster
  private let service: UserAccount?

  /// Asks udev.
  /// - Parameters:
  ///   - service: the user that the service runs as, where it is not the caller: whether that user may open a node is judged by
  ///     its owner, group and mode.
  ///   - isListed: what is looked at of what udev tells.
  /// - Throws: where udev cannot be asked.
  package init(
    of technology: Technology.Type, _ configurations: [Technology.Configuration], as service: UserAccount?,
    where isListed: (DeviceIdentity) -> Bool = { _ in true }
  ) throws(DeviceError) {
    let known: [DeviceIdentity]
    do throws(SystemError) {
      known = try DeviceMonitor(subsystem: Technology.subsystem).devices().filter(isListed)
    } catch {
      throw DeviceError(
        device: "udev", what: "it cannot be asked for \(Technology.names.devices): \(error)",
        remedy: "Look whether /sys is mounted and readable.", errno: error.errno)
    }
    self.configurations = configurations
    self.service = service
    roster = Technology.roster(known: known, configurations: configurations, held: [:])
  }

  /// The one reader that means the device.
  package func reader(of device: DeviceIdentity) -> Technology.Configuration? {
    switch roster.assignment.fates[device.sysfsPath] ?? .unmatched {
    case .taken(let lane), .ambiguous(let lane), .unfit(let lane): configurations[lane]
    case .unmatched, .contested: nil
    }
  }

  /// What becomes of a device.
  /// - Parameter attempt: takes it for the reader that would; throws what is in the way.
  package func report(
    on device: DeviceIdentity, _ attempt: (Technology.Configuration) throws(Technology.Obstacle) -> Void
  ) -> DeviceReport {
    let problems = roster.assignment.problems
    let reader = reader(of: device)
    func report(_ outcome: DeviceReport.Outcome, _ words: String) -> DeviceReport {
      DeviceReport(device: device, reader: reader?.id, outcome: outcome, words: words)
    }
    switch roster.assignment.fates[device.sysfsPath] ?? .unmatched {
    case .unmatched: return report(.notMatched, "no reader matches it; it is left alone")
    case .unfit: return report(.notKeyboard, Technology.unfit)
    case .contested(let lanes):
      return report(.ambiguous, lanes.first.flatMap { problems[$0] } ?? "several readers match it")
    case .ambiguous(let lane): return report(.ambiguous, problems[lane] ?? "several devices match")
    case .taken(let lane):
      let configuration = configurations[lane]
      if let service, let access = NodeAccess(node: device.node), !access.allows(service) {
        return report(.noPermission, Technology.refusal(access, of: device, to: service))
      }
      do throws(Technology.Obstacle) {
        try attempt(configuration)
        return report(.taken, "reader \(configuration.id) takes it")
      } catch {
        guard let what = error.words(device, for: configuration) else {
          return report(error.outcome, "it has just gone")
        }
        return report(error.outcome, error.isFault ? what : "reader \(configuration.id) waits for \(what)")
      }
    }
  }
}
