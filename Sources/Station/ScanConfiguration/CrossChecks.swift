import ScanModel
internal import TicketSystemKit

/// What only the whole file can tell: names that must exist, and things that must not be there twice.
///
/// Names are taken from the tree, so that an error inside a section does not make its name unknown.
struct CrossChecks {
  let root: SourceNode
  let findings: Findings

  func run(
    systems: [TicketSystemConfiguration], readers: [ReaderConfiguration], gates: [GateConfiguration]
  ) {
    checkReferences()
    checkDirections(systems, gates)
    checkPairs(gates)
    checkMatches(readers)
    checkTargets(gates)
    checkKeys()
  }

  private func entries(_ path: String...) -> [SourceEntry] {
    var node = root
    for key in path {
      guard let next = value(key, of: node) else { return [] }
      node = next
    }
    if case .mapping(let entries) = node.content { return entries }
    return []
  }

  /// Whether the credential is the registration token or the fleet's, which are no ticket system's.
  private func isOfStation(_ credential: CredentialReference) -> Bool {
    [(ControlSection.key, ControlSection.registrationKey), (FleetSection.key, FleetSection.credentialKey)].contains {
      section, key in
      value(section, of: root).flatMap { value(key, of: $0) }?.position == credential.position
    }
  }

  private func value(_ key: String, of node: SourceNode) -> SourceNode? {
    guard case .mapping(let entries) = node.content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  // MARK: Names

  private func checkReferences() {
    let readers = entries("readers")
    let systems = entries("ticketSystems")
    var owners: [String: String] = [:]
    var usedSystems: Set<String> = []
    // Who uses a reader or a system is known only when every gate says it readably.
    var isComplete = true
    for gate in entries("gates") {
      if case .sequence(let items) = value(GateSection.readersKey, of: gate.value)?.content, !items.isEmpty {
        for item in items {
          guard case .scalar(let name, _) = item.content, isName(name) else { continue }
          let meant = checkExists(name, among: readers, "reader", at: item.position)
          if let owner = owners[name] {
            let fault = owner == gate.key ? "is named twice" : "belongs to the gate \(quoted(owner)) already"
            findings.error(
              at: item.position, "the reader \(quoted(name)) \(fault)", "a reader belongs to exactly one gate")
          }
          owners[meant] = owners[meant] ?? gate.key
        }
      } else {
        isComplete = false
      }
      if let node = value(GateSection.ticketSystemKey, of: gate.value), case .scalar(let name, _) = node.content,
        isName(name)
      {
        usedSystems.insert(checkExists(name, among: systems, "ticket system", at: node.position))
      } else {
        isComplete = false
      }
    }
    guard isComplete, !entries("gates").isEmpty else { return }
    for reader in readers where owners[reader.key] == nil && isName(reader.key) {
      findings.error(
        at: reader.position, "the reader \(quoted(reader.key)) belongs to no gate",
        "add it to a gate's readers, or remove it")
    }
    for system in systems where !usedSystems.contains(system.key) {
      findings.warning(
        at: system.position, "no gate asks the ticket system \(quoted(system.key))",
        "name it as a gate's ticketSystem, or remove it")
    }
  }

  /// Records a name that is not there; answers the name that was meant, as far as that can be told.
  private func checkExists(
    _ name: String, among known: [SourceEntry], _ noun: String, at position: SourcePosition
  ) -> String {
    let names = known.map(\.key)
    if names.contains(name) { return name }
    let guess = suggestion(for: name, among: names)
    let list = names.isEmpty ? "none is configured" : "known are \(names.map(quoted).joined(separator: ", "))"
    findings.error(
      at: position, "no \(noun) is called \(quoted(name))", guess.map { "did you mean \(quoted($0))?" } ?? list)
    return guess ?? name
  }

  /// Only with a scope that ends at the exit does leaving mean anything.
  private func checkDirections(_ systems: [TicketSystemConfiguration], _ gates: [GateConfiguration]) {
    for gate in gates where gate.direction == .out {
      guard let system = systems.first(where: { $0.id == gate.ticketSystem }), system.scope != .untilExit else {
        continue
      }
      findings.error(
        at: place("gates", gate.id.name, "direction"),
        "people leave by the gate \(quoted(gate.id.name)), but a ticket of \(quoted(system.id.name)) admits no more after that",
        "write scope: untilExit in \(quoted("ticketSystems." + system.id.name)), or direction: in")
    }
  }

  /// What two gates of one ticket system say must go together.
  private func checkPairs(_ gates: [GateConfiguration]) {
    let entrances = gates.filter { $0.direction != .out }
    for (index, gate) in entrances.enumerated() {
      guard let type = findings.systemTypes[gate.ticketSystem.name] else { continue }
      for earlier in entrances[..<index] where earlier.ticketSystem == gate.ticketSystem {
        guard let found = type.contradiction(earlier.ticket, gate.ticket) else { continue }
        findings.error(
          at: place("gates", gate.id.name, "ticket", found.key),
          "\(quoted(found.key)) of the gates \(quoted(earlier.id.name)) and \(quoted(gate.id.name)) \(found.words)",
          found.cure)
        break
      }
    }
  }

  // MARK: Devices

  private func place(_ path: String...) -> SourcePosition {
    var node = root
    for key in path {
      guard let next = value(key, of: node) else { return node.label }
      node = next
    }
    return node.label
  }

  private func checkMatches(_ readers: [ReaderConfiguration]) {
    for (index, reader) in readers.enumerated() {
      for earlier in readers[..<index] where earlier.kind == reader.kind {
        let place = place("readers", reader.id.name, "match")
        let names = (quoted(earlier.id.name), quoted(reader.id.name))
        if reader.place == earlier.place {
          findings.error(
            at: place, "the readers \(names.0) and \(names.1) fit the same devices",
            "tell them apart by serial, or by port")
        } else if reader.place.includes(earlier.place) || earlier.place.includes(reader.place) {
          let (wide, narrow) = reader.place.includes(earlier.place) ? (names.1, names.0) : names
          findings.warning(
            at: place, "every device of the reader \(narrow) also fits \(wide)",
            "add a serial or port to \(wide), so that each device is one reader's")
        }
      }
    }
  }

  /// What only one output or input can have.
  private enum Wire: Hashable {
    case line(chip: String, GPIOLineConfiguration.Selector)
    case led(String)
    case channel(chip: String, UInt32)
    case sound(String)

    init(_ line: GPIOLineConfiguration) { self = .line(chip: line.chip, line.line) }

    init(_ target: OutputTarget) {
      switch target {
      case .gpio(let line): self.init(line)
      case .led(let name): self = .led(name)
      case .pwm(let pwm): self = .channel(chip: pwm.chip, pwm.channel)
      case .sound(let device): self = .sound(device.device)
      }
    }

    var words: String {
      switch self {
      case .line: "the GPIO line"
      case .led: "the LED"
      case .channel: "the PWM channel"
      case .sound: "the sound device"
      }
    }
  }

  private func checkTargets(_ gates: [GateConfiguration]) {
    var owners: [Wire: String] = [:]
    for gate in gates {
      let outputs = gate.outputs.map { (key: "outputs", noun: "output", name: $0.name.name, wire: Wire($0.target)) }
      let inputs = gate.inputs.map { (key: "inputs", noun: "input", name: $0.name.name, wire: Wire($0.line)) }
      for user in outputs + inputs {
        let name = "\(gate.id.name).\(user.name)"
        if let owner = owners[user.wire] {
          findings.error(
            at: place("gates", gate.id.name, user.key, user.name),
            "\(user.wire.words) of \(quoted(name)) is that of \(quoted(owner)) already",
            "give each \(user.noun) one of its own")
        } else {
          owners[user.wire] = name
        }
      }
    }
  }

  /// Two systems with one key would each believe that the server's whole rate is theirs.
  private func checkKeys() {
    var named: [String: SourcePosition] = [:]
    for credential in findings.credentials where !isOfStation(credential) {
      if let other = named[credential.name], other != credential.position {
        findings.warning(
          at: credential.position, "the ticket system of line \(other.line) has the same credential",
          "configure it once and name it at each gate, so that rate and memory are shared")
      }
      named[credential.name] = named[credential.name] ?? credential.position
    }
    var first: [String: SourcePosition] = [:]
    for file in findings.files where file.role == .secret {
      if let other = first[file.path], other != file.position {
        findings.warning(
          at: file.position, "the ticket system of line \(other.line) has the same key file",
          "configure it once and name it at each gate, so that rate and memory are shared")
      }
      first[file.path] = first[file.path] ?? file.position
    }
  }
}
