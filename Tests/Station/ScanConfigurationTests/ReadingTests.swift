import Calls
import Expectations
import FleetBook
import Foundation
import Reading
import ScanModel
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import EventSchedule
@testable import ScanConfiguration

@Suite struct ReadingTests {
  private func read(_ text: String) throws -> StationConfiguration {
    try ConfigurationFile.parse(text: text, file: "f", options: testOptions).configuration
  }

  private func relay(pulse: Duration, gap: Duration, _ safeState: SafeState) throws -> RelayConfiguration {
    RelayConfiguration(timing: try RelayTiming(pulse: pulse, gap: gap), safeState: safeState)
  }

  @Test func readsEveryKey() throws {
    let document = try String(contentsOf: packageFolder.appending(path: "docs/configuration.md"), encoding: .utf8)
    let blocks = document.components(separatedBy: "```yaml\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    let whole = try #require(blocks.first { $0.hasPrefix("version: 1") })
    let reading = try ConfigurationFile.parse(text: whole, file: "f", options: testOptions)
    expectEqual(reading.warnings, [])
    let station = reading.configuration
    expectEqual(station.name, "north-door")

    let system = try #require(station.ticketSystems.first)
    expect(system.id == TicketSystemID("main") && system.type.name == "eventschedule")
    let settings = try #require(system.settings as? EventScheduleSection.System)
    guard case .configured(let url, .credential(let credential)) = settings.place else {
      Issue.record("\(settings.place)")
      return
    }
    expectEqual(url.description, "https://tickets.example.org")
    expectEqual(credential.name, "main")
    expect(settings.mirror.checkIns)
    let control = try #require(station.control)
    let registration = try #require(control.registration)
    expectEqual(registration.name, "kiosk-registration")
    let fleet = try #require(station.fleet)
    expectEqual(station.credentials, [credential, registration, fleet.credential])
    expect(fleet.name == "summer" && fleet.servers.count == 3 && fleet.stations.count == 2)
    expectEqual(fleet.alone, .trust(AlonePolicy.Bounds(people: 50, time: .seconds(900))))
    expect(control.kind == .kiosk && control.url.description == "https://kiosks.example.org")
    expect(control.caFile?.path == "/etc/scangate/kiosk-ca.pem" && !control.allowPlainHTTP)
    expectEqual(station.setUp?.trust?.path, "/boot/firmware/scangate-trust.txt")
    expectEqual(station.setUp?.window, .seconds(900))
    expectEqual(station.setUp?.caFile?.path, "/etc/scangate/venue-ca.pem")
    expectEqual(settings.caFile?.path, "/etc/scangate/venue-ca.pem")
    expect(!settings.allowPlainHTTP)
    expectEqual(settings.rate, .init(limit: 60, share: 100, model: .both))
    expectEqual(system.list.maxAge, .seconds(12 * 3_600))
    expectEqual(
      station.files.map(\.role), [.certificates, .trustList, .certificates, .certificates, .certificates])
    expectEqual(station.files.last, fleet.ca)

    let reader = try #require(station.readers.first)
    expectEqual(
      reader,
      .wedge(
        WedgeConfiguration(
          id: ReaderID("north-scanner"),
          match: DeviceMatch(
            vendor: 0x0C2E, product: 0x0901, serial: "SN0001", port: "1-1.2", name: "Honeywell 1470g", interface: 0),
          keymap: KeymapNames(layout: "de", variant: "nodeadkeys", composeLocale: "en_US.UTF-8"), oemPage: .cp850,
          framing: WedgeFraming(
            terminators: [.enter, .tab], quiet: .milliseconds(150), prefix: "\u{2}", suffix: "\t", splitAIM: false))))
    expectEqual(
      station.readers.last,
      .serial(
        SerialConfiguration(
          id: ReaderID("north-kiosk"), place: .path("/dev/serial/by-id/usb-Acme_Scanner_SN0002-if00"),
          settings: SerialSettings(speed: 115_200, framing: .bits7E1, flow: .rtscts),
          framing: SerialFraming(terminators: [0x03], quiet: .milliseconds(200), prefix: "\u{2}"))))

    let gate = try #require(station.gates.first)
    expect(gate.id == GateID("north") && gate.readers == [ReaderID("north-scanner"), ReaderID("north-kiosk")])
    expectEqual(gate.ticketSystem, TicketSystemID("main"))
    expect(gate.ticket as? EventScheduleSection.Gate == .init(saleTicket: 789, seat: "12"))
    expect(gate.deadline == .milliseconds(2500) && gate.holdOff == .seconds(2) && gate.stale == .seconds(3))
    expect(gate.queue == 4 && gate.floodLimit == 20)
    expect(gate.accept.alphabet == .alphanumeric && gate.accept.pattern?.description == "[a-z0-9]{32}")
    var offline = OfflinePolicy()
    offline.rule = .admitAndQueue
    offline.after = .milliseconds(800)
    offline.most = 250
    offline.rateLimited = true
    offline.durableWithin = .milliseconds(500)
    expectEqual(gate.offline, offline)
    expectEqual(gate.outputs.map(\.name), ["relay", "green", "red", "buzzer", "buzzer2", "buzzer3"])
    expectEqual(gate.outputs[0].kind, .relay)
    try expectEqual(gate.relay, relay(pulse: .milliseconds(600), gap: .milliseconds(500), .secure))
    expectEqual(
      gate.outputs[0].target,
      .gpio(GPIOLineConfiguration(chip: "gate", line: .name("RELAY0"))))
    expect(gate.outputs[1].kind == .lamp && gate.outputs[1].target == .led("gate:green:pass"))
    expect(gate.outputs[3...].allSatisfy { $0.kind == .buzzer })
    expectEqual(gate.outputs[4].target, .pwm(PWMConfiguration(chip: "fe20c000.pwm", channel: 0, frequency: 2000)))
    expectEqual(gate.outputs[5].target, .sound(SoundConfiguration(device: "PC Speaker", frequency: 1000)))
    let button = GPIOLineConfiguration(chip: "gate", line: .name("BUTTON0"), isActiveLow: true, bias: .pullUp)
    let setUp = GPIOLineConfiguration(chip: "gate", line: .offset(8))
    let door = GPIOLineConfiguration(chip: "gate", line: .offset(7))
    expectEqual(
      gate.inputs,
      [
        InputConfiguration(name: "lockout", line: button, debounce: .milliseconds(30), use: .maintenanceButton),
        InputConfiguration(name: "setup", line: setUp, debounce: .milliseconds(30), use: .setUpButton),
        InputConfiguration(name: "door", line: door, debounce: .zero, use: .log),
      ])
    expectEqual(gate.signals[.admit], ["green": .steps([.seconds(2)]), "buzzer": .steps([.milliseconds(400)])])
    expectEqual(
      gate.signals[.refuse(.unpaid)],
      [
        "red": .blink(on: .milliseconds(200), off: .milliseconds(200), total: .seconds(2))
      ])
    expectEqual(
      gate.signals[.provisional]?["green"], .steps([.milliseconds(1_400), .milliseconds(300), .milliseconds(300)]))
    expectEqual(gate.signals[.offline], ["red": .blink(on: .milliseconds(100), off: .seconds(5), total: nil)])
    expectEqual(gate.signals[.idle], ["green": .off, "red": .off])
    expectEqual(gate.signals[.outOfService], ["red": .on])
    expect(gate.signals[.busy] == nil)
    expectEqual(gate.signals[.setUp(.armed)], ["red": .blink(on: .seconds(1), off: .seconds(1), total: nil)])
    expectEqual(gate.signals[.setUp(.refused(.lockedOut))], ["red": .steps([.seconds(2)])])
  }

  @Test func takesLampsThatASignalNames() throws {
    let text = goodFile.replacingOccurrences(of: "{ green:", with: "{ beacon:")
    expectEqual(errors(in: text).first?.contains("the output \"beacon\" does nothing"), true)
    expectEqual(errors(in: text + "    signals: { outOfService: { beacon: on } }\n"), [])
    for name in ["green", "red", "amber", "yellow", "buzzer", "buzzer2"] {
      expectEqual(errors(in: goodFile.replacingOccurrences(of: "{ green:", with: "{ \(name):")), [], "\(name)")
    }
  }

  /// What plays exactly as often as a pattern can is taken; the limit is counted in whole times on and off.
  @Test func blinksAtMostAThousandTimes() throws {
    func found(_ total: String) -> [String] {
      errors(in: goodFile + "    signals: { admit: { green: { blink: [20 ms, 20 ms], for: \(total) } } }\n")
    }
    expectEqual(found("40 s"), [])
    expectEqual(found("39.999 s"), [])
    expectEqual(found("40.001 s").map { $0.prefix(6) }, ["12:62:"])
  }

  @Test func asksWhetherTheKeymapIsThere() {
    let asked = Mutex<[[String?]]>([])
    let options = ConfigurationOptions(
      ticketSystems: [.eventSchedule],
      keymapValidator: { layout, variant, options, compose in
        asked.withLock { $0.append([layout, variant, options, compose]) }
        return nil
      })
    let reader = "type: wedge, keymap: { layout: de, variant: neo, options: \"a:b\" }, compose: de_DE.UTF-8,"
    expectEqual(errors(in: goodFile.replacingOccurrences(of: "type: wedge,", with: reader), options: options), [])
    expect(asked.withLock(\.self).contains(["de", "neo", "a:b", "de_DE.UTF-8"]))
    asked.withLock { $0 = [] }
    expectEqual(errors(in: goodFile, options: options), [])
    expectEqual(asked.withLock(\.self), [["us", "", "", nil]])
  }

  @Test func hasDefaults() throws {
    let station = try read(goodFile)
    let reader = try #require(station.readers.first)
    expectEqual(
      reader,
      .wedge(
        WedgeConfiguration(
          id: ReaderID("scanner"), match: DeviceMatch(vendor: 0x0C2E), keymap: KeymapNames(layout: "us"),
          oemPage: .cp437,
          framing: WedgeFraming(
            terminators: [.enter, .keypadEnter, .tab], silence: nil, quiet: .milliseconds(100), prefix: "", suffix: "",
            splitAIM: true))))
    expectEqual(reader.kind, .wedge)
    let serial = try #require(
      try read(goodFile.replacingOccurrences(of: "type: wedge", with: "type: serial")).readers.first)
    expectEqual(
      serial,
      .serial(
        SerialConfiguration(
          id: ReaderID("scanner"), place: .match(DeviceMatch(vendor: 0x0C2E)),
          settings: SerialSettings(speed: 9600, framing: .bits8N1, flow: .none),
          framing: SerialFraming(
            terminators: [0x0D, 0x0A], silence: nil, quiet: .milliseconds(100), prefix: "", suffix: "", splitAIM: true))
      )
    )
    expectEqual(serial.kind, .serial)
    let gate = try #require(station.gates.first)
    expect(gate.deadline == .milliseconds(2500) && gate.holdOff == .seconds(2) && gate.stale == .seconds(3))
    expect(gate.accept == EventScheduleSection.accept && gate.ticket == nil && gate.signals.isEmpty)
    expect(gate.offline == OfflinePolicy() && gate.offline.rule == .refuse)
    expectEqual(station.ticketSystems.first?.list.maxAge, .seconds(24 * 3_600))
  }

