internal import Reading
import ScanModel
internal import TicketSystemKit

/// What `setUp`, `control`, `enrol` and buttons say together. Whether anything is to be set up is taken from the tree, so
/// that an error inside a section does not make it unknown.
struct SetUpChecks {
  private let root: SourceNode
  private let findings: Findings
  private let control: SourceEntry?
  /// The keys `enrol` that are true.
  private let enrolments: [SourceEntry]

  init(root: SourceNode, findings: Findings) {
    self.root = root
    self.findings = findings
    control = Self.entries(root).first { $0.key == ControlSection.key }
    enrolments = Self.entries(Self.entries(root).first { $0.key == "ticketSystems" }?.value).compactMap { system in
      // Of a type that could not be read, any type's key counts.
      let types = findings.systemTypes[system.key].map { [$0] } ?? findings.options.ticketSystems
      let keys = types.compactMap(\.enrolKey)
      return Self.entries(system.value).first { entry in
        if case .scalar("true", _) = entry.value.content { keys.contains(entry.key) } else { false }
      }
    }
  }

  /// Whether anything is set up by codes.
  var isWanted: Bool { control != nil || !enrolments.isEmpty }

  /// Looks at everything; what could not be read is `nil` or left out.
  func run(
    setUp: SetUpConfiguration?, control: ControlServiceConfiguration?, readers: [ReaderConfiguration],
    gates: [GateConfiguration]
  ) {
    checkUse(gates)
    if let setUp, setUp.trust == nil { checkTrust() } else if setUp == nil, section == nil { checkTrust() }
    checkReaders(readers)
    checkOutputs(gates)
    if let registration = control?.registration { checkRegistration(registration) }
  }

  private static func entries(_ node: SourceNode?) -> [SourceEntry] {
    if case .mapping(let entries) = node?.content { return entries }
    return []
  }

  private var section: SourceEntry? { Self.entries(root).first { $0.key == SetUpSection.key } }

  /// What takes codes where no code is for anything.
  private func checkUse(_ gates: [GateConfiguration]) {
    if isWanted { return }
    let remedy = "add control, or enrol: true to a ticket system, or remove it"
    if let section {
      findings.warning(at: section.position, "setUp has no effect: nothing is set up by a code", remedy)
    }
    let trees = Self.entries(Self.entries(root).first { $0.key == "gates" }?.value)
    for gate in gates {
      let inputs = Self.entries(trees.first { $0.key == gate.id.name }?.value).first { $0.key == "inputs" }
      for input in gate.inputs where input.use == .setUpButton {
        guard let entry = Self.entries(inputs?.value).first(where: { $0.key == input.name.name }) else { continue }
        findings.warning(
          at: entry.position, "the setUpButton \(quoted(input.name.name)) has no effect: nothing is set up by a code",
          remedy
        )
      }
    }
  }

  /// A ticket system is enrolled at no server that the station does not trust, and no configuration names one.
  private func checkTrust() {
    guard let first = enrolments.first else { return }
    findings.warning(
      at: section?.position ?? first.position, "no code can enrol this station: it trusts no server and no organiser",
      "name a trust list: setUp: { trust: /boot/firmware/scangate-trust.txt }")
  }

  /// Set-up codes are printed and shown as QR.
  private func checkReaders(_ readers: [ReaderConfiguration]) {
    guard isWanted, !readers.isEmpty, let place = control ?? enrolments.first else { return }
    let canRead = readers.contains { reader in
      if case .camera(let camera) = reader { camera.kinds.contains(Symbology.qr) } else { true }
    }
    if canRead { return }
    findings.warning(
      at: place.position, "no reader can read a set-up code: each is a camera that looks for no QR code",
      "add qr to the kinds of one of them")
  }

  /// Who sets a station up sees lamps and hears a buzzer, and no screen; green is for admissions alone.
  private func checkOutputs(_ gates: [GateConfiguration]) {
    guard isWanted, !gates.isEmpty, let place = control ?? enrolments.first else { return }
    let isShown = gates.contains { gate in
      gate.outputs.contains { $0.kind == .buzzer || ["red", "amber", "yellow"].contains($0.name) }
        || gate.signals.contains { if case .setUp = $0.key { !$0.value.isEmpty } else { false } }
    }
    if isShown { return }
    findings.warning(
      at: place.position,
      "nobody sees or hears what comes of a set-up code: no gate has a red or amber lamp or a buzzer",
      "add one of them, or patterns for setUp.* to signals")
  }

  /// What a ticket system's key is, no other server may see.
  private func checkRegistration(_ registration: CredentialReference) {
    guard findings.credentials.contains(where: { $0.name == registration.name && $0.position != registration.position })
    else { return }
    findings.error(
      at: registration.position, "the credential \(quoted(registration.name)) is a ticket system's key",
      "give the registration token a credential of its own")
  }
}
