public import LinuxIO
public import ScanModel

/// A camera that is there, and what it offers.
public struct CameraReport: Sendable, Equatable {
  /// What becomes of it, as of any device.
  public var device: DeviceReport
  /// What it offers; empty where it could not be asked.
  public var offers: [VideoOffer]
  /// What would be asked of it as it is configured, or of any camera; `nil` where nothing fits.
  public var choice: StreamChoice?

  /// What it offers, in short: each format with its sizes and quickest rates.
  public var offered: String { summary(of: offers) }
}

/// Which cameras are there, which reader would take them, and why not. Asks each what it offers, which disturbs nobody who uses
/// it; streams from none.
/// - Parameters:
///   - service: the user that the service runs as, where it is not the caller: whether that user may open a node is judged by
///     its owner, group and mode.
///   - calls: the system calls of cameras.
/// - Throws: where udev cannot be asked.
public func listCameras(
  _ configurations: [CameraConfiguration], as service: UserAccount? = nil, calls: any VideoCalls = SystemVideoCalls()
) throws(DeviceError) -> [CameraReport] {
  let known: [DeviceIdentity]
  do throws(SystemError) {
    known = try DeviceMonitor(subsystem: "video4linux").devices()
  } catch {
    throw DeviceError(
      device: "udev", what: "it cannot be asked for cameras: \(error)",
      remedy: "Look whether /sys is mounted and readable.", errno: error.errno)
  }
  let roster = CameraRoster(known: known, configurations: configurations)
  return roster.devices.compactMap { report(of: $0, roster, configurations, service, calls) }
}

/// `nil` where a node of no reader turns out to be no camera.
private func report(
  of device: DeviceIdentity, _ roster: CameraRoster, _ configurations: [CameraConfiguration], _ service: UserAccount?,
  _ calls: any VideoCalls
) -> CameraReport? {
  let fate = roster.assignment.fates[device.sysfsPath] ?? .unmatched
  let lane: Int? =
    switch fate {
    case .taken(let lane), .ambiguous(let lane), .unfit(let lane): lane
    case .unmatched, .contested: nil
    }
  let wish = lane.map { configurations[$0].wish } ?? StreamChoice.Wish()
  var offers: [VideoOffer] = []
  var obstacle: CameraObstacle?
  do throws(SystemError) {
    offers = try VideoDevice(node: device.node, calls: calls).offers()
    if offers.isEmpty { obstacle = .noCamera }
  } catch {
    obstacle = CameraObstacle(error)
  }
  if obstacle == .noCamera, lane == nil { return nil }
  let choice = StreamChoice(of: offers, wish: wish)
  if obstacle == nil, choice == nil { obstacle = .nothingFits(offers: summary(of: offers)) }
  func made(_ outcome: DeviceReport.Outcome, _ words: String) -> CameraReport {
    let reader = lane.map { configurations[$0].id }
    return CameraReport(
      device: DeviceReport(device: device, reader: reader, outcome: outcome, words: words), offers: offers,
      choice: choice)
  }
  let problems = roster.assignment.problems
  switch fate {
  case .unmatched:
    let words = obstacle.flatMap { $0.words(device, wish) }.map { "; it could not be: \($0)" } ?? ""
    return made(.notMatched, "no reader matches it; it is left alone\(words)")
  case .contested(let lanes):
    return made(.ambiguous, lanes.first.flatMap { problems[$0] } ?? "several readers match it")
  case .ambiguous(let lane): return made(.ambiguous, problems[lane] ?? "several devices match")
  case .unfit: return made(.unusable, "it cannot be read")
  case .taken(let lane):
    if let service, let access = NodeAccess(node: device.node), !access.allows(service) {
      return made(
        .noPermission,
        "the service's user \(service.name) may not open it (\(access.title)): sudo usermod -aG video \(service.name), then restart the service"
      )
    }
    guard let obstacle else { return made(.taken, "reader \(configurations[lane].id) takes it") }
    let what = obstacle.words(device, wish) ?? "it has just gone"
    let words =
      obstacle.isFault || obstacle == .absent ? what : "reader \(configurations[lane].id) waits for \(what)"
    switch obstacle {
    case .permission: return made(.noPermission, words)
    case .held: return made(.grabbed, words)
    case .absent, .noCamera, .nothingFits, .silent, .bad, .other: return made(.unusable, words)
    }
  }
}
