internal import CameraReader
internal import KnownScanners
internal import LinuxIO
internal import Reading
internal import ScanConfiguration
internal import ScanModel
internal import SerialReader
internal import WedgeReader

/// Looks at the station's readers: whether they are plugged in, whose they are, and whether they are set up as their models are.
struct ReaderLook {
  /// What is plugged in.
  struct Seen: Sendable {
    var inputs: [DeviceReport] = []
    var serials: [DeviceReport] = []
    var cameras: [DeviceReport] = []
    /// HID devices that neither type nor are a serial line, for scanners in another mode.
    var raw: [DeviceIdentity] = []
    /// Who has which node open.
    var holders: [String: [DeviceHolder]] = [:]
    /// The service's user, where it is not who asks.
    var service: UserAccount?
  }

  let machine: Machine
  /// The readers of which the running service has told how they are: it has them open, and only what it cannot know is looked at.
  var told: Set<ReaderID> = []

  func findings(_ configuration: StationConfiguration) -> [Finding] {
    var findings = Self.keymaps(configuration.wedges)
    do throws(DeviceError) {
      findings += Self.judge(configuration, try look(configuration), told: told)
    } catch {
      findings.append(Finding(.fault, .readers, error.device, error.what, cure: error.remedy))
    }
    return findings
  }

  private func look(_ configuration: StationConfiguration) throws(DeviceError) -> Seen {
    // Root may open everything, which would hide a missing rule.
    let service = machine.service.flatMap { $0.id == 0 ? nil : $0 }
    var seen = Seen(service: service)
    seen.inputs = try listInputDevices(configuration.wedges, as: service)
    seen.serials = try listSerialDevices(configuration.serials, as: service)
    seen.cameras = try listCameras(configuration.cameras, as: service).map(\.device)
    seen.raw = (try? DeviceMonitor(subsystem: "hidraw").devices()) ?? []
    let held = (seen.inputs + seen.serials + seen.cameras).filter { $0.outcome == .grabbed || $0.outcome == .unusable }
    seen.holders = DeviceHolders.holders(of: Set(held.map(\.device.node)), in: machine)
    return seen
  }

  static func keymaps(_ wedges: [WedgeConfiguration]) -> [Finding] {
    WedgeConfiguration.problems(in: wedges).map {
      Finding(.fault, .readers, "readers", $0.what, cure: $0.remedy)
    }
  }

  /// Judges each reader by what is plugged in.
  /// - Parameter told: readers of which the running service has told: what is wrong of them is looked for all the same, for it says more.
  static func judge(
    _ configuration: StationConfiguration, _ seen: Seen, told: Set<ReaderID> = []
  ) -> [Finding] {
    configuration.readers.flatMap { reader -> [Finding] in
      let reports: [DeviceReport] =
        switch reader.kind {
        case .wedge: seen.inputs
        case .serial: seen.serials
        case .camera: seen.cameras
        }
      let own = reports.filter { $0.reader == reader.id && $0.outcome != .notKeyboard }
      // Who has no reader beside it admits nobody without it.
      let gate = configuration.gates.first { $0.readers.contains(reader.id) }
      let isAlone = (gate?.readers.count ?? 1) <= 1
      let judge = ReaderJudge(reader: reader, isAlone: isAlone, seen: seen)
      guard !own.isEmpty else { return [judge.parked(among: reports)] }
      return own.map { judge.judge($0) } + judge.model(own.map(\.device))
    }.filter { finding in finding.severity > .note || !told.contains { finding.place == "readers.\($0)" } }
  }
}

/// What is to be said of one reader. Pure.
struct ReaderJudge {
  let reader: ReaderConfiguration
  /// Whether its gate has no other.
  let isAlone: Bool
  let seen: ReaderLook.Seen

  private func finding(_ severity: Finding.Severity, _ words: String, _ cure: String? = nil) -> Finding {
    Finding(severity, .readers, "readers.\(reader.id)", words, cure: cure)
  }

  private var bad: Finding.Severity { isAlone ? .fault : .warning }