  /// What YAML 1.1 would take for booleans, numbers, nothing or times of day is text here.
  @Test func takesScalarsAsTheyAreWritten() throws {
    let text = goodFile.replacingOccurrences(
      of: "{ vendor: \"0c2e\" }", with: "{ vendor: 0012, product: 1e34, serial: on, name: 12:30:45 }")
    try expectEqual(
      read(text).readers.first?.place,
      .match(DeviceMatch(vendor: 0x12, product: 0x1E34, serial: "on", name: "12:30:45")))
  }

  @Test func knowsEveryFramingAndEveryTerminator() throws {
    for framing in SerialSettings.Framing.allCases {
      let parity = Character(Unicode.Scalar(framing.parity))
      expectEqual(framing.rawValue, "\(framing.dataBits)\(parity)\(framing.stopBits)")
    }
    expectEqual(Set(SerialSettings.Framing.allCases.map(\.rawValue)).count, 12)
    let serial = goodFile.replacingOccurrences(
      of: "type: wedge,", with: "type: serial, terminators: [cr, lf, tab, etx],")
    try expectEqual(read(serial).serials.map(\.framing.terminators), [[13, 10, 9, 3]])
  }

  /// A scanner that sends a terminator is only believed with it; silence ends a code where there is none.
  @Test func silenceEndsACodeOnlyWithoutTerminators() throws {
    for kind in ["wedge", "serial"] {
      let text = goodFile.replacingOccurrences(
        of: "type: wedge,", with: "type: \(kind), terminators: [], silence: 80 ms,")
      let station = try read(text)
      let silences = station.wedges.map(\.framing.silence) + station.serials.map(\.framing.silence)
      expectEqual(silences, [.milliseconds(80)])
    }
  }

