import FirstRun
import Glibc
import KnownScanners
import LinuxIO
import ScanModel
import SignalOutputs
import TicketSystemKit
import WedgeReader

/// The devices of a first run: what there is to choose from, and who listens to which. Opens what is asked for, and nothing else.
actor FirstRunDevices {
  private var identifier: ScanIdentifier?
  private var trial: ScannerTrial?
  private var hotplug: HotplugWatch?
  /// How often somebody was listened to, or no longer: who began before has no say.
  private var turn = 0

  /// Readers that are likely to be such, and free outputs.
  static func offers(file: String, hasFile: Bool) -> FirstRun.Offers {
    let outputs = listOutputs()
    var lines: [OutputOffer] = []
    for chip in outputs.chips where !chip.label.contains("\"") {
      for line in chip.lines where !line.isUsed {
        lines.append(
          .line(
            chip: chip.label, line.name.isEmpty ? "\(line.offset)" : line.name, isNumber: line.name.isEmpty))
      }
    }
    let lamps = outputs.leds.filter { $0.trigger == nil }.map { OutputOffer.led($0.name) }
    return FirstRun.Offers(
      readers: readers, lines: lines, lamps: lamps, file: file, hasFile: hasFile,
      systems: TicketSystemRegistry.discoveries.map(\.form), zone: zone)
  }

  /// The zone of this machine's time, as its link says.
  private static var zone: String {
    var bytes = [UInt8](repeating: 0, count: 1_024)
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { readlink("/etc/localtime", $0, buffer.count) } ?? 0
    }
    let link = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    guard let folder = link.firstRange(of: "/zoneinfo/") else { return "UTC" }
    return TerminalText.clean(String(link[folder.upperBound...]), limit: 64)
  }

  /// Readers that are likely to be such.
  private static var readers: [FoundReader] {
    let typing = ((try? ScannerSearch.devices("input")) ?? []).filter(\.isKeyboard)
      .map { ScannerSearch.candidate($0, .wedge) }
    let cameras = ((try? ScannerSearch.devices("video4linux")) ?? []).filter(\.isCamera)
      .map { ScannerSearch.candidate($0, .camera) }
    return
      (ReaderProposal.proposals(for: typing.filter(\.isLikely), among: typing)
      + ReaderProposal.proposals(for: cameras, among: cameras)).map { FoundReader($0) }
  }

  /// Listens to everything that types, until something is scanned; to what is plugged in meanwhile, too.
  func listen(ports: Bool, tell: @escaping @Sendable (FirstRun.Event) -> Void) async {
    await deafen()
    let turn = turn
    do throws(SystemError) {
      let hotplug = try HotplugWatch(subsystems: ["input", "video4linux"] + (ports ? ["tty"] : []))
      self.hotplug = hotplug
      try await hotplug.start { [weak self] _ in
        Task {
          tell(.plugged(Self.readers))
          await self?.listenAnew(turn, ports: ports, tell)
        }
      }
    } catch {
      // Who is there already is listened to all the same.
      hotplug = nil
    }
    await hear(turn, ports: ports, tell)
  }

  private func listenAnew(_ turn: Int, ports: Bool, _ tell: @escaping @Sendable (FirstRun.Event) -> Void) async {
    guard turn == self.turn else { return }
    await hear(turn, ports: ports, tell)
  }

  private func hear(_ turn: Int, ports: Bool, _ tell: @escaping @Sendable (FirstRun.Event) -> Void) async {
    await identifier?.stop()
    identifier = nil
    do {
      let nodes = try ScannerSearch.devices("input").filter { $0.node.hasPrefix("/dev/input/event") && $0.isKeyboard }
      let typing = nodes + (ports ? try ScannerSearch.devices("tty").filter { $0.port != nil } : [])
      guard !typing.isEmpty else {
        return tell(.deaf(.own(.readerNone)))
      }
      let present = typing.map { ScannerSearch.candidate($0, $0.subsystem == "tty" ? .serial : .wedge) }
      for (device, candidate) in zip(typing, present) where candidate.isLikely && Self.isHeld(device) {
        tell(.deaf(.own(.readerHeld, TerminalText.clean(device.title))))
      }
      let identifier = try ScanIdentifier()
      guard turn == self.turn else { return }
      self.identifier = identifier
      try await identifier.start(typing) { news in
        switch news {
        case .closed(let device, let error):
          tell(.deaf(.own(.readerClosed, TerminalText.clean(device.title), error.words)))
        case .scanned(let device, _, _):
          guard let candidate = present.first(where: { $0.node == device.node }),
            let proposal = ReaderProposal.proposals(for: [candidate], among: present).first
          else { return tell(.deaf(.own(.readerUntold, TerminalText.clean(device.title)))) }
          tell(.scanned(FoundReader(proposal)))
        }
      }
      // Ended meanwhile, or begun anew.
      if self.identifier !== identifier { await identifier.stop() }
    } catch {
      tell(.deaf(.told(TerminalText.clean("\(error)", limit: 500))))
    }
  }

  /// Whether another program has a keyboard for itself: the service, while it runs. Asked where no key is down, by taking it for an
  /// instant.
  private static func isHeld(_ device: DeviceIdentity) -> Bool {
    guard device.subsystem == "input", let opened = try? EventDevice(node: device.node, readOnly: true),
      (try? opened.hasKeysDown()) == false
    else { return false }
    do throws(SystemError) {
      try opened.grab()
      opened.ungrab()
      return false
    } catch {
      return error.errno == EBUSY
    }
  }

  /// Listens to one reader for the test code.
  func hear(_ reader: FoundReader, tell: @escaping @Sendable (FirstRun.Event) -> Void) async {
    await deafen()
    do throws(SystemError) {
      let trial = try ScannerTrial()
      self.trial = trial
      try await trial.start(reader.node, isPort: reader.kind == .serial, layouts: TestCode.layouts) { heard in
        guard let heard else { return tell(.deaf(.own(.readerGone, reader.title))) }
        tell(
          .read(
            heard.readings.map { TestCode.Reading(layout: $0.layout, bytes: $0.bytes) },
            hasTerminator: heard.hasTerminator))
      }
    } catch {
      tell(.deaf(.own(.readerDeaf, reader.title, error.words)))
    }
  }

  /// Ends listening; what was taken is given back.
  func deafen() async {
    turn += 1
    await hotplug?.stop()
    await identifier?.stop()
    await trial?.stop()
    (hotplug, identifier, trial) = (nil, nil, nil)
  }
}
