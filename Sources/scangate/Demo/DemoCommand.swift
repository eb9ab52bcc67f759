import Reading
import Signalling
import ArgumentParser
import Gateway
import Glibc
import Journal
import LinuxIO
import ScanModel
import Sealing
import SignalOutputs
import TicketSystemKit
import VenueServer
import WedgeReader

/// `scangate demo`: the same pipeline as `run`, with a ticket system on loopback, codes from the terminal, and devices
/// that are drawn.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "A gate in this terminal, with a real ticket system on loopback and no devices.",
    discussion: """
      Type a code, or scan one into the terminal with any USB scanner, and press Enter. The codes are the same each time. \
      With --plain, each line of input gives one line of output, and the demo ends with its input; a code that comes again \
      within hold-off is held back until hold-off has passed.
      """)

  @Flag(help: "One line a scan and nothing else on standard output; ends at the end of input.")
  var plain = false

  @Flag(help: "Also show the gate in a page on this machine, as a screen at a door has it.")
  var web = false

  @Option(help: ArgumentHelp("The page's port; one that is free without it.", valueName: "port"))
  var webPort: UInt16 = 0

  @Option(
    help: ArgumentHelp(
      "Also read this USB scanner: vendor:product, and :serial where two are alike. See scangate devices.",
      valueName: "reader"))
  var reader: String?

  @Option(help: "The XKB layout that this scanner types in.")
  var keymap = "us"

  private static let holdOff = Duration.seconds(2)
  private static let outputs: [OutputName: OutputKind] = [
    "relay": .relay, "green": .lamp, "red": .lamp, "amber": .lamp, "buzzer": .buzzer,
  ]
  private static let shown: [OutputName] = ["relay", "green", "red", "amber", "buzzer"]

  func run() async throws {
    let wedges = try wedge().map { [$0] } ?? []
    let venue = try VenueServer(VenueConfiguration())
    // The same codes each time: they stand in the README and can be typed from memory.
    let seeded = try await venue.seed(Seed(random: 1))
    guard let key = seeded.apiKey else { throw failure("The demo's ticket system gave no key.") }

    let (ready, isReady) = AsyncStream<VenueAddress>.makeStream()
    let serving = Task {
      defer { isReady.finish() }
      try await venue.run { isReady.yield($0) }
    }
    var addresses = ready.makeAsyncIterator()
    guard let address = await addresses.next() else {
      do {
        try await serving.value
      } catch {
        throw failure("The demo's ticket system did not start: \(error)")
      }
      throw failure("The demo's ticket system did not start.")
    }
    introduce(seeded, address)
    try await gate(at: address, key: key, wedges: wedges)
    serving.cancel()
    _ = await serving.result
  }

  /// Runs the gate until the end of input.
  private func gate(at address: VenueAddress, key: String, wedges: [WedgeConfiguration]) async throws {
    let time = SystemTime()
    let hub = EventHub()
    let display = DemoDisplay(isPlain: plain, outputs: Self.shown)
    let connection = try TicketSystemRegistry.venue.connect(
      TicketSystemID("demo"), at: address.url, key: key, time: time)

    // A real journal, for the time of the demo.
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let sealKey = SealKey.random().key
    let journal = try Journal.open(
      Journal.Settings(path: folder.path + "/journal.sqlite"), key: sealKey, boot: .current(), time: time)

    let loop = try DeviceLoop(name: "outputs")
    let driver = DemoOutputs()
    let gateID = GateID("demo")
    let outputs = try GateOutputs(
      gate: gateID, outputs: Self.outputs, timing: try RelayTiming(pulse: .milliseconds(600), gap: .milliseconds(400)),
      patterns: .standard(for: Self.outputs), driver: driver, loop: loop, onFault: { _, _ in })
    let controller = GateController(
      settings: GateSettings(gate: gateID, holdOff: Self.holdOff, gap: .milliseconds(400)),
      system: connection.face(nil),
      ledger: LedgerKeeper(
        server: address.url,
        dependencies: LedgerDependencies(
          journal: journal, key: sealKey, boot: .current(), clock: ClockTrust(time: time),
          loop: try DeviceLoop(name: "gates", runsTasks: true)), time: time,
        events: hub), signals: GateSignalOutput(outputs), events: hub, time: time)

    let terminal = TypedCodes(reader: ReaderID("terminal"), time: time)
    var sources: [any ReadSource] = [terminal]
    if !wedges.isEmpty { sources.append(try WedgeSource(wedges)) }
    let station = Station(
      gates: [StationGate(controller: controller, readers: [ReaderID("terminal")] + wedges.map(\.id))],
      sources: sources, events: hub, time: time)

    await outputs.start()
    let drawing = Task { for await (output, on) in driver.switched { await display.drive(output, on: on) } }
    let typed = hub.subscribe()
    let shown = hub.subscribe()
    let showing = Task { for await event in shown { await display.show(event) } }
    let page =
      web
      ? try DemoPage(of: gateID, port: webPort, events: hub, in: folder.path) { address in
        Terminal.error("The same gate in a browser: \(address)")
      } : nil
    let looked = hub.subscribe()
    let looking = Task { await page?.run(looked) }
    let lines = try LineReader(descriptor: STDIN_FILENO)
    let plain = plain
    try await station.run {
      await terminal.ready()
      while let input = await lines.next() {
        await terminal.type(input, answers: plain ? typed : nil, holdOff: Self.holdOff)
      }
    }
    await outputs.stop()
    loop.stop()
    looking.cancel()
    hub.finish()
    await looking.value
    await showing.value
    await drawing.value
    await display.finish()
    await connection.close()
    await journal.close()
  }

  /// The scanner that `--reader` names; no other is touched.
  private func wedge() throws -> WedgeConfiguration? {
    guard let reader else { return nil }
    let parts = reader.split(separator: ":", maxSplits: 2).map(String.init)
    guard parts.count >= 2, let vendor = UInt16(parts[0], radix: 16), let product = UInt16(parts[1], radix: 16) else {
      throw ValidationError(
        "--reader wants vendor:product in hexadecimal, such as 0c2e:0901; scangate devices shows them")
    }
    let wedge = WedgeConfiguration(
      id: ReaderID("scanner"),
      match: DeviceMatch(vendor: vendor, product: product, serial: parts.count > 2 ? parts[2] : nil),
      keymap: KeymapNames(layout: keymap))
    if let problem = WedgeConfiguration.problems(in: [wedge]).first { throw ValidationError(problem.description) }
    return wedge
  }

  /// Tells what there is to try; on standard error with `--plain`, where standard output is for scans alone.
  private func introduce(_ seeded: SeededVenue, _ address: VenueAddress) {
    let say = plain ? Terminal.error : Terminal.out
    say("A gate in this terminal. The ticket system is real (\(address.url)), the devices are drawn.")
    say("Today: \(seeded.event). Codes to try:")
    say("")
    var isFirstEntry = true
    for ticket in seeded.tickets {
      let isURL = ticket.kind == .entry && !isFirstEntry
      if ticket.kind == .entry { isFirstEntry = false }
      let expectation = Self.expectation(of: ticket.kind)
      say(
        "  \(expectation + String(repeating: " ", count: max(1, 24 - expectation.count)))\(isURL ? ticket.asURL : ticket.code)"
      )
    }
    say("  refuse notFound         no-such-ticket-anywhere")
    say("  refuse unreadable       abc")
    say("")
    if !plain { say("Type or scan a code and press Enter; a second time is alreadyUsed. End with Ctrl-D.") }
    if !plain, !web {
      say("The same gate can be looked at in a browser, too: scripts/demo --web, or scangate demo --web.")
    }
  }

  private static func expectation(of kind: SeededTicket.Kind) -> String {
    switch kind {
    case .entry: "admit"
    case .sale: "admit (twice)"
    case .unpaid: "refuse unpaid"
    case .cancelled: "refuse cancelled"
    case .refunded: "refuse refunded"
    case .expired: "refuse expired"
    case .wrongDay: "refuse wrongDay"
    case .otherOrganiser: "refuse notAuthorised"
    case .deleted: "refuse notFound"
    }
  }
}
