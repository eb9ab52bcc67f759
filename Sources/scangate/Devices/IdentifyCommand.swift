import ArgumentParser
import Glibc
import KnownScanners
import LinuxIO
import ScanModel
import UnixSignals
import WedgeReader

/// `scangate devices identify`: which of the devices is the scanner in my hand?
struct IdentifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identify", abstract: "Find out which device is the scanner: scan anything.",
    discussion: """
      Listens to every device that types, without taking it from anybody: the keyboard works as ever, and what a person
      types is neither shown nor kept. A scanner is told by its speed.
      """)

  @Option(help: ArgumentHelp("How long to wait.", valueName: "seconds"))
  var seconds = 30

  @Flag(help: "Listen to USB serial ports too; opening one can make what is not a scanner start anew.")
  var serial = false

  func validate() throws {
    guard (1...600).contains(seconds) else { throw ValidationError("Wait 1 to 600 seconds.") }
  }

  func run() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: ScanIdentifier.News.self)
    let nodes = try ScannerSearch.devices("input").filter { $0.node.hasPrefix("/dev/input/event") && $0.isKeyboard }
    let ports = serial ? try ScannerSearch.devices("tty").filter { $0.port != nil } : []
    let typing = nodes + ports
    let identifier = try Self.makeIdentifier()
    try await identifier.start(typing) { continuation.yield($0) }
    if typing.isEmpty {
      throw failure("No device that types is plugged in. See \"scangate devices\" for scanners in another mode.")
    }
    let patience = Task { [seconds] in
      try await Task.sleep(for: .seconds(seconds))
      continuation.finish()
    }
    // An interrupt too goes through the end of this: ports get their settings back.
    let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let interruption = Task {
      for await _ in interrupts { break }
      continuation.finish()
    }
    defer {
      patience.cancel()
      interruption.cancel()
    }
    Terminal.out("Scan anything now: \(typing.count) devices are listened to for \(seconds) s.")
    var closed = 0
    for await news in stream {
      switch news {
      case .closed(let device, let error):
        closed += 1
        Terminal.error(Self.refusal(device, error))
        if closed == typing.count { throw failure("No device could be opened for listening.", Exit.unavailable) }
      case .scanned(let device, let code, let hasTerminator):
        await identifier.stop()
        Self.show(device, code, hasTerminator, among: typing)
        return
      }
    }
    await identifier.stop()
    throw failure(
      "Nothing was scanned on these devices. A scanner that types nothing is in another mode: see \"scangate devices\".",
      Exit.unavailable)
  }

  private static func makeIdentifier() throws(DeviceError) -> ScanIdentifier {
    do throws(SystemError) {
      return try ScanIdentifier()
    } catch {
      throw DeviceError(
        device: "identify", what: "no thread could be started: \(error)",
        remedy: "Look for what uses up this machine's memory or threads.", errno: error.errno)
    }
  }

  private static func refusal(_ device: DeviceIdentity, _ error: SystemError) -> String {
    let title = TerminalText.clean(device.title)
    switch error.errno {
    case EACCES, EPERM:
      let whose = NodeAccess(node: device.node).map { " (\($0.title))" } ?? ""
      return "\(title): you may not read it\(whose). Run this with sudo."
    default: return "\(title): \(error.words)"
    }
  }

  private static func show(
    _ device: DeviceIdentity, _ code: Code, _ hasTerminator: Bool, among typing: [DeviceIdentity]
  ) {
    let present = typing.map { ScannerSearch.candidate($0, $0.subsystem == "tty" ? .serial : .wedge) }
    guard let candidate = present.first(where: { $0.node == device.node }) else { return }
    Terminal.out("\(TerminalText.clean(device.title)) is the scanner: \(TerminalText.clean(candidate.title)).")
    Terminal.out("It read \(code.shortened), \(hasTerminator ? "with" : "without") Enter or Tab at the end.")
    if !hasTerminator { Terminal.out("Program Enter (CR) as its suffix, or set \"terminators: []\" for its reader.") }
    let proposals = ReaderProposal.proposals(for: [candidate], among: present)
    if !proposals.isEmpty { Terminal.write("\n" + ReaderProposal.yaml(proposals)) }
  }
}