  /// A scanner can offer both: two readers of one device but of two types do not stand in each other's way.
  @Test func readersOfTwoTypesMayFitOneDevice() {
    let text = goodFile.replacingOccurrences(
      of: "  scanner: {", with: "  line: { type: serial, match: { vendor: \"0c2e\" } }\n  scanner: {"
    )
    .replacingOccurrences(of: "[scanner]", with: "[scanner, line]")
    expectEqual(errors(in: text), [])
  }

  @Test func knowsLineNumberFromLineName() throws {
    func line(_ written: String) throws -> GPIOLineConfiguration.Selector? {
      let text = goodFile.replacingOccurrences(
        of: "led: \"gate:green:pass\"", with: "gpio: { chip: gate, line: \(written) }")
      guard case .gpio(let gpio) = try read(text).gates.first?.outputs.first?.target else { return nil }
      return gpio.line
    }
    try expectEqual(line("3"), .offset(3))
    try expectEqual(line("\"3\""), .name("3"))
    try expectEqual(line("GPIO3"), .name("GPIO3"))
  }

  @Test(arguments: [
    ("300 ms", Duration.milliseconds(300)), ("2500ms", .milliseconds(2500)), ("2.5 s", .milliseconds(2500)),
    ("0.30 s", .milliseconds(300)), ("0.1 min", .seconds(6)), ("10  s", .seconds(10)),
    ("0.005 min", .milliseconds(300)),
  ]) func readsDurations(text: String, duration: Duration) throws {
    try expectEqual(read(goodFile + "    deadline: \(text)\n").gates.first?.deadline, duration)
  }

