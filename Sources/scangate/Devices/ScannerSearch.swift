import CameraReader
import KnownScanners
import LinuxIO
import ScanModel

/// The scanners among what is plugged in, and what could be configured for them. Opens nothing.
struct ScannerSearch {
  /// What to do with a scanner whose mode cannot be read, where no more is known of it.
  static let cure = "Program its keyboard mode (HID keyboard, keyboard wedge) or its serial mode (virtual COM port)"

  /// Readers for the scanners that no reader has.
  private(set) var proposals: [ReaderProposal] = []
  /// Scanners that nothing here can read in the mode that they are in.
  private(set) var unreadable: [ScannerCandidate] = []

  /// Searches.
  /// - Parameters:
  ///   - inputs: the input devices with what becomes of them.
  ///   - serials: the serial lines, likewise.
  ///   - readers: the names that are given away.
  init(inputs: [DeviceReport], serials: [DeviceReport], readers: [String]) throws(DeviceError) {
    let wedges = inputs.filter(\.device.isKeyboard)
    let typing = wedges.map { Self.candidate($0.device, .wedge) }
    // A board's own lines have no port; what hangs on them cannot be told.
    let lines = serials.filter { $0.device.port != nil }
    let serial = lines.map { Self.candidate($0.device, .serial) }
    let seen = Set((typing + serial).map(\.physicalPath))
    for device in try Self.devices("hidraw") where !seen.contains(device.physicalPath) {
      let candidate = Self.candidate(device, .hidPOS)
      let isPointOfSale = HIDReportDescriptor.applications(ofHIDRaw: device.sysfsPath).contains {
        $0.page == HIDReportDescriptor.barCodeScannerPage
      }
      guard isPointOfSale || candidate.model?.mode?.isReadable == false else { continue }
      if !unreadable.contains(where: { $0.physicalPath == candidate.physicalPath }) { unreadable.append(candidate) }
    }
    let free = zip(wedges, typing).filter { $0.0.outcome == .notMatched }.map(\.1)
    let freeLines = zip(lines, serial).filter { $0.0.outcome == .notMatched }.map(\.1)
    proposals = ReaderProposal.proposals(
      for: (free + freeLines).filter(\.isLikely), among: typing + serial, taken: Set(readers))
  }

  /// Blocks for the cameras that no reader has, by their nodes.
  /// - Parameter readers: the names that are given away.
  static func blocks(for cameras: [CameraReport], readers: [String]) -> [String: String] {
    func candidate(_ report: CameraReport) -> ScannerCandidate {
      let device = report.device.device
      return ScannerCandidate(
        kind: .camera, node: device.node, physicalPath: device.physicalPath, vendor: device.vendor,
        product: device.product, serial: device.serial, port: device.port, name: device.name)
    }
    let free = cameras.filter { $0.device.outcome == .notMatched }.map(candidate)
    let proposals = ReaderProposal.proposals(for: free, among: cameras.map(candidate), taken: Set(readers))
    return Dictionary(proposals.map { ($0.candidate.node, $0.yaml) }, uniquingKeysWith: { first, _ in first })
  }

  /// A device with what the database knows of it.
  static func candidate(_ device: DeviceIdentity, _ kind: ScannerCandidate.Kind) -> ScannerCandidate {
    ScannerCandidate(
      kind: kind, node: device.node, physicalPath: device.physicalPath, vendor: device.vendor,
      product: device.product, serial: device.serial, port: device.port ?? device.idPath, name: device.name,
      model: ScannerDatabase.carried.model(vendor: device.vendor, product: device.product))
  }

  static func devices(_ subsystem: String) throws(DeviceError) -> [DeviceIdentity] {
    do throws(SystemError) {
      return try DeviceMonitor(subsystem: subsystem).devices()
    } catch {
      throw DeviceError(
        device: "udev", what: "it cannot be asked for \(subsystem) devices: \(error)",
        remedy: "Look whether /sys is mounted and readable.", errno: error.errno)
    }
  }
}
