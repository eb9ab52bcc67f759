import ScanModel
internal import TicketSystemKit

/// What a gate's outputs and signals say together. Names are taken from the tree, so that an error inside one output does
/// not make its name unknown.
struct SignalChecks {
  /// The lamps that the built-in patterns light.
  private static let builtInLamps = ["green", "red", "amber", "yellow"]
  /// The names with a meaning of their own.
  private static let knownNames = [OutputSection.relayName] + builtInLamps + ["buzzer"]

  private let outputs: [SourceEntry]
  private let signals: [SourceEntry]
  private let findings: Findings

  init(outputs: SourceNode?, signals: SourceNode?, _ findings: Findings) {
    func entries(_ node: SourceNode?) -> [SourceEntry] {
      if case .mapping(let entries) = node?.content { return entries }
      return []
    }
    self.outputs = entries(outputs)
    self.signals = entries(signals)
    self.findings = findings
  }

  /// Looks at everything; `settings` is what was read of the signals, `nil` where they cannot be read.
  func run(_ settings: [SignalName: [String: SignalSetting]]?) {
    let meant = checkNames()
    guard let settings else { return }
    checkUse(meant)
    checkGreen(settings)
  }

  /// Every output that a pattern names must be a lamp or a buzzer of the gate. Answers the outputs that are meant.
  private func checkNames() -> Set<String> {
    let playable = outputs.map(\.key).filter { $0 != OutputSection.relayName }
    var meant: Set<String> = []
    for pattern in signals {
      guard case .mapping(let settings) = pattern.value.content else { continue }
      for setting in settings {
        if playable.contains(setting.key) {
          meant.insert(setting.key)
        } else if setting.key == OutputSection.relayName {
          findings.error(
            at: setting.position, "a pattern cannot drive the relay", "remove it: an admission alone drives the relay")
        } else {
          let guess = suggestion(for: setting.key, among: playable)
          if let guess { meant.insert(guess) }
          let names = playable.map(quoted).joined(separator: ", ")
          let known = playable.isEmpty ? "the gate has no lamp or buzzer" : "it has \(names)"
          findings.error(
            at: setting.position, "the gate has no output \(quoted(setting.key))",
            guess.map { "did you mean \(quoted($0))?" } ?? known)
        }
      }
    }
    return meant
  }

  /// A name that neither the built-in patterns nor the gate's own know is a slip: a misspelt relay would be a lamp that
  /// nothing lights, and a gate that takes tickets and never opens.
  private func checkUse(_ meant: Set<String>) {
    let names = outputs.map(\.key)
    for output in outputs where isName(output.key) && !meant.contains(output.key) {
      guard output.key != OutputSection.relayName, !OutputSection.isBuzzer(output.key),
        !Self.builtInLamps.contains(output.key)
      else { continue }
      let guess = suggestion(for: output.key, among: Self.knownNames.filter { !names.contains($0) })
      findings.error(
        at: output.position, "the output \(quoted(output.key)) does nothing: no signal names it",
        (guess.map { "did you mean \"\($0)\"? " } ?? "")
          + "call it relay, green, red, amber or buzzer, or name it in signals")
    }
  }

  /// People walk when they see green, whatever it blinks.
  private func checkGreen(_ settings: [SignalName: [String: SignalSetting]]) {
    for signal in SignalName.all where signal != .admit && signal != .provisional {
      guard let setting = settings[signal]?["green"], setting != .off,
        case .mapping(let pattern) = signals.first(where: { $0.key == signal.key })?.value.content,
        let place = pattern.first(where: { $0.key == "green" })?.position
      else { continue }
      findings.warning(
        at: place, "the signal \(quoted(signal.key)) lights the output green",
        "light red or amber: people read green as \"pass\"")
    }
  }
}
