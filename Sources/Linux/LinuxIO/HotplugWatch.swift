/// Tells what is plugged in and unplugged, on a thread of its own.
package actor HotplugWatch {
  /// What happened, with the device; of one that is gone, what was known of it.
  package enum News: Sendable, Equatable {
    /// It is there, and was not.
    case plugged(DeviceIdentity)
    /// It is gone.
    case unplugged(DeviceIdentity)
  }

  private nonisolated let loop: DeviceLoop
  private nonisolated let subsystems: [String]
  private var monitors: [DeviceMonitor] = []
  private var watches: [DeviceLoop.Watch] = []
  private var roster: [String: DeviceIdentity] = [:]
  private var tell: (@Sendable (News) -> Void)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes a watch of these subsystems; `start` begins it.
  /// - Throws: where the system has no thread for it.
  package init(subsystems: [String]) throws(SystemError) {
    self.subsystems = subsystems
    loop = try DeviceLoop(name: "hotplug")
  }

  deinit { loop.stop() }

  /// Begins; what is there already is not told.
  /// - Parameter tell: called on the watch's thread; returns at once.
  /// - Throws: where udev cannot be heard.
  package func start(tell: @escaping @Sendable (News) -> Void) throws(SystemError) {
    self.tell = tell
    for (index, subsystem) in subsystems.enumerated() {
      let monitor = try DeviceMonitor(subsystem: subsystem)
      try monitor.listen()
      for device in try monitor.devices() { roster[device.sysfsPath] = device }
      monitors.append(monitor)
      watches.append(
        loop.watch(monitor.descriptor, for: .readable) { [weak self] _ in self?.assumeIsolated { $0.hear(index) } })
    }
  }

  /// Ends; nothing is told after it returned.
  package func stop() {
    tell = nil
    watches.forEach(loop.unwatch)
    watches = []
    monitors = []
  }

  private func hear(_ index: Int) {
    guard monitors.indices.contains(index) else { return }
    while let change = monitors[index].next() {
      switch change {
      case .present(let device):
        let known = roster.updateValue(device, forKey: device.sysfsPath)
        if known == nil { tell?(.plugged(device)) }
      case .gone(let path):
        if let device = roster.removeValue(forKey: path) { tell?(.unplugged(device)) }
      case .lost: catchUp(index)
      }
    }
  }

  /// Messages were lost: what is there now tells the rest.
  private func catchUp(_ index: Int) {
    guard let devices = try? monitors[index].devices() else { return }
    let now = Set(devices.map(\.sysfsPath))
    for device in roster.values where device.subsystem == subsystems[index] && !now.contains(device.sysfsPath) {
      roster[device.sysfsPath] = nil
      tell?(.unplugged(device))
    }
    for device in devices where roster.updateValue(device, forKey: device.sysfsPath) == nil { tell?(.plugged(device)) }
  }
}
