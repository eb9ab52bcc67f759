internal import Glibc
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
internal import SignalOutputs

/// Looks for the lines, LEDs and buzzers of the gates. Moves none.
struct OutputLook {
  let machine: Machine

  func findings(_ configuration: StationConfiguration) -> [Finding] {
    let inventory = listOutputs()
    var access: [String: NodeAccess] = [:]
    for chip in inventory.chips { access[chip.node] = NodeAccess(node: chip.node) }
    let judge = OutputJudge(inventory: inventory, access: access, holder: machine.holder, seesAll: geteuid() == 0)
    return configuration.gates.flatMap { judge.judge($0) }
  }
}

/// What is to be said of the outputs and inputs of gates. Pure.
struct OutputJudge {
  /// What is there.
  let inventory: OutputInventory
  /// Whose the nodes of its chips are.
  let access: [String: NodeAccess]
  /// Who drives them; `nil` where that is whoever asks.
  let holder: UserAccount?
  /// Whether whoever asks may open every chip.
  var seesAll = true

  private static let listed = "scangate devices"

  func judge(_ gate: GateConfiguration) -> [Finding] {
    var findings: [Finding] = []
    for output in gate.outputs {
      let place = "gates.\(gate.id).outputs.\(output.name)"
      // A gate whose relay is not there opens for nobody; one without a lamp does.
      let bad: Finding.Severity = output.kind == .relay ? .fault : .warning
      if let (words, cure) = problem(output.target) {
        findings.append(Finding(severity(bad, output.target), .outputs, place, words, cure: cure))
      }
    }
    for input in gate.inputs {
      if let (words, cure) = problem(line: input.line, isOutput: false) {
        let place = "gates.\(gate.id).inputs.\(input.name)"
        findings.append(Finding(severity(.warning, .gpio(input.line)), .outputs, place, words, cure: cure))
      }
    }
    if findings.isEmpty, !gate.outputs.isEmpty {
      let names = gate.outputs.map(\.name.name).joined(separator: ", ")
      findings.append(Finding(.good, .outputs, "gates.\(gate.id).outputs", "All are there: \(names)."))
    }
    return findings
  }

  /// Of a chip that whoever asks may not open nothing is known: that is no fault of the station.
  private func severity(_ severity: Finding.Severity, _ target: OutputTarget) -> Finding.Severity {
    guard case .gpio(let line) = target, !seesAll, !inventory.problems.isEmpty,
      !inventory.chips.contains(where: { $0.label == line.chip })
    else { return severity }
    return .note
  }

  private func problem(_ target: OutputTarget) -> (String, String)? {
    switch target {
    case .gpio(let line): return problem(line: line, isOutput: true)
    case .led(let name):
      if inventory.leds.contains(where: { $0.name == name }) { return nil }
      return ("There is no LED \(name).", "Correct its name, or load its driver: \(Self.listed)")
    case .pwm(let channel):
      guard let chip = inventory.pwmChips.first(where: { $0.name == channel.chip }) else {
        return ("There is no PWM chip \(channel.chip).", "Correct its name, or load its driver: \(Self.listed)")
      }
      if channel.channel < chip.channelCount { return nil }
      return ("\(chip.name) has \(chip.channelCount) channels, counted from 0.", "Correct the channel: \(Self.listed)")
    case .sound(let device):
      if inventory.sounds.contains(where: { $0.name == device.device }) { return nil }
      return ("There is no sound device \(device.device).", "sudo modprobe pcspkr, or correct its name: \(Self.listed)")
    }
  }

  private func problem(line: GPIOLineConfiguration, isOutput: Bool) -> (String, String)? {
    let chips = inventory.chips.filter { $0.label == line.chip }
    guard let chip = chips.first, chips.count == 1 else {
      if chips.count > 1 {
        return ("\(chips.count) GPIO chips have the label \(line.chip).", "Leave only one of them plugged in.")
      }
      if let blind = inventory.problems.first {
        return ("No GPIO chip with the label \(line.chip) can be opened. \(blind)", "sudo scangate doctor")
      }
      return ("There is no GPIO chip \(line.chip).", "Plug the board in, or correct its label: \(Self.listed)")
    }
    if let holder, let access = access[chip.node], !access.allows(holder) {
      return (
        "The user of the outputs \(holder.name) may not open \(chip.node) (\(access.title)).",
        "sudo udevadm control --reload && sudo udevadm trigger \(chip.node), with \(UdevLook.rules) installed"
      )
    }
    let lines: [GPIOLineDescription] =
      switch line.line {
      case .offset(let offset): chip.lines.filter { $0.offset == offset }
      case .name(let name): chip.lines.filter { $0.name == name }
      }
    guard let found = lines.first, lines.count == 1 else {
      let what = lines.isEmpty ? "has no \(line.line)" : "has \(lines.count) lines of that name"
      return ("\(chip.label) \(what).", "Correct the line: \(Self.listed)")
    }
    // As our own holder and gateway call themselves.
    guard found.isUsed, found.consumer != "scangate" else { return nil }
    let user = found.consumer.isEmpty ? "something that gives no name" : found.consumer
    return ("The \(line.line) of \(chip.label) is in use by \(user).", "End what holds it, or choose another line.")
  }
}