  @Test(arguments: [
    "0.3", "1h", "1 m", "1 S", "s", "1. s", ".5 s", "1.2345 s", "+1 s", "1 s 200 ms", "1e3 ms", "9999999999 ms",
    "٣ s", "1_000 ms", "1 ms ms",
  ]) func refusesOtherDurations(text: String) {
    expectEqual(errors(in: goodFile + "    deadline: \(text)\n").first?.hasPrefix("12:15: "), true)
  }

  @Test func buzzersAndInputsHaveDefaults() throws {
    let text =
      goodFile.replacingOccurrences(
        of: "led: \"gate:green:pass\" }",
        with: "led: g }, buzzer: { pwm: { chip: a.pwm } }, buzzer2: { sound: { name: Horn } }, "
          + "relay: { gpio: { chip: gate, line: 1 }, fail: safe }")
      + "    inputs: { key: { gpio: { chip: gate, line: 2 } } }\n"
    let gate = try #require(try read(text).gates.first)
    expectEqual(gate.outputs[1].target, .pwm(PWMConfiguration(chip: "a.pwm", channel: 0, frequency: 2000)))
    expectEqual(gate.outputs[2].target, .sound(SoundConfiguration(device: "Horn", frequency: 1000)))
    try expectEqual(gate.relay, relay(pulse: .milliseconds(600), gap: .milliseconds(500), .safe))
    expect(gate.inputs.map(\.debounce) == [.milliseconds(30)] && gate.inputs.map(\.use) == [.log])
    try expectEqual(read(goodFile).gates.first?.inputs, [])
  }

