import ScanModel
import Reading
import TicketSystemKit
import TicketTransport
@testable import EventSchedule
@testable import ScanConfiguration

/// As the program has them, without looking for keymaps on the disk.
private let options = ConfigurationOptions(
  ticketSystems: [
    EventScheduleSection.type { id, _, _, _, _, _ throws(SetupError) in throw SetupError("\(id) is asked by nobody") }
  ])

/// Bytes → configuration, or all of its errors.
func fuzzConfiguration(_ input: inout FuzzInput) {
  let bytes = input.remainder()
  do throws(ConfigurationErrors) {
    check(try ConfigurationFile.parse(bytes: bytes, file: "f", options: options).configuration)
  } catch {
    property(!error.errors.isEmpty, "a file that is refused has an error")
    property(error.errors == error.errors.sorted(), "errors are in the order of the file")
    let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
    for fault in error.errors {
      property((1...lines + 1).contains(fault.position.line), "an error is at a line of the file")
      property(fault.position.column >= 1, "columns count from 1")
      property(!fault.description.unicodeScalars.contains { $0.value < 0x20 }, "an error is one plain line")
    }
  }
}

private func check(_ station: StationConfiguration) {
  let readers = station.readers.map(\.id)
  let used = station.gates.flatMap(\.readers)
  property(Set(readers).count == readers.count, "names of readers are unique")
  property(used.count == readers.count && Set(used) == Set(readers), "each reader belongs to one gate")
  property(!station.gates.isEmpty && Set(station.gates.map(\.id)).count == station.gates.count, "gates have names")
  let targets = station.gates.flatMap(\.outputs).map(\.target)
  property(Set(targets).count == targets.count, "no line is driven twice")
  for reader in station.readers {
    let silence: Duration? =
      switch reader {
      case .wedge(let wedge): wedge.framing.quiet
      case .serial(let serial): serial.framing.quiet
      case .camera: nil
      }
    property(silence.map { (.milliseconds(20) ... .seconds(2)).contains($0) } ?? true, "silence has limits")
  }
  if let setUp = station.setUp {
    property((.zero ... .seconds(3_600)).contains(setUp.window), "the time for set-up codes has limits")
  } else {
    property(station.control == nil, "what a code sets up has a time for it")
  }
  if let url = station.control?.url {
    property(
      url.isSecure || url.isLoopback || station.control?.allowPlainHTTP == true, "plain HTTP is where it is allowed")
  }
  for system in station.ticketSystems {
    property((.seconds(60) ... .seconds(366 * 86_400)).contains(system.list.maxAge), "a list's age has limits")
  }
  for gate in station.gates {
    property(!gate.readers.isEmpty, "a gate has a reader")
    property(station.ticketSystems.contains { $0.id == gate.ticketSystem }, "a gate's ticket system is there")
    property((.milliseconds(300) ... .seconds(10)).contains(gate.deadline), "a deadline has limits")
    property((.zero ... .seconds(60)).contains(gate.holdOff), "hold-off has limits")
    let offline = gate.offline
    property((.milliseconds(300) ... .milliseconds(2_500)).contains(offline.after), "the wait has limits")
    property(offline.after <= gate.deadline, "the wait ends with the deadline")
    property((1...100_000).contains(offline.most), "what may wait has limits")
    property((.milliseconds(20) ... .seconds(5)).contains(offline.durableWithin), "the disk's time has limits")
    property(gate.direction == .in || offline.rule == .refuse, "nobody is admitted offline where people leave")
    property(gate.queue >= 1, "a queue has room")
    property(gate.accept.length.lowerBound >= 1, "a code has a character")
    let names = Set(gate.outputs.map(\.name.name))
    property(names.count == gate.outputs.count, "names of outputs are unique")
    property(gate.outputs.contains { $0.kind == .relay } == (gate.relay != nil), "a relay has its times")
    if let timing = gate.relay?.timing {
      property((.milliseconds(20) ... .seconds(10)).contains(timing.pulse), "a pulse has limits")
      property((.zero ... .seconds(10)).contains(timing.gap), "a gap has limits")
    }
    for output in gate.outputs {
      switch output.target {
      case .gpio: break
      case .led: property(output.kind == .lamp || output.kind == .buzzer, "no LED opens a gate")
      case .pwm(let channel):
        property(output.kind == .buzzer && (20...20_000).contains(channel.frequency), "a channel makes a tone")
        property((0...255).contains(channel.channel), "channels have limits")
      case .sound(let device):
        property(output.kind == .buzzer && (20...20_000).contains(device.frequency), "a device makes a tone")
      }
    }
    for input in gate.inputs {
      property((.zero ... .seconds(1)).contains(input.debounce), "debounce has limits")
      for case .gpio(let line) in targets {
        property(line.chip != input.line.chip || line.line != input.line.line, "no line is driven and read")
      }
    }
    for pattern in gate.signals.values {
      property(names.subtracting(["relay"]).isSuperset(of: pattern.keys), "a signal plays on outputs that are there")
      for case .steps(let steps) in pattern.values { property((1...32).contains(steps.count), "steps are bounded") }
    }
  }
}
