import FirstRun
import KnownScanners
import LinuxIO
import ScanModel
import SignalOutputs
import WedgeReader

/// The devices of a first run: what there is to choose from, and who listens to which. Opens what is asked for, and nothing else.
actor FirstRunDevices {
  private var identifier: ScanIdentifier?
  private var trial: ScannerTrial?

  /// Readers that are likely to be such, and free outputs.
  static func offers(file: String, hasFile: Bool, credential: String) -> FirstRun.Offers {
    let typing = ((try? ScannerSearch.devices("input")) ?? []).filter(\.isKeyboard)
      .map { ScannerSearch.candidate($0, .wedge) }
    let cameras = ((try? ScannerSearch.devices("video4linux")) ?? []).filter(\.isCamera)
      .map { ScannerSearch.candidate($0, .camera) }
    let readers =
      ReaderProposal.proposals(for: typing.filter(\.isLikely), among: typing)
      + ReaderProposal.proposals(for: cameras, among: cameras)
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
      readers: readers.map { FoundReader($0) }, lines: lines, lamps: lamps, file: file, hasFile: hasFile,
      credential: credential)
  }

  /// Listens to everything that types, until something is scanned.
  func listen(ports: Bool, tell: @escaping @Sendable (FirstRun.Event) -> Void) async {
    await deafen()
    do {
      let nodes = try ScannerSearch.devices("input").filter { $0.node.hasPrefix("/dev/input/event") && $0.isKeyboard }
      let typing = nodes + (ports ? try ScannerSearch.devices("tty").filter { $0.port != nil } : [])
      guard !typing.isEmpty else {
        return tell(.deaf("Nothing that types is plugged in. Plug a scanner in, and answer again, or name a line."))
      }
      let present = typing.map { ScannerSearch.candidate($0, $0.subsystem == "tty" ? .serial : .wedge) }
      let identifier = try ScanIdentifier()
      self.identifier = identifier
      try await identifier.start(typing) { news in
        switch news {
        case .closed(let device, let error):
          let title = TerminalText.clean(device.title)
          tell(.deaf("\(title) cannot be listened to: \(error.words). Run this with sudo."))
        case .scanned(let device, _, _):
          guard let candidate = present.first(where: { $0.node == device.node }),
            let proposal = ReaderProposal.proposals(for: [candidate], among: present).first
          else { return tell(.deaf("\(TerminalText.clean(device.title)) cannot be told from others.")) }
          tell(.scanned(FoundReader(proposal)))
        }
      }
    } catch {
      tell(.deaf(TerminalText.clean("\(error)", limit: 500)))
    }
  }

  /// Listens to one reader for the test code.
  func hear(_ reader: FoundReader, tell: @escaping @Sendable (FirstRun.Event) -> Void) async {
    await deafen()
    do throws(SystemError) {
      let trial = try ScannerTrial()
      self.trial = trial
      try await trial.start(reader.node, isPort: reader.kind == .serial, layouts: TestCode.layouts) { heard in
        guard let heard else { return tell(.deaf("\(reader.title) is gone. Plug it in again, and go back.")) }
        tell(
          .read(
            heard.readings.map { TestCode.Reading(layout: $0.layout, bytes: $0.bytes) },
            hasTerminator: heard.hasTerminator))
      }
    } catch {
      tell(.deaf("\(reader.title) cannot be listened to: \(error.words). Go back, or skip this."))
    }
  }

  /// Ends listening; what was taken is given back.
  func deafen() async {
    await identifier?.stop()
    await trial?.stop()
    (identifier, trial) = (nil, nil)
  }
}
