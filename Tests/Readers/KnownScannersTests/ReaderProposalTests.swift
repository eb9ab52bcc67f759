import EventSchedule
import Expectations
import KnownScanners
import ScanConfiguration
import ScanModel
import Testing
import TicketSystemKit

private func candidate(
  _ number: Int, _ vendor: UInt16? = 0x0c2e, _ product: UInt16? = 0x0901, serial: String? = nil, port: String? = nil,
  name: String? = "Honeywell Scanner", kind: ScannerCandidate.Kind = .wedge, physical: String? = nil
) -> ScannerCandidate {
  ScannerCandidate(
    kind: kind, node: "/dev/input/event\(number)", physicalPath: physical ?? "/sys/\(number)", vendor: vendor,
    product: product, serial: serial, port: port ?? "1-\(number)", name: name,
    model: ScannerDatabase.carried.model(vendor: vendor, product: product))
}

private func keys(_ proposal: ReaderProposal) -> [String] { proposal.match.map(\.key) }

@Suite struct ReaderProposalTests {
  @Test func theMatchIsAsNarrowAsNeeded() throws {
    let alone = candidate(1)
    expectEqual(ReaderProposal.proposals(for: [alone], among: [alone]).map(keys), [["vendor", "product"]])
    let numbered = candidate(1, serial: "SN1")
    expectEqual(
      ReaderProposal.proposals(for: [numbered], among: [numbered]).map(keys), [["vendor", "product", "serial"]])
    let two = [candidate(1), candidate(2)]
    let proposals = ReaderProposal.proposals(for: two, among: two)
    expectEqual(proposals.map(keys), [["vendor", "product", "port"], ["vendor", "product", "port"]])
    expectEqual(proposals.map(\.match.last?.value), ["1-1", "1-2"])
    // All of one kind have the same number, as cheap scanners do.
    let same = [candidate(1, serial: "123"), candidate(2, serial: "123")]
    expectEqual(ReaderProposal.proposals(for: same, among: same).map { keys($0).last }, ["port", "port"])
    let zeros = candidate(1, serial: "00000000")
    expectEqual(ReaderProposal.proposals(for: [zeros], among: [zeros]).map { keys($0).last }, ["product"])
    // A shared id without a number is known by its port alone.
    let shared = candidate(1, 0x05fe, 0x1010)
    expectEqual(ReaderProposal.proposals(for: [shared], among: [shared]).map { keys($0).last }, ["port"])
    let nameless = ScannerCandidate(kind: .wedge, node: "/dev/input/event1", physicalPath: "/sys/1")
    expect(ReaderProposal.proposals(for: [nameless], among: [nameless]).isEmpty)
  }

  @Test func aConfiguredTwinCounts() {
    let (mine, other) = (candidate(1), candidate(2))
    expectEqual(ReaderProposal.proposals(for: [mine], among: [mine, other]).map { keys($0).last }, ["port"])
  }

  @Test func namesAreFreeAndSpeak() {
    let two = [candidate(1, serial: "A"), candidate(2, serial: "B")]
    expectEqual(
      ReaderProposal.proposals(for: two, among: two, taken: ["honeywell-handheld-scanner"]).map(\.reader),
      ["honeywell-handheld-scanner-2", "honeywell-handheld-scanner-3"])
    let strange = candidate(1, 0x1234, 0x5678, name: "–/–")
    expectEqual(ReaderProposal.proposals(for: [strange], among: [strange]).map(\.reader), ["scanner"])
  }

  @Test func nodesOfOneDeviceAreOneReader() {
    let nodes = [candidate(1, physical: "/sys/a"), candidate(2, physical: "/sys/a")]
    expectEqual(ReaderProposal.proposals(for: nodes, among: nodes).map(keys), [["vendor", "product"]])
  }

  @Test func whatIsLikely() {
    expect(candidate(1).isLikely)
    expect(!candidate(1, 0x046d, 0xc31c, name: "Logitech USB Keyboard").isLikely)
    expect(candidate(1, 0x1234, 0x5678, name: "SM SM-2D PRODUCT HID KBW").isLikely)
    expect(candidate(1, 0x05fe, 0x1010, name: "USB Receiver").isLikely, "shared ids are proposed with a warning")
    expect(!candidate(1, 0x1a86, 0x7523, name: "USB Serial", kind: .serial).isLikely)
    expect(candidate(1, 0x1eab, 0x8206, name: "NLS", kind: .serial).isLikely)
    expect(candidate(1, 0x1234, 0x5678, name: nil, kind: .hidPOS).isLikely)
    expect(ReaderProposal.proposals(for: [candidate(1, kind: .hidPOS)], among: []).isEmpty)
  }

