package import ScanModel

/// What lamps and buzzers do while a station is set up: the person who does it has no screen, so what came of a code is
/// counted.
///
/// | signal | lamps | sound |
/// |---|---|---|
/// | armed | amber, 1 s on, 1 s off for ever; red where there is no amber | – |
/// | working | amber, lit with a wink every 2 s; red where there is no amber | – |
/// | done | red and amber, two short and a long of 2 s | the same |
/// | refused | red, one of 1 s, then as many short ones as say why, twice; amber where there is no red | the same |
///
/// A short beep every 5 s stands for `armed` where neither lamp is there, and two of them every 2 s for `working`.
///
/// Nothing lights green, not even what went well: green means an admission, and at a station with several gates somebody
/// may stand before this one. A refusal begins long and is broken after it, `done` begins broken and ends long. At most two
/// flashes fall into a second (WCAG 2.2, 2.3.1).
struct SetUpPatterns {
  private let red: [OutputName]
  private let amber: [OutputName]
  private let buzzers: [OutputName]

  /// Those of a gate with lamps called `red`, `amber` (or `yellow`) and any buzzer.
  static func standard(for outputs: [OutputName: OutputKind]) -> [SetUpSignal: SignalPattern] {
    func lamps(_ names: OutputName...) -> [OutputName] { names.filter { outputs[$0] == .lamp } }
    let patterns = SetUpPatterns(
      red: lamps("red"), amber: lamps("amber", "yellow"),
      buzzers: outputs.filter { $0.value == .buzzer }.map(\.key))
    return Dictionary(uniqueKeysWithValues: SetUpSignal.all.map { ($0, patterns.pattern(of: $0)) })
  }

  private func pattern(of signal: SetUpSignal) -> SignalPattern {
    let background = amber.isEmpty ? red : amber
    let isDark = background.isEmpty
    switch signal {
    case .armed: return pattern(background, [1_000, 1_000], sound: isDark ? [100, 4_900] : nil, times: nil)
    case .working: return pattern(background, [1_800, 200], sound: isDark ? [60, 140, 60, 1_740] : nil, times: nil)
    case .done:
      let steps = [300, 300, 300, 300, 2_000]
      return pattern(red + amber, steps, sound: steps, times: 1)
    case .refused(let refusal):
      var steps = [1_000, 700]
      for _ in 0..<refusal.flashes { steps += [300, 400] }
      steps[steps.count - 1] = 1_500
      return pattern(red.isEmpty ? amber : red, steps, sound: steps, times: 2)
    }
  }

  private func pattern(_ lamps: [OutputName], _ light: [Int], sound: [Int]?, times: Int?) -> SignalPattern {
    func steps(_ milliseconds: [Int]) -> OutputPattern {
      OutputPattern(checkedSteps: milliseconds.map { .milliseconds($0) }, repeats: times)
    }
    var pattern = SignalPattern()
    for lamp in lamps { pattern.outputs[lamp] = steps(light) }
    for buzzer in buzzers { pattern.outputs[buzzer] = sound.map(steps) }
    return pattern
  }
}

extension SetUpRefusal {
  /// How many short flashes and beeps say it, after the long one; printed in manuals, so no number ever changes its meaning.
  package var flashes: Int {
    switch self {
    case .wrong: 1
    case .expired: 2
    case .used: 3
    case .unknownStation: 4
    case .offline: 5
    case .untrusted: 6
    case .lockedOut: 7
    case .fault: 8
    }
  }
}
