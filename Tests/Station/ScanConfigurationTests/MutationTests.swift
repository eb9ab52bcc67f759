import Reading
import EventSchedule
import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit
import TicketTransport

@testable import ScanConfiguration

/// Files as they come out of hurried editing, and worse: never a crash or a hang, and what is accepted can be relied on.
@Suite struct MutationTests {
  private static let seeds: [String] = {
    let names = [
      "one-gate.yaml", "two-gates.yaml", "check-in-desk.yaml", "serial.yaml", "camera.yaml", "kiosk.yaml", "enrol.yaml",
      "members-lounge.yaml", "signed-tickets.yaml", "theatre.yaml", "gate-pc.yaml", "raspberry-pi-3.yaml",
      "raspberry-pi-4.yaml", "raspberry-pi-5.yaml", "raspberry-pi-zero-2.yaml", "relay-hat.yaml", "usb-relay.yaml",
    ]
    let examples = names.compactMap {
      try? String(contentsOf: packageFolder.appending(path: "examples/\($0)"), encoding: .utf8)
    }
    return examples + [goodFile, wiredFile]
  }()

  @Test(arguments: [1, 2, 3, 4]) func survivesMutation(seed: UInt64) throws {
    print("mutation seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<400 {
      var bytes = [UInt8](try #require(Self.seeds.randomElement(using: &random)).utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
      do throws(ConfigurationErrors) {
        check(try ConfigurationFile.parse(bytes: bytes, file: "f", options: exampleOptions).configuration, bytes)
        accepted += 1
      } catch {
        expect(!error.errors.isEmpty)
        expectEqual(error.errors, error.errors.sorted())
        let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
        for fault in error.errors {
          expect((1...lines + 1).contains(fault.position.line) && fault.position.column >= 1)
          expect(!fault.description.unicodeScalars.contains { $0.value < 0x20 })
        }
      }
    }
    expect(accepted > 0)
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { [UInt8]($0) }
    let line = Int.random(in: 0..<lines.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: lines.remove(at: line)
    case 1: lines.insert(lines[line], at: line)
    case 2: lines.swapAt(line, Int.random(in: 0..<lines.count, using: &random))
    case 3: lines[line].insert(0x20, at: 0)
    case 4: lines[line] = [UInt8](lines[line].drop { $0 == 0x20 })
    case 5:
      lines[line] += [UInt8](
        [" #", ": ", "[", "}", "\"", "&a", "*a", "|", "? x", "!!int", "\t"].randomElement(using: &random)?.utf8
          ?? "".utf8)
    case 6:
      if let place = lines[line].indices.randomElement(using: &random) {
        lines[line][place] = UInt8.random(in: .min ... .max, using: &random)
      }
    default:
      if let place = lines[line].indices.randomElement(using: &random) { lines[line].remove(at: place) }
    }
    bytes = [UInt8](lines.joined(separator: [0x0A]))
  }

  @Test(arguments: [11, 12]) func survivesNoise(seed: UInt64) {
    print("noise seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let alphabet = [UInt8](" \n\t:-[]{}&*!|>'\"%@`#?,a1\\~.".utf8)
    for _ in 0..<400 {
      let count = Int.random(in: 0...300, using: &random)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      expect(!errors(in: bytes).isEmpty)
    }
  }

  private func check(_ station: StationConfiguration, _ bytes: [UInt8]) {
    let text = Comment(rawValue: String(decoding: bytes, as: UTF8.self))
    let readers = station.readers.map(\.id)
    let used = station.gates.flatMap(\.readers)
    expectEqual(Set(readers).count, readers.count, text)
    expect(used.count == readers.count && Set(used) == Set(readers), text)
    for kind in ReaderConfiguration.Kind.allCases {
      let matches = station.readers.filter { $0.kind == kind }.map(\.place)
      expectEqual(Set(matches).count, matches.count, text)
    }
    expect(Set(station.gates.map(\.id)).count == station.gates.count && !station.gates.isEmpty, text)
    let targets = station.gates.flatMap(\.outputs).map(\.target)
    expectEqual(Set(targets).count, targets.count, text)
    for reader in station.readers {
      if case .match(let match) = reader.place { expect(match != DeviceMatch(interface: match.interface), text) }
      switch reader {
      case .wedge(let wedge): expect((.milliseconds(20) ... .seconds(2)).contains(wedge.framing.quiet), text)
      case .serial(let serial): expect((.milliseconds(20) ... .seconds(2)).contains(serial.framing.quiet), text)
      case .camera: break
      }
    }
    expect(station.setUp.map { (.zero ... .seconds(3_600)).contains($0.window) } ?? true, text)
    let isEnrolled = station.ticketSystems.contains {
      ($0.settings as? EventScheduleSection.System)?.place == .enrolled
    }
    expect(station.setUp != nil || (station.control == nil && !isEnrolled), text)
    if let control = station.control {
      expect(control.url.isSecure || control.url.isLoopback || control.allowPlainHTTP, text)
    }
    for gate in station.gates {
      expect(isName(gate.id.name) && !gate.readers.isEmpty, text)
      expect(station.ticketSystems.contains { $0.id == gate.ticketSystem }, text)
      expect((.milliseconds(300) ... .seconds(10)).contains(gate.deadline), text)
      expect((.zero ... .seconds(60)).contains(gate.holdOff), text)
      expect(gate.accept.length.lowerBound >= 1 && gate.accept.length.lowerBound <= gate.accept.length.upperBound, text)
      let names = Set(gate.outputs.map(\.name.name))
      expectEqual(gate.outputs.contains { $0.kind == .relay }, gate.relay != nil, text)
      for output in gate.outputs { expectEqual(output.kind == .relay, output.name == "relay", text) }
      if let timing = gate.relay?.timing {
        expect((.milliseconds(20) ... .seconds(10)).contains(timing.pulse), text)
        expect((.zero ... .seconds(10)).contains(timing.gap), text)
      }
      for output in gate.outputs {
        switch output.target {
        case .gpio: break
        case .led: expect(output.kind == .lamp || output.kind == .buzzer, text)
        case .pwm(let channel):
          expect(output.kind == .buzzer && (20...20_000).contains(channel.frequency), text)
          expect((0...255).contains(channel.channel), text)
        case .sound(let device): expect(output.kind == .buzzer && (20...20_000).contains(device.frequency), text)
        }
      }
      for input in gate.inputs {
        expect((.zero ... .seconds(1)).contains(input.debounce), text)
        for case .gpio(let line) in targets {
          expect(line.chip != input.line.chip || line.line != input.line.line, text)
        }
      }
      for pattern in gate.signals.values {
        expect(names.subtracting(["relay"]).isSuperset(of: pattern.keys), text)
        for case .steps(let steps) in pattern.values { expect((1...32).contains(steps.count), text) }
      }
    }
  }
}