  /// A device of the reader.
  func judge(_ report: DeviceReport) -> Finding {
    let title = report.device.title
    switch report.outcome {
    case .taken: return finding(.good, "\(title) is plugged in and can be read.")
    case .grabbed: return grabbed(title, seen.holders[report.device.node] ?? [])
    case .noPermission:
      guard let service = seen.service, let access = NodeAccess(node: report.device.node) else {
        return finding(bad, "\(title): \(report.words)", "sudo scangate doctor")
      }
      // It was whoever asks that may not.
      guard !access.allows(service) else {
        return finding(.note, "\(title) is plugged in; only root can see who has it.", "sudo scangate doctor")
      }
      return finding(
        bad,
        "The service's user \(service.name) may not open \(title) (\(access.title)): no udev rule has given it to the service.",
        "sudo udevadm control --reload && sudo udevadm trigger \(report.device.node), with \(UdevLook.rules) installed and the "
          + "model in it (docs/scanners.md)")
    case .ambiguous: return finding(bad, report.words, "Edit its match: scangate devices shows what tells them apart.")
    case .unusable:
      let holders = seen.holders[report.device.node] ?? []
      if !holders.isEmpty { return grabbed(title, holders) }
      return finding(bad, "\(title): \(report.words)", "scangate devices")
    case .notMatched, .notKeyboard: return finding(.note, "\(title): \(report.words)")
    }
  }

  private func grabbed(_ title: String, _ holders: [DeviceHolder]) -> Finding {
    let ours = holders.first { $0.name == "scangate" }
    if let ours { return finding(.good, "\(title) is read by \(ours.title).") }
    guard let first = holders.first else {
      return finding(
        bad, "\(title) is held by another program, and by which cannot be seen.",
        "sudo fuser -v \(nodeHint), or unplug it")
    }
    let others = holders.dropFirst().map { " or \($0.title)" }.joined()
    return finding(
      bad, "\(title) is held by \(first.title)\(others), and not by the gateway.", "sudo kill \(first.process)")
  }

  private var nodeHint: String {
    switch reader.place {
    case .path(let path): path
    case .match: "/dev/input/event*"
    }
  }

  /// No device is the reader's: it is not plugged in, or in another mode.
  func parked(among reports: [DeviceReport]) -> Finding {
    if let contested = reports.first(where: { $0.outcome == .ambiguous && covers($0.device) }) {
      return finding(bad, contested.words, "Edit the matches: scangate devices shows what tells them apart.")
    }
    if let (device, mode) = otherMode {
      let model = ScannerDatabase.carried.model(vendor: device.vendor, product: device.product)
      let cure = model?.cure ?? "Program its \(reader.kind == .serial ? "serial" : "keyboard") mode by its manual"
      return finding(
        bad,
        "\(model?.title ?? device.title) is plugged in \(mode), and the reader is one of type \(reader.kind.rawValue).",
        "\(cure)\(mode == Self.asSerial ? ", or write type: serial" : mode == Self.asKeyboard ? ", or write type: wedge" : "")."
      )
    }
    return finding(bad, "It is not plugged in.", "Plug it in; what is there is shown by: scangate devices")
  }

  private static let asSerial = "as a serial line"
  private static let asKeyboard = "as a keyboard"

  /// The same device in another mode. Most scanners have another product number then, so that what is left of the match is looked at:
  /// vendor, port and serial number.
  private var otherMode: (DeviceIdentity, String)? {
    guard case .match(var match) = reader.place, match.port != nil || match.serial != nil || match.product != nil else {
      return nil
    }
    match.interface = nil
    match.name = nil
    if match.port != nil || match.serial != nil { match.product = nil }
    func found(_ devices: [DeviceIdentity], _ mode: String) -> (DeviceIdentity, String)? {
      devices.first { match.matches($0) }.map { ($0, mode) }
    }
    let serial = found(seen.serials.map(\.device), Self.asSerial)
    let keyboard = found(seen.inputs.map(\.device).filter(\.isKeyboard), Self.asKeyboard)
    let raw = found(seen.raw, "in a mode that nothing here reads (HID point of sale)")
    return switch reader.kind {
    case .wedge: serial ?? raw
    case .serial: keyboard ?? raw
    case .camera: nil
    }
  }

  private func covers(_ device: DeviceIdentity) -> Bool {
    switch reader.place {
    case .match(let match): match.matches(device)
    case .path(let path): device.node == path
    }
  }

  /// What the model of its device says of how it is configured.
  func model(_ devices: [DeviceIdentity]) -> [Finding] {
    guard let device = devices.first,
      let model = ScannerDatabase.carried.model(vendor: device.vendor, product: device.product)
    else { return [] }
    if model.isShared, case .match(let match) = reader.place, match.port == nil, match.serial == nil {
      return [
        finding(
          .warning,
          "Keyboards have the same id as \(model.title): another one that is plugged in would be read as well.",
          "Add port or serial to its match: scangate devices shows them.")
      ]
    }
    return []
  }
}
