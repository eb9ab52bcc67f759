internal import TicketSystemKit

/// What a gate and its policy for offline say together.
struct OfflineChecks {
  let gate: SectionReader
  let offline: OfflinePolicy
  /// Whether the ticket system says nothing of what its codes look like.
  let isOpen: Bool
  /// Whether how a code looks may be enough to open.
  let mayOpenByForm: Bool

  /// Looks at everything; what could not be read is `nil`. Answers what holds.
  func run(
    deadline: Duration?, direction: GateDirection?, signals: [SignalName: [String: SignalSetting]]?
  ) -> OfflinePolicy {
    var offline = offline
    if let deadline { offline.after = min(offline.after, deadline) }
    guard offline.rule != .refuse, let place = place(of: OfflineSection.policyKey) else { return offline }
    if let deadline, let after = self.place(of: "after"), self.offline.after > deadline {
      gate.findings.error(
        at: after,
        "the policy would decide after \(written(self.offline.after)), when the deadline of \(written(deadline)) is over",
        "write after: \(written(deadline)) at most, or raise the deadline")
    }
    if direction == .out {
      gate.findings.error(
        at: place, "nobody is asked at a gate by which people leave, so there is nothing to decide offline",
        "remove offline, or write direction: in")
    }
    if offline.rule == .admitAndQueue {
      if mayOpenByForm { warnOfOpenFilter(place) } else { refuseForm(place) }
    }
    if let signals { warnOfLikeness(signals, place) }
    return offline
  }

  private func entries(of section: String) -> [SourceEntry] {
    if case .mapping(let entries) = gate.entry(section)?.value.content { return entries }
    return []
  }

  /// Where a value of the section stands; `nil` where the file does not give it.
  private func place(of key: String) -> SourcePosition? {
    entries(of: OfflineSection.key).first { $0.key == key }?.value.position
  }

  /// Codes that anybody can guess.
  private func refuseForm(_ place: SourcePosition) {
    gate.findings.error(
      at: place,
      "codes of this type of ticket system are neither signed nor hard to guess: how one looks is no reason to open",
      "write policy: list, by which the tickets on board are admitted, or policy: refuse")
  }

  /// A filter of its own that bounds nothing takes whatever has 8 characters.
  private func warnOfOpenFilter(_ place: SourcePosition) {
    let bounds = ["pattern", "minLength", "maxLength"]
    if gate.entry("accept") == nil, !isOpen { return }
    if entries(of: "accept").contains(where: { bounds.contains($0.key) }) { return }
    gate.findings.warning(
      at: place, "any code opens \(quoted(gate.node.path)) while its ticket system is offline",
      "say in accept how your tickets look: pattern, or minLength and maxLength")
  }

  /// Staff must see which admissions the ticket system has not confirmed.
  private func warnOfLikeness(_ signals: [SignalName: [String: SignalSetting]], _ place: SourcePosition) {
    guard let admit = signals[.admit] else { return }
    guard let provisional = signals[.provisional] else {
      gate.findings.warning(
        at: place, "signals has a pattern for admit and none for provisional, which plays the built-in one",
        "add provisional to signals, unlike admit, so that staff tell them apart")
      return
    }
    if admit == provisional {
      gate.findings.warning(
        at: place, "the signals admit and provisional are alike: staff cannot tell them apart",
        "give provisional a rhythm of its own")
    }
  }
}
