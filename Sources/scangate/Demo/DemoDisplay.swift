import Service
import Gateway
import ScanModel

/// What the demo shows: a line for each verdict, and the outputs as a technician would see them.
actor DemoDisplay {
  private let isPlain: Bool
  private let paint: Paint
  private let names: [OutputName]
  private var lit: Set<OutputName> = []
  private var isLinePending = false

  /// Whether the last line on the terminal shows the outputs, so that the next state can take its place.
  private var isOutputLineLast = false

  init(isPlain: Bool, outputs: [OutputName]) {
    self.isPlain = isPlain
    paint = Paint(isColourful: Terminal.isColourful)
    names = outputs
  }

  /// Shows one event; plain shows scans alone, one line each.
  func show(_ event: GatewayEvent) {
    isOutputLineLast = false
    switch event {
    case .scan(let decided):
      Terminal.out(isPlain ? decided.line() : richLine(decided))
    case .repeat(_, _, let code, _) where !isPlain:
      Terminal.out("  (\(code.shortened) again within 2 s: hold-off, nothing is asked and the relay stays as it is)")
    case .discarded(let reader, let reason, let characters, _):
      Terminal.out(
        isPlain
          ? "discarded \(reason.rawValue)" : "  (\(characters) characters of \(reader) thrown away: \(reason.rawValue))"
      )
    case .attempt(let attempt) where !isPlain:
      Terminal.out("  (the request for \(attempt.code.shortened) is \(attempt.state.rawValue))")
    case .device(let reader, let state, _) where !isPlain:
      Terminal.out("  (reader \(reader) is \(state.spoken)\(state.detail.map { " " + TerminalText.clean($0) } ?? ""))")
    case .gate(_, .fault(_, let detail), _) where !isPlain:
      Terminal.out("  (the gate cannot decide: \(TerminalText.clean(detail)))")
    case .repeat, .attempt, .device, .identityChanged, .gate, .dropped, .input, .configuration, .journal,
      .ticketSystem, .clock, .conflict, .list, .mirror, .setUp, .control, .order, .fleet, .house:
      break
    }
  }

  private func richLine(_ decided: DecidedScan) -> String {
    let word = decided.verdict.name.uppercased()
    let badge: String
    switch decided.verdict {
    case .admit:
      badge = decided.isProvisional ? paint.badge(" \(word) provisional ", .amber) : paint.badge(" \(word) ", .green)
    case .refuse(let reason): badge = paint.badge(" \(word) ", .red) + " \(reason.rawValue)"
    case .undecided(let reason): badge = paint.badge(" \(word) ", .amber) + " \(reason.rawValue)"
    }
    let microseconds = decided.decidedIn.saturatedNanoseconds / 1_000
    let took = "\(microseconds / 1_000).\(microseconds / 100 % 10) ms"
    var line = "  " + ([badge, decided.scan.code.shortened] + decided.facts() + [took]).joined(separator: "  ")
    if case .undecided = decided.verdict, let detail = decided.detail { line += "\n    " + TerminalText.clean(detail) }
    return line
  }

  // MARK: Outputs

  /// An output went on or off. Sounds alone make no line; what changes together is shown together.
  func drive(_ output: OutputName, on: Bool) {
    if on { lit.insert(output) } else { lit.remove(output) }
    guard !isPlain, output.name != "buzzer" || on, !isLinePending else { return }
    isLinePending = true
    Task {
      try? await Task.sleep(for: .milliseconds(15))
      self.drawOutputs()
    }
  }

  /// Shows the outputs as they are at the end.
  func finish() { if isLinePending, !isPlain { drawOutputs() } }

  private func drawOutputs() {
    guard isLinePending else { return }
    isLinePending = false
    let line = "      " + names.map(drawn).joined(separator: "   ")
    guard paint.isColourful else { return Terminal.out(line) }
    if isOutputLineLast {
      // One line up, and back to where somebody may be typing.
      Terminal.write("\u{1B}7\u{1B}[1A\r\u{1B}[2K" + line + "\u{1B}8")
    } else {
      Terminal.out(line)
      isOutputLineLast = true
    }
  }

  private func drawn(_ name: OutputName) -> String {
    let on = lit.contains(name)
    switch name.name {
    case "relay": return on ? "relay " + paint.badge(" OPEN ", .green) : "relay  closed"
    case "buzzer": return on ? "buzzer ♪" : "buzzer ·"
    case "green": return "green " + (on ? paint.glow("●", .green) : "○")
    case "red": return "red " + (on ? paint.glow("●", .red) : "○")
    default: return "\(name.name) " + (on ? paint.glow("●", .amber) : "○")
    }
  }
}
