import Expectations
import Foundation
import LinuxIO
import ScanConfiguration
import ScanModel
import Testing

@testable import Doctor
@testable import SignalOutputs

/// Readers and outputs, as they are plugged in.
@Suite struct ReaderJudgeTests {
  private func device(
    _ node: String, vendor: UInt16 = 0x0C2E, product: UInt16 = 0x0901, port: String = "1-1.2", isKeyboard: Bool = true,
    isSerialLine: Bool = false
  ) -> DeviceIdentity {
    DeviceIdentity(
      node: node, sysfsPath: "/sys\(node)", vendor: vendor, product: product, name: "Scanner", port: port,
      isKeyboard: isKeyboard, isSerialLine: isSerialLine)
  }

  private func report(_ device: DeviceIdentity, _ outcome: DeviceReport.Outcome, of reader: String? = "left")
    -> DeviceReport
  {
    DeviceReport(device: device, reader: reader.map { ReaderID($0) }, outcome: outcome, words: "words")
  }

  private func judge(_ seen: ReaderLook.Seen, _ yaml: String = Place.yaml) throws -> [Finding] {
    ReaderLook.judge(try Place().station(yaml), seen).filter { $0.place == "readers.left" }
  }

  @Test func whatIsPluggedInIsGood() throws {
    let node = device("/dev/input/event5")
    let led = report(device("/dev/input/event6", isKeyboard: false), .notKeyboard)
    let seen = ReaderLook.Seen(inputs: [report(node, .taken), led])
    try expectEqual(judge(seen).severities, [.good])
  }

  @Test func whoHasTheScannerIsNamed() throws {
    var seen = ReaderLook.Seen(inputs: [report(device("/dev/input/event5"), .grabbed)])
    seen.holders = ["/dev/input/event5": [DeviceHolder(process: 812, name: "scangate")]]
    let ours = try judge(seen)
    expect(ours.severities == [.good] && ours[0].words.contains("scangate (process 812)"), "\(ours)")
    seen.holders = [
      "/dev/input/event5": [DeviceHolder(process: 9, name: "evil"), DeviceHolder(process: 11, name: "Xorg")]
    ]
    let theirs = try judge(seen)
    expect(
      theirs.severities == [.fault] && theirs[0].words.contains("evil (process 9) or Xorg (process 11)"), "\(theirs)")
    expectEqual(theirs[0].cure, "sudo kill 9")
    seen.holders = [:]
    try expectEqual(judge(seen).severities, [.fault])
  }

  /// A real process with a real file open: node or not, the kernel tells it alike.
  @Test func holdersAreFoundByWhatTheyHaveOpen() async throws {
    let place = try Place()
    let file = try place.put("/node", "text")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/tail")
    process.arguments = ["-f", file]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    defer { process.terminate() }
    // It has read what is in it.
    _ = try output.fileHandleForReading.read(upToCount: 4)
    let node = URL(filePath: file).resolvingSymlinksInPath().path
    let machine = Machine(service: nil, holder: nil)
    let found = DeviceHolders.holders(of: [node, "/dev/none"], in: machine)
    expectEqual(found, [node: [DeviceHolder(process: process.processIdentifier, name: "tail")]])
    expectEqual(DeviceHolders.holders(of: [], in: machine), [:])
  }

  @Test func onlyAGateWithoutAnotherReaderCannotAdmit() throws {
    try expectEqual(judge(ReaderLook.Seen()).severities, [.fault])
    let two = Place.yaml.replacing("readers: [left]", with: "readers: [left, right]")
      .replacing("south: { readers: [right], ticketSystem: main, outputs: { red: { led: tower-red } } }", with: "")
    let found = try judge(ReaderLook.Seen(), two)
    expect(found.severities == [.warning] && found[0].words == "It is not plugged in.", "\(found)")
  }

  @Test func aScannerInAnotherModeIsTold() throws {
    let line = device("/dev/ttyACM0", product: 0x090A, isKeyboard: false, isSerialLine: true)
    let found = try judge(ReaderLook.Seen(serials: [report(line, .notMatched, of: nil)]))
    expect(found.severities == [.fault] && found[0].words.contains("plugged in as a serial line"), "\(found)")
    expectEqual(found[0].cure?.contains("type: serial"), true)
    let raw = try judge(ReaderLook.Seen(raw: [device("/dev/hidraw0", isKeyboard: false)]))
    expect(raw.severities == [.fault] && raw[0].words.contains("HID point of sale"), "\(raw)")
    // Another scanner at another port is not this one.
    let other = device("/dev/ttyACM0", port: "1-1.4", isKeyboard: false, isSerialLine: true)
    expect(
      try judge(ReaderLook.Seen(serials: [report(other, .notMatched, of: nil)]))[0].words == "It is not plugged in.")
  }

  @Test func whoeverAsksIsNotTheService() throws {
    // A node that everybody may open, and one that is gone.
    let mine = report(device("/dev/null"), .noPermission)
    let service = UserAccount(name: "scangate", id: 990, groups: [990])
    let found = try judge(ReaderLook.Seen(inputs: [mine], service: service))
    expect(found.severities == [.note] && found[0].cure == "sudo scangate doctor", "\(found)")
    let place = try Place()
    let node = try place.put("/event5", "", mode: 0o600)
    let shut = try judge(ReaderLook.Seen(inputs: [report(device(node), .noPermission)], service: service))
    expect(
      shut.severities == [.fault] && shut[0].words.contains("0600") && shut[0].cure?.contains(UdevLook.rules) == true)
  }

  @Test func outputsThatAreNotThereAreNamed() throws {
    let station = try Place().station()
    func judge(_ inventory: OutputInventory) -> [Finding] {
      station.gates.flatMap { OutputJudge(inventory: inventory, access: [:], holder: nil).judge($0) }
    }
    let leds = ["tower-green", "tower-red"].map { OutputInventory.LED(name: $0, trigger: nil) }
    func chip(_ consumer: String?, name: String = "RELAY0") -> OutputInventory.Chip {
      OutputInventory.Chip(
        node: "/dev/gpiochip0", label: "board",
        lines: [GPIOLineDescription(offset: 0, name: name, isUsed: consumer != nil, consumer: consumer ?? "")])
    }
    expectEqual(judge(OutputInventory(chips: [chip("scangate")], leds: leds, problems: [])).severities, [.good, .good])
    let taken = judge(OutputInventory(chips: [chip("sysfs")], leds: leds, problems: []))
    expect(taken.severities == [.fault, .good] && taken[0].words.contains("in use by sysfs"), "\(taken)")
    let none = judge(OutputInventory(chips: [], leds: [], problems: []))
    // A relay is what opens; a lamp is seen by people.
    expectEqual(none.severities.sorted(), [.warning, .warning, .fault])
    expectEqual(
      judge(OutputInventory(chips: [chip(nil, name: "OTHER")], leds: leds, problems: [])).severities, [.fault, .good])
    expectEqual(
      judge(OutputInventory(chips: [chip(nil), chip(nil)], leds: leds, problems: [])).severities, [.fault, .good])
    // Who may not open chips learns nothing of them, and the station is no worse for it.
    let shut = OutputInventory(chips: [], leds: leds, problems: ["/dev/gpiochip0: Permission denied."])
    let blind = OutputJudge(inventory: shut, access: [:], holder: nil, seesAll: false)
    expectEqual(station.gates.flatMap { blind.judge($0) }.severities, [.note, .good])
    expectEqual(judge(shut).severities, [.fault, .good])
  }
}