  @Test(arguments: [
    ("20 Hz", 20), ("20kHz", 20_000), ("2.5 kHz", 2_500), ("0.44 kHz", 440), ("1000.000 Hz", 1_000),
  ]) func readsFrequencies(text: String, frequency: UInt32) throws {
    try expectEqual(tone(text).first, frequency)
  }

  @Test(arguments: [
    "19 Hz", "20.001 kHz", "440.5 Hz", "2000", "2", "0.0005 kHz", "1 hz", "1 khz", "1 MHz", "-5 Hz", "Hz",
    "999999999 kHz", "",
  ]) func refusesOtherFrequencies(text: String) {
    #expect(throws: ConfigurationErrors.self) { try tone(text) }
  }

  /// What stands after `ticket`, of a gate that says nothing else.
  private func station(ticket: String) -> String {
    """
    version: 1
    station: { name: door }
    ticketSystems: { main: { type: eventschedule, url: "https://tickets.example.org", apiKey: main } }
    readers: { scanner: { type: wedge, match: { vendor: "0c2e" } } }
    gates: { north: { readers: [scanner], ticketSystem: main, ticket: \(ticket) } }
    """
  }

  @Test func aGateIsBoundToEventsTypesAndHours() throws {
    func gate(_ ticket: String) throws -> EventScheduleSection.Gate? {
      try read(station(ticket: ticket)).gates.first?.ticket as? EventScheduleSection.Gate
    }
    var bound = EventScheduleSection.Gate(
      events: ["Mzg5NzM0", "457"], opens: .seconds(7_200), unknownEvent: .redeem, types: ["VIP", "12"])
    // Where each stands, for whoever has to change it.
    (bound.eventsPlace, bound.typesPlace) = (
      "gates.north.ticket.events (f:5:77)", "gates.north.ticket.types (f:5:135)"
    )
    try expectEqual(gate("{ events: [Mzg5NzM0, 457], opens: 2 h, unknownEvent: redeem, types: [VIP, 12] }"), bound)
    var venue = EventScheduleSection.Gate(venue: "Mzg5Mjg2")
    venue.eventsPlace = "gates.north.ticket.events (f:5:77)"
    try expectEqual(gate("{ events: { venue: Mzg5Mjg2 } }"), venue)
    try expectEqual(gate("{ events: [a] }")?.unknownEvent, .lookUp)
    for wrong in [
      "{ events: [] }", "{ events: 456 }", "{ events: { venue: [8] } }", "{ events: {} }", "{ opens: 2 }",
      "{ unknownEvent: maybe }", "{ types: [] }", "{ events: { venue: 8, more: 1 } }", "{ events: [\"\"] }",
    ] {
      expect(!errors(in: station(ticket: wrong)).isEmpty, "\(wrong)")
    }
  }

  private func tone(_ text: String) throws -> [UInt32] {
    let buzzer = "buzzer: { pwm: { chip: a.pwm, frequency: \(text) } }"
    return try read(goodFile.replacingOccurrences(of: "{ green:", with: "{ \(buzzer), green:")).gates[0].outputs
      .compactMap { if case .pwm(let channel) = $0.target { channel.frequency } else { nil } }
  }

