package import ScanModel

/// The patterns of a gate: what its lamps and buzzers do for each signal.
package struct SignalPatterns: Hashable, Sendable {
  /// Pass now.
  package var admit: SignalPattern
  /// Pass now, without the ticket system's word.
  package var provisional: SignalPattern
  /// Not with this code, where the reason has no pattern of its own.
  package var refuse: SignalPattern
  /// Patterns of single reasons to refuse.
  package var refuseReasons: [RefuseReason: SignalPattern]
  /// Not judged, where the reason has no pattern of its own.
  package var undecided: SignalPattern
  /// Patterns of single reasons not to decide.
  package var undecidedReasons: [UndecidedReason: SignalPattern]
  /// A code is being asked about.
  package var busy: SignalPattern
  /// Ready; background.
  package var idle: SignalPattern
  /// Ready, without the ticket system; background.
  package var offline: SignalPattern
  /// Closed until an operator acts; background.
  package var outOfService: SignalPattern
  /// While the station is being set up, in place of the built-in ones (`SetUpPatterns`), which a sequencer has by itself:
  /// they are long, and the plan of many gates must fit into one packet to the holder.
  package var setUp: [SetUpSignal: SignalPattern]

  /// Makes patterns; what is not given is off.
  package init(
    admit: SignalPattern = .off, provisional: SignalPattern = .off, refuse: SignalPattern = .off,
    refuseReasons: [RefuseReason: SignalPattern] = [:], undecided: SignalPattern = .off,
    undecidedReasons: [UndecidedReason: SignalPattern] = [:], busy: SignalPattern = .off, idle: SignalPattern = .off,
    offline: SignalPattern = .off, outOfService: SignalPattern = .off, setUp: [SetUpSignal: SignalPattern] = [:]
  ) {
    self.admit = admit
    self.provisional = provisional
    self.refuse = refuse
    self.refuseReasons = refuseReasons
    self.undecided = undecided
    self.undecidedReasons = undecidedReasons
    self.busy = busy
    self.idle = idle
    self.offline = offline
    self.outOfService = outOfService
    self.setUp = setUp
  }

  /// The pattern of `signal`: that of its reason where there is one, else that of its name. Off for a step of setting up
  /// that is not given here.
  package func pattern(for signal: Signal) -> SignalPattern {
    switch signal {
    case .admit: admit
    case .provisional: provisional
    case .refuse(let reason): refuseReasons[reason] ?? refuse
    case .undecided(let reason): undecidedReasons[reason] ?? undecided
    case .busy: busy
    case .idle: idle
    case .offline: offline
    case .outOfService: outOfService
    case .setUp(let step): setUp[step] ?? .off
    }
  }

  /// Good patterns for a gate with these outputs: lamps called `green`, `red`, `amber` (or `yellow`) and any buzzer.
  ///
  /// Nobody needs to see colours or to hear: what begins long and unbroken means pass, what is broken means do not.
  ///
  /// | signal | lamps | sound |
  /// |---|---|---|
  /// | admit | green, steadily for 2 s | one long beep |
  /// | provisional | green, a long blink and a short one, and amber steadily beside it | a long beep and a short one |
  /// | refuse | red, five quick blinks | two short beeps |
  /// | undecided | amber, two slow blinks; red where there is no amber | three short beeps |
  /// | busy | amber, steadily; else nothing | – |
  /// | idle | – | – |
  /// | offline | amber, two short flashes every 6 s for ever; red where there is no amber | – |
  /// | outOfService | red and amber, a flash every 2 s for ever | – |
  ///
  /// Those of setting up are in `SetUpPatterns`.
  ///
  /// Green lights for an admission and for nothing else. Nothing blinks more than three times in a second, which people
  /// with photosensitive epilepsy bear (WCAG 2.2, 2.3.1).
  package static func standard(for outputs: [OutputName: OutputKind]) -> SignalPatterns {
    func lamps(_ names: OutputName...) -> [OutputName] { names.filter { outputs[$0] == .lamp } }
    let buzzers = outputs.filter { $0.value == .buzzer }.map(\.key)
    let green = lamps("green")
    let red = lamps("red")
    let amber = lamps("amber", "yellow")
    func pattern(_ lamps: [OutputName], _ light: OutputPattern, sound: OutputPattern? = nil) -> SignalPattern {
      var pattern = SignalPattern()
      for lamp in lamps { pattern.outputs[lamp] = light }
      for buzzer in buzzers { pattern.outputs[buzzer] = sound }
      return pattern
    }
    func steps(_ milliseconds: Int..., times: Int? = 1) -> OutputPattern {
      OutputPattern(checkedSteps: milliseconds.map { .milliseconds($0) }, repeats: times)
    }
    // Long enough at first to be walked on; the rest of it is for staff, who may see no colours.
    var provisional = pattern(green, steps(1_400, 300, 300), sound: steps(500, 150, 120))
    for lamp in amber { provisional.outputs[lamp] = steps(2_000) }
    return SignalPatterns(
      admit: pattern(green, steps(2_000), sound: steps(500)), provisional: provisional,
      refuse: pattern(red, steps(200, 200, times: 5), sound: steps(120, 120, times: 2)),
      undecided: pattern(amber.isEmpty ? red : amber, steps(700, 300, times: 2), sound: steps(120, 120, times: 3)),
      busy: pattern(amber, .steady),
      idle: .off,
      offline: pattern(amber.isEmpty ? red : amber, steps(150, 250, 150, 5_450, times: nil)),
      outOfService: pattern(red + amber, steps(200, 1_800, times: nil)))
  }

  /// What is wrong with these patterns for a gate with `outputs`, each in words; empty when nothing is. The sequencer
  /// leaves out what is listed here.
  package func problems(for outputs: [OutputName: OutputKind]) -> [String] {
    var named: [(String, SignalPattern)] = [
      ("admit", admit), ("provisional", provisional), ("refuse", refuse), ("undecided", undecided), ("busy", busy),
      ("idle", idle), ("offline", offline), ("outOfService", outOfService),
    ]
    named += setUp.map { ("setUp.\($0.key.name)", $0.value) }.sorted { $0.0 < $1.0 }
    named += refuseReasons.map { ("refuse \($0.key.rawValue)", $0.value) }.sorted { $0.0 < $1.0 }
    named += undecidedReasons.map { ("undecided \($0.key.rawValue)", $0.value) }.sorted { $0.0 < $1.0 }
    return named.flatMap { signal, pattern in
      pattern.outputs.keys.sorted().compactMap { output in
        switch outputs[output] {
        case .relay: "the pattern of \(signal) names the relay \(output); a relay is driven by admissions only"
        case nil: "the pattern of \(signal) names \(output), which this gate does not have"
        case .lamp, .buzzer: nil
        }
      }
    }
  }
}