  @Test func aBlockIsYAMLForAnyNameAndNumber() throws {
    let hostile = [
      "\"}, b: {", "1e5", "on", "a: b # c", "\\x41", "tab\there", "nl\nreaders: {}", "\u{202e}abc", "\u{1F600}", "''",
    ]
    for (index, text) in hostile.enumerated() {
      let one = ScannerCandidate(kind: .wedge, node: "/dev/input/event1", physicalPath: "/sys/1", name: text)
      let serial = candidate(
        2, serial: text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) } ? text : "S")
      let readers = ReaderProposal.proposals(for: [one, serial], among: [one, serial])
      expectEqual(readers.count, 2)
      let configuration = try parse(example(readers).yaml, "\(index)")
      expectEqual(configuration.readers.map(\.id.name), readers.map(\.reader))
      expectEqual(configuration.readers.first?.place.match?.name, text)
      expectEqual(configuration.readers.last?.place.match?.serial, serial.serial)
    }
  }

  @Test func aCameraIsAReaderToo() throws {
    let webcam = candidate(1, 0x046d, 0x0825, serial: "5A5A", name: "C270 HD WEBCAM", kind: .camera)
    let loopback = ScannerCandidate(kind: .camera, node: "/dev/video7", physicalPath: "/sys/7", name: "Dummy: \"7\"")
    let readers = ReaderProposal.proposals(for: [webcam, loopback], among: [webcam, loopback])
    expectEqual(readers.map(keys), [["vendor", "product", "serial"], ["name"]])
    let configuration = try parse(example(readers).yaml, "cameras")
    expectEqual(configuration.readers.map(\.kind), [.camera, .camera])
    expectEqual(configuration.readers.last?.place.match?.name, "Dummy: \"7\"")
  }

  @Test func theExampleChecks() throws {
    let devices = [candidate(1, serial: "SN1"), candidate(2, 0x05fe, 0x1010)]
    let readers = ReaderProposal.proposals(for: devices, among: devices)
    let example = ExampleConfiguration(
      readers: readers, ticketSystem: TicketSystemType.eventSchedule.example,
      lines: [.init(chip: "gate", line: "RELAY0"), .init(chip: "gate", line: "7")],
      leds: ["gate:green:pass", "gate:red:stop"])
    let configuration = try parse(example.yaml, "commented")
    expectEqual(configuration.readers.map(\.id.name), [readers[0].reader], "a shared id is a comment")
    expectEqual(configuration.gates.map { $0.readers.map(\.name) }, [[readers[0].reader]])
    expect(configuration.gates.allSatisfy { $0.outputs.isEmpty })
    expect(example.yaml.contains("shared by keyboards"))
    // What is commented out is right as well.
    let whole = example.yaml.split(separator: "\n").map { line in
      line.replacing("    # outputs:", with: "    outputs:").replacing("    #   ", with: "      ")
        .replacing("  # chesen", with: "  chesen").replacing("  # gate", with: "  gate").replacing(
          "  #   ", with: "    ")
    }.joined(separator: "\n")
    try expectEqual(parse(whole, "uncommented").gates.map(\.outputs.count), [3, 1])
  }

  @Test func withoutAScannerTheExampleSaysSoAndChecks() throws {
    let example = self.example([]).yaml
    expect(example.contains("No scanner was found"))
    let configuration = try parse(example, "nothing plugged in")
    expect(configuration.readers.count == 1 && configuration.gates.count == 1)
  }

  private func example(_ readers: [ReaderProposal]) -> ExampleConfiguration {
    ExampleConfiguration(readers: readers, ticketSystem: TicketSystemType.eventSchedule.example)
  }

  private func parse(_ text: String, _ what: String) throws -> StationConfiguration {
    do throws(ConfigurationErrors) {
      return try ConfigurationFile.parse(
        text: text, file: what, options: ConfigurationOptions(ticketSystems: [.eventSchedule])
      ).configuration
    } catch {
      Issue.record("\(what): \(error.errors)\n\(text)")
      throw error
    }
  }
}

extension DevicePlace {
  fileprivate var match: DeviceMatch? { if case .match(let match) = self { match } else { nil } }
}