  @Test func sharesValuesByAnchor() throws {
    let text =
      goodFile.replacingOccurrences(of: "gates:", with: "  other: { type: wedge, match: { serial: X } }\ngates:")
        + """
            accept: &usual { minLength: 12 }
          south:
            readers: [other]
            ticketSystem: main
            outputs: { green: { led: south } }
            accept: *usual

        """.split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst(0) }.joined(separator: "\n")
    let gates = try read(text).gates
    expectEqual(gates.map(\.accept.length.lowerBound), [12, 12])
  }

  @Test func readsACamera() throws {
    func camera(_ keys: String) throws -> CameraConfiguration? {
      let text = goodFile.replacingOccurrences(
        of: "gates:", with: "  eye: { type: camera, match: { name: \"Eye 1\" }\(keys) }\ngates:")
      return try read(text.replacingOccurrences(of: "readers: [scanner]", with: "readers: [scanner, eye]")).cameras.last
    }
    let plain = try #require(try camera(""))
    expectEqual(plain, CameraConfiguration(id: ReaderID("eye"), place: .match(DeviceMatch(name: "Eye 1"))))
    let full = try #require(
      try camera(
        ", kinds: [qr, ean13], size: 640x480, rate: 30, format: MJPG, exposure: 2.5 ms, focus: 120, powerLine: 60, "
          + "several: refuse, leaves: 1.5 s, idleRate: 5"))
    expectEqual(
      full,
      CameraConfiguration(
        id: ReaderID("eye"), place: .match(DeviceMatch(name: "Eye 1")), kinds: SymbologySet([Symbology.qr, .ean13]),
        wish: StreamWish(size: VideoSize(width: 640, height: 480), rate: 30, format: .mjpg),
        controls: CameraControls(exposure: 25, focus: .fixed(120), powerLine: .hertz60),
        presence: ViewPresence.Settings(leaves: .milliseconds(1500), several: .refuse), idleRate: 5))
  }

  @Test(arguments: [
    "one-gate.yaml", "two-gates.yaml", "check-in-desk.yaml", "serial.yaml", "camera.yaml", "kiosk.yaml", "enrol.yaml",
    "members-lounge.yaml", "signed-tickets.yaml", "theatre.yaml", "gate-pc.yaml", "raspberry-pi-3.yaml",
    "raspberry-pi-4.yaml", "raspberry-pi-5.yaml", "raspberry-pi-zero-2.yaml", "relay-hat.yaml", "usb-relay.yaml",
  ])
  func loadsExample(name: String) throws {
    let path = packageFolder.appending(path: "examples/\(name)").path
    let reading = try ConfigurationFile.load(path: path, options: exampleOptions)
    expectEqual(reading.warnings, [])
    expect(!reading.configuration.gates.isEmpty)
  }

  @Test func everyExampleIsLoaded() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: packageFolder.appending(path: "examples").path)
    expectEqual(
      names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix("prometheus") }.sorted(),
      [
        "camera.yaml", "check-in-desk.yaml", "enrol.yaml", "gate-pc.yaml", "kiosk.yaml", "members-lounge.yaml",
        "one-gate.yaml", "raspberry-pi-3.yaml", "raspberry-pi-4.yaml", "raspberry-pi-5.yaml",
        "raspberry-pi-zero-2.yaml", "relay-hat.yaml", "serial.yaml", "signed-tickets.yaml", "theatre.yaml",
        "two-gates.yaml", "usb-relay.yaml",
      ])
  }
}

@Suite struct WarningTests {
  private func warnings(_ text: String) throws -> [String] {
    try ConfigurationFile.parse(text: text, file: "f", options: testOptions).warnings.map {
      String($0.description.dropFirst(2))
    }
  }

  @Test func goodFileHasNone() throws {
    try expectEqual(warnings(goodFile), [])
  }

  @Test func greenIsForAdmissionsAlone() throws {
    let text =
      goodFile.replacingOccurrences(of: "{ green: {", with: "{ red: { led: red }, green: {") + """
            signals:
              admit: { green: [2 s] }
              refuse: { red: on, green: off }
              refuse.unpaid: { green: { blink: [250 ms, 250 ms] } }
              undecided: { red: on, green: [1 s] }
              idle: { green: on }
              provisional: { green: on }
              offline: { green: { blink: [100 ms, 5 s] } }

        """
    let remedy = "light red or amber: people read green as \"pass\""
    try expectEqual(
      warnings(text),
      [
        "15:24: the signal \"refuse.unpaid\" lights the output green; \(remedy)",
        "16:29: the signal \"undecided\" lights the output green; \(remedy)",
        "17:15: the signal \"idle\" lights the output green; \(remedy)",
        "19:18: the signal \"offline\" lights the output green; \(remedy)",
      ])
  }

