import LinuxIO
import ReaderKit
import ScanModel
internal import Reading

/// Hears the USB bus for `IdentityWatch`: what comes back at a reader's port may be no input device any more.
///
/// Not `Sendable`: it lives on the thread that reads the wedges.
final class IdentityMonitor: PlaceCompanion {
  private let monitor: DeviceMonitor
  private let time = SystemTime()
  private var watch = IdentityWatch()

  /// Begins to listen, and learns what is there.
  init() throws(SystemError) {
    monitor = try DeviceMonitor(subsystem: "usb")
    try monitor.listen()
    for device in try monitor.devices() { _ = note(device) }
  }

  var descriptor: Int32 { monitor.descriptor }

  func hold(_ device: DeviceIdentity, by reader: ReaderID) { watch.hold(device.physicalPath, by: reader) }

  func letGo(_ device: DeviceIdentity) { watch.letGo(device.physicalPath) }

  /// Only whole reads count.
  func note(_ event: ReaderEvent, of device: DeviceIdentity) {
    if case .read(let read) = event { watch.read(at: device.physicalPath, read.readAt) }
  }

  func hear() -> [ReaderEvent] {
    var events: [ReaderEvent] = []
    while let change = monitor.next() {
      switch change {
      case .present(let device): events += note(device)
      case .gone(let path): watch.leave(path, at: time.now())
      // What is lost here is a warning, not a code.
      case .lost:
        guard let devices = try? monitor.devices() else { continue }
        watch.leave(allBut: Set(devices.map(\.sysfsPath)), at: time.now())
        events += devices.flatMap(note)
      }
    }
    return events
  }

  private func note(_ device: DeviceIdentity) -> [ReaderEvent] {
    let now = time.now()
    let identity = IdentityWatch.Identity(
      vendor: device.vendor, product: device.product, serial: device.serial, interfaces: device.usbInterfaces,
      name: device.name)
    guard let change = watch.come(identity, to: device.sysfsPath, at: now) else { return [] }
    return [
      .identityChanged(
        reader: change.reader, before: change.before.description, after: change.after.description, at: now)
    ]
  }
}

extension IdentityWatch.Identity {
  fileprivate var description: DeviceDescription {
    let model = vendor.flatMap { vendor in product.map { "\(DeviceIdentity.hex(vendor)):\(DeviceIdentity.hex($0))" } }
    return DeviceDescription(model: model, name: name, serial: serial)
  }
}
