import CUdev
import Glibc

/// udev's view of one subsystem: what is there, and what comes and goes.
///
/// Not `Sendable`: it belongs to whoever made it. Once `listen` was called, `descriptor` is readable when `next` has
/// something to say.
package final class DeviceMonitor {
  /// What happened.
  package enum Change: Sendable, Equatable {
    /// The device is there, new or changed (its permissions, its properties).
    case present(DeviceIdentity)
    /// The device at this place in sysfs is gone.
    case gone(sysfsPath: String)
    /// Messages were lost: only `devices` tells the truth now.
    case lost
  }

  private let udev: OpaquePointer
  private let subsystem: String
  private var monitor: OpaquePointer?

  /// Connects to udev.
  /// - Throws: the system's error where there is no udev library context.
  package init(subsystem: String) throws(SystemError) {
    guard let udev = udev_new() else { throw SystemError(errno: errno, call: "udev_new") }
    self.udev = udev
    self.subsystem = subsystem
  }

  deinit {
    if let monitor { udev_monitor_unref(monitor) }
    udev_unref(udev)
  }

  /// Begins to listen for changes; to be called before `devices`, so that nothing falls between.
  /// - Throws: the system's error where netlink is refused (`RestrictAddressFamilies` without AF_NETLINK, for one).
  package func listen() throws(SystemError) {
    guard monitor == nil else { return }
    // "udev" and not "kernel": rules have run, permissions and properties are there.
    guard let monitor = udev_monitor_new_from_netlink(udev, "udev") else {
      throw SystemError(errno: errno, call: "udev_monitor_new_from_netlink")
    }
    // Messages are some 1 KiB each; a hub that is replugged sends a hundred. Not having more than the default is no fault.
    _ = udev_monitor_set_receive_buffer_size(monitor, 4 << 20)
    var result = udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
    if result >= 0 { result = udev_monitor_enable_receiving(monitor) }
    guard result >= 0 else {
      udev_monitor_unref(monitor)
      throw SystemError(errno: -result, call: "udev_monitor_enable_receiving")
    }
    self.monitor = monitor
  }

  /// The descriptor to wait for; -1 before `listen`.
  package var descriptor: Int32 { monitor.map { udev_monitor_get_fd($0) } ?? -1 }

  /// The next change; `nil` when there is none for now. Never blocks.
  package func next() -> Change? {
    guard let monitor else { return nil }
    while true {
      errno = 0
      guard let device = udev_monitor_receive_device(monitor) else {
        // ENOBUFS is how netlink tells that the receive buffer overflowed; it is told once.
        return errno == ENOBUFS ? .lost : nil
      }
      defer { udev_device_unref(device) }
      guard let path = text(udev_device_get_syspath(device)) else { continue }
      if text(udev_device_get_action(device)) == "remove" { return .gone(sysfsPath: path) }
      if let identity = identity(device) { return .present(identity) }
    }
  }

  /// The devices of the subsystem that have a node and that udev has finished with, in the order of their nodes.
  /// - Throws: the system's error where sysfs cannot be read.
  package func devices() throws(SystemError) -> [DeviceIdentity] {
    guard let enumeration = udev_enumerate_new(udev) else {
      throw SystemError(errno: errno, call: "udev_enumerate_new")
    }
    defer { udev_enumerate_unref(enumeration) }
    var result = udev_enumerate_add_match_subsystem(enumeration, subsystem)
    if result >= 0 { result = udev_enumerate_add_match_is_initialized(enumeration) }
    if result >= 0 { result = udev_enumerate_scan_devices(enumeration) }
    guard result >= 0 else { throw SystemError(errno: -result, call: "udev_enumerate_scan_devices") }
    var found: [DeviceIdentity] = []
    var entry = udev_enumerate_get_list_entry(enumeration)
    while let current = entry {
      // A device may vanish between the list and the look at it.
      if let name = udev_list_entry_get_name(current), let device = udev_device_new_from_syspath(udev, name) {
        if let identity = identity(device) { found.append(identity) }
        udev_device_unref(device)
      }
      entry = udev_list_entry_get_next(current)
    }
    return found.sorted { ($0.node.utf8.count, $0.node) < ($1.node.utf8.count, $1.node) }
  }

  // MARK: What udev says of a device

  private func identity(_ device: OpaquePointer) -> DeviceIdentity? {
    guard let node = text(udev_device_get_devnode(device)), let path = text(udev_device_get_syspath(device)) else {
      return nil
    }
    // Parents belong to their child and are not released.
    let input = udev_device_get_parent_with_subsystem_devtype(device, "input", nil)
    // Above a Bluetooth device there may be a USB device too: the radio, which is not what was meant.
    let isRadio = udev_device_get_parent_with_subsystem_devtype(device, "bluetooth", nil) != nil
    // The device itself, where it is one: its parent is the hub.
    let isUSBDevice = text(udev_device_get_devtype(device)) == "usb_device"
    let parent = isRadio ? nil : udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device")
    let usb = isUSBDevice ? device : parent
    let usbInterface = isRadio ? nil : udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_interface")
    let holder = usb ?? input.flatMap { udev_device_get_parent($0) ?? $0 } ?? udev_device_get_parent(device)

    var identity = DeviceIdentity(node: node, sysfsPath: path, subsystem: subsystem)
    identity.physicalPath = holder.flatMap { text(udev_device_get_syspath($0)) } ?? path
    identity.vendor = number(
      property(device, "ID_VENDOR_ID") ?? attribute(usb, "idVendor") ?? attribute(input, "id/vendor"))
    identity.product = number(
      property(device, "ID_MODEL_ID") ?? attribute(usb, "idProduct") ?? attribute(input, "id/product"))
    identity.serial = property(device, "ID_SERIAL_SHORT") ?? attribute(usb, "serial") ?? attribute(input, "uniq")
    identity.name =
      subsystem == "video4linux"
      ? attribute(device, "name") : attribute(input, "name") ?? property(device, "ID_MODEL")
    identity.port = usb.flatMap { text(udev_device_get_sysname($0)) }
    identity.idPath = property(device, "ID_PATH")
    identity.interface = (attribute(usbInterface, "bInterfaceNumber") ?? property(device, "ID_USB_INTERFACE_NUM"))
      .flatMap { Int($0, radix: 16) }
    identity.usbInterfaces = property(device, "ID_USB_INTERFACES")
    let folder = ["tty": "serial", "video4linux": "v4l"][subsystem] ?? subsystem
    identity.byIDLink = links(device).first { $0.hasPrefix("/dev/\(folder)/by-id/") }
    identity.isKeyboard =
      property(device, "ID_INPUT_KEYBOARD") == "1" || Self.hasDigitKeys(attribute(input, "capabilities/key"))
    identity.isCamera = Self.isCamera(
      subsystem, node, index: attribute(device, "index"), capabilities: property(device, "ID_V4L_CAPABILITIES"))
    identity.isSerialLine = Self.isSerialLine(subsystem, path, type: attribute(device, "type"))
    return identity
  }

  /// Whether the kernel's key bitmap (words in hexadecimal, the lowest last) holds one of the keys 1 to 0.
  static func hasDigitKeys(_ bitmap: String?) -> Bool {
    // Bits 2 to 11 are in the last word whether words have 32 bits or 64.
    guard let last = bitmap?.split(separator: " ").last, let word = UInt64(last, radix: 16) else { return false }
    return word & 0xFFC != 0
  }

  /// Whether a video node may give pictures.
  /// - Parameters:
  ///   - index: the node's number among its device's.
  ///   - capabilities: what udev found it to do, between colons; what it says of loopback devices changes with their feeder.
  static func isCamera(_ subsystem: String, _ node: String, index: String?, capabilities: String?) -> Bool {
    subsystem == "video4linux" && node.hasPrefix("/dev/video") && (index ?? "0") == "0" && capabilities != ":"
  }

  /// Whether a tty is a line with hardware behind it.
  /// - Parameter type: the attribute of that name, which the kernel's serial ports have: 0 where no chip was found.
  static func isSerialLine(_ subsystem: String, _ path: String, type: String?) -> Bool {
    subsystem == "tty" && !path.hasPrefix("/sys/devices/virtual/") && type != "0"
  }

  private func links(_ device: OpaquePointer) -> [String] {
    var links: [String] = []
    var entry = udev_device_get_devlinks_list_entry(device)
    while let current = entry {
      if let link = text(udev_list_entry_get_name(current)) { links.append(link) }
      entry = udev_list_entry_get_next(current)
    }
    // The list comes from udev's data base; the property says the same, and is there without it.
    return links.isEmpty ? (property(device, "DEVLINKS") ?? "").split(separator: " ").map(String.init) : links
  }

  private func property(_ device: OpaquePointer, _ name: String) -> String? {
    text(udev_device_get_property_value(device, name))
  }

  private func attribute(_ device: OpaquePointer?, _ name: String) -> String? {
    guard let device else { return nil }
    return text(udev_device_get_sysattr_value(device, name))
  }

  private func number(_ hexadecimal: String?) -> UInt16? { hexadecimal.flatMap { UInt16($0, radix: 16) } }

  /// Text from udev; empty text counts as none. Bytes that are not UTF-8 are replaced.
  private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer, pointer[0] != 0 else { return nil }
    return String(cString: pointer)
  }
}