  @Test func saysWhatIsDoubtful() throws {
    let text = """
      version: 1
      station: { name: door }
      ticketSystems:
        main:
          type: eventschedule
          url: http://tickets.example.org
          apiKeyFile: /k/main.key
          caFile: /k/ca.pem
          allowPlainHTTP: true
        spare: { type: eventschedule, url: "http://127.0.0.1:8080/base/", apiKeyFile: /k/main.key }
        third: { type: eventschedule, url: "http://127.0.0.1:8081/", apiKey: one }
        fourth: { type: eventschedule, url: "http://127.0.0.1:8082/", apiKey: one }
      readers:
        any: { type: wedge, match: { vendor: "0c2e" } }
        one: { type: wedge, match: { vendor: "0c2e", serial: S1 } }
      gates:
        north: { readers: [any], ticketSystem: main }
        south:
          readers: [one]
          ticketSystem: main
          stale: 2 s
          outputs: { relay: { gpio: { chip: gate, line: 0 }, pulse: 2 s } }

      """
    try expectEqual(
      warnings(text),
      [
        "6:10: plain HTTP to tickets.example.org shows the key and every code to the network; write https:// when you can",
        "8:5: caFile has no effect with plain HTTP; write https://, or remove caFile",
        "10:3: no gate asks the ticket system \"spare\"; name it as a gate's ticketSystem, or remove it",
        "10:81: the ticket system of line 7 has the same key file; configure it once and name it at each gate, so that "
          + "rate and memory are shared",
        "11:3: no gate asks the ticket system \"third\"; name it as a gate's ticketSystem, or remove it",
        "12:3: no gate asks the ticket system \"fourth\"; name it as a gate's ticketSystem, or remove it",
        "12:73: the ticket system of line 11 has the same credential; configure it once and name it at each gate, so that "
          + "rate and memory are shared",
        "15:23: every device of the reader \"one\" also fits \"any\"; add a serial or port to \"any\", so that each device "
          + "is one reader's",
        "17:3: \"gates.north\" has no outputs: nobody at it sees a verdict; add outputs, at least a lamp",
        "21:12: who is behind an admission waits 2500 ms (pulse and gap), and is dropped after 2 s; make stale longer than "
          + "pulse and gap together",
      ])
  }
}

/// Where an API key may be.
@Suite struct KeyPlaceTests {
  @Test(arguments: [("", false), (", mirror: {}", false), (", mirror: { checkins: true }", true)])
  func theServersLogIsToldWhereTheFileSaysSo(text: String, isTold: Bool) throws {
    let file = goodFile.replacingOccurrences(of: "main.key }", with: "main.key\(text) }")
    let station = try ConfigurationFile.parse(text: file, file: "f", options: testOptions).configuration
    let settings = try #require(station.ticketSystems.first?.settings as? EventScheduleSection.System)
    expectEqual(settings.mirror.checkIns, isTold)
  }

  @Test func aFileOrACredential() throws {
    func key(_ text: String) throws -> TicketSystemKey? {
      let station = try ConfigurationFile.parse(text: text, file: "f", options: testOptions).configuration
      return (station.ticketSystems.first?.settings as? EventScheduleSection.System).flatMap {
        if case .configured(_, let key) = $0.place { key } else { nil }
      }
    }
    guard case .file(let file) = try key(goodFile) else {
      Issue.record("no file")
      return
    }
    expectEqual(file.path, "/etc/scangate/keys/main.key")
    let named = goodFile.replacingOccurrences(of: "apiKeyFile: /etc/scangate/keys/main.key", with: "apiKey: door-2")
    guard case .credential(let credential) = try key(named) else {
      Issue.record("no credential")
      return
    }
    expectEqual(credential.name, "door-2")
    expectEqual(credential.position, SourcePosition(file: "f", line: 4, column: 76))
  }

  /// A key that was pasted where its name belongs is never repeated, by no error.
  @Test(arguments: [
    "hunter2hunter2hunter2", "hunter2/+=", "\"hunter2 hunter2\"", "hunter2.hunter2", "[hunter2]", "{a: hunter2}",
  ])
  func aPastedKeyIsNotRepeated(text: String) {
    let found = errors(
      in: goodFile.replacingOccurrences(of: "apiKeyFile: /etc/scangate/keys/main.key", with: "apiKey: \(text)"))
    expect(!found.isEmpty)
    expect(!found.joined().contains("hunter2"), "\(found)")
  }
}
