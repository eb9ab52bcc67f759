import ScanModel
internal import TicketSystemKit

/// `gates.<name>.signals`: for each signal, what each lamp and buzzer does.
enum SignalsSection {
  private static let step = ValueKind<Duration>.duration(.milliseconds(20) ... .seconds(60), example: "400 ms")
  private static let steps = ValueKind<[Duration]>.list(of: step, count: 1...32, noun: "times")

  private static let blink = SchemaKey.required(
    "blink", .list(of: step, count: 2...2, noun: "times"), "How long on and how long off, in turn.")
  private static let total = SchemaKey<Duration>.optional(
    "for", .duration(.milliseconds(20) ... .seconds(60), example: "2 s"),
    "How long it blinks, rounded up to whole times on and off, at most 1000; without it as long as the signal lasts.")
  private static let blinkSchema = SectionSchema("gates.<name>.signals.<signal>.<output>", blink, total)

  /// A pattern repeats at most so often, unless it is endless.
  private static let maximumPeriods = 1000

  private static let form =
    "write \"on\", \"off\", times on, off, on … [400 ms], or { blink: [500 ms, 500 ms], for: 2 s }"

  private static let setting = ValueKind<SignalSetting>(
    summary: "`on`, `off`, list of durations, or blinking", example: "[2 s]", sections: [blinkSchema]
  ) { node, findings in
    switch node.content {
    case .scalar(let text, _):
      switch text {
      case "on": return .on
      case "off": return .off
      default:
        findings.error(
          at: node.isAbsentValue ? node.label : node.position,
          node.isAbsentValue ? "\(quoted(node.path)) has no value" : "\(quoted(node.path)) cannot be \(quoted(text))",
          form)
        return nil
      }
    case .sequence: return steps.parse(node, findings).map(SignalSetting.steps)
    case .mapping:
      guard let reader = SectionReader(node, blinkSchema, findings) else { return nil }
      let times = reader.read(blink)
      let total = reader.read(total)
      guard let times, times.count == 2 else { return nil }
      if let total, total > (times[0] + times[1]) * maximumPeriods {
        findings.error(
          at: reader.position(of: "for"),
          "\(quoted(reader.node.path)) blinks more than \(maximumPeriods) times in \(written(total))",
          "write for: \(written((times[0] + times[1]) * maximumPeriods)) at most, or leave it out")
        return nil
      }
      return .blink(on: times[0], off: times[1], total: total)
    }
  }

  /// One signal: output names and settings. Whether the outputs exist is checked when the gate is whole.
  private static let pattern = ValueKind<[String: SignalSetting]>(
    summary: "one setting each, by output", example: "{ green: [2 s] }", sections: setting.sections
  ) { node, findings in
    guard case .mapping(let entries) = node.content else {
      findings.error(
        at: node.isAbsentValue ? node.label : node.position, "\(quoted(node.path)) names no outputs",
        "write outputs and what they do: { green: [2 s] }; { } for none")
      return nil
    }
    var settings: [String: SignalSetting] = [:]
    for entry in entries { settings[entry.key] = setting.parse(entry.value, findings) }
    return settings
  }

  private static let keys = SignalName.all.map { signal in
    SchemaKey<[String: SignalSetting]>.optional(signal.key, pattern, words(signal))
  }

  static let schema = SectionSchema("gates.<name>.signals", keys: keys.map(\.description))

  static let kind = ValueKind<[SignalName: [String: SignalSetting]]>.section(
    schema, example: "{ admit: { green: [2 s] } }", summary: "section",
    read: { reader in
      var patterns: [SignalName: [String: SignalSetting]] = [:]
      for (signal, key) in zip(SignalName.all, keys) { patterns[signal] = reader.read(key) }
      return patterns
    })

  private static func words(_ signal: SignalName) -> String {
    switch signal {
    case .admit: "Pass now."
    case .provisional: "Pass now, without the ticket system's word: by the gate's `offline` policy."
    case .refuse(nil): "Not with this code, whatever the reason."
    case .refuse(.some): "Instead of `refuse`, for this reason."
    case .undecided(nil): "Not judged: scan again or ask staff."
    case .undecided(.some): "Instead of `undecided`, for this reason."
    case .busy: "A code was read and is being asked about."
    case .idle: "Ready for the next person."
    case .offline: "Instead of `idle`, while the gate decides by its `offline` policy."
    case .outOfService: "Nobody can pass here until an operator acts."
    case .setUp(.armed): "Set-up codes are taken: the next scan may be one."
    case .setUp(.working): "A set-up code was read and is being tried."
    case .setUp(.done): "The station is set up."
    case .setUp(.refused(.wrong)): "Set-up code: none, or not known to the service."
    case .setUp(.refused(.expired)): "Set-up code: its time is over."
    case .setUp(.refused(.used)): "Set-up code: somebody has used it."
    case .setUp(.refused(.unknownStation)): "Set-up code: the service does not know this station."
    case .setUp(.refused(.offline)): "Set-up code: the service cannot be reached."
    case .setUp(.refused(.untrusted)): "Set-up code: it names a server that this station does not trust."
    case .setUp(.refused(.lockedOut)): "Set-up code: too many were refused, none is taken for a while."
    case .setUp(.refused(.fault)): "Set-up code: anything else; read the log."
    }
  }
}
