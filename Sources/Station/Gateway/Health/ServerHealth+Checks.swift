internal import LinuxIO
import ScanModel
internal import Calls

/// Whether the ticket systems of this server would decide scans: asked at the start, after each reload, and while a
/// fault lasts, by a request that redeems nothing.
///
/// ```
/// check ─▶ gates are not ready yet ─▶ probe ─┬─ answers ─▶ ready
///                                            ├─ a fault ─▶ told by each gate; probed again until it is mended
///                                            └─ offline ─▶ the gates' policies; ServerHealth probes
/// ```
extension ServerHealth {
  /// Begins to ask these; whoever is not among them is no longer asked. Returns at once.
  func check(_ systems: [any TicketSystem]) {
    for task in checking.values { task.cancel() }
    checking = [:]
    checked = [:]
    checks = [:]
    for system in systems {
      checked[system.id] = system
      var check = SystemCheck(waits: checkWaits)
      check.begin(at: time.now())
      checks[system.id] = check
      keepChecking(system.id)
    }
    tellNews()
  }

  /// What keeps a gate of this ticket system from admitting; `nil` while that is being asked.
  func fault(of system: TicketSystemID) -> SystemCheck.Fault? {
    if isBeingAsked(system) { return nil }
    if let fault = checks[system]?.fault { return fault }
    // It could not be asked anew: nobody passes on its last word.
    return keyFault(of: system).map {
      SystemCheck.Fault(
        $0, "When \(system) answered last, our key could not scan. It is asked again as soon as it answers.")
    }
  }

  /// Whether its first word since the start, or the reload, is still out.
  func isBeingAsked(_ system: TicketSystemID) -> Bool { checks[system]?.isBeingAsked ?? false }

  /// Takes what a probe has found of a system itself.
  func takeCheck(_ found: Reach, of system: TicketSystemID, began: MonotonicTime) {
    if found.isAnswer { proven[system] = max(began, proven[system] ?? began) }
    change(
      system,
      noting: { notes in
        switch found {
        case .answers: notes.keyFaults[system.name] = nil
        case .fault(let reason, _) where reason.isOfKey: notes.keyFaults[system.name] = reason.rawValue
        case .fault, .unclear, .offline, .unknown: break
        }
      }
    ) { [now = time.now()] in $0.take(found, at: now) }
    // A gate may be at fault by itself.
    if found.isAnswer { tellNews() }
  }

  /// Told that a scan was decided.
  func prove(_ system: TicketSystemID, by gate: GateID) {
    change(system, noting: { $0.keyFaults[system.name] = nil }) { $0.prove(by: gate) }
  }

  /// Told that a scan could not be decided.
  func suspect(
    _ reason: UndecidedReason, _ detail: String?, isAnswer: Bool, _ system: TicketSystemID, by gate: GateID
  ) {
    let found: SystemCheck.Fault?
    switch reason {
    case .keyRefused, .accessDenied, .keyBlocked, .tlsFault, .clockWrong:
      found = SystemCheck.Fault(reason, detail ?? reason.rawValue)
    // It may be that ticket's, or that gate's.
    case .badAnswer: found = nil
    case .rateLimited, .unreachable, .interrupted, .stale, .busy, .outOfService: return
    }
    change(
      system,
      noting: { if isAnswer, reason.isOfKey { $0.keyFaults[system.name] = reason.rawValue } }
    ) { [now = time.now()] in $0.suspect(found, by: gate, at: now) }
  }

  /// Changes what is known of a system, and what is remembered of it: gates are told once both are.
  private func change(
    _ system: TicketSystemID, noting: (inout KeeperNotes) -> Void, _ change: (inout SystemCheck) -> Void
  ) {
    let before = checks[system] ?? SystemCheck(waits: checkWaits)
    var check = before
    change(&check)
    checks[system] = check
    let keyFaults = stored.notes.keyFaults
    stored.note(noting)
    if stored.notes.keyFaults != keyFaults || check.fault != before.fault || check.isBeingAsked != before.isBeingAsked
      || check.doubt != before.doubt
    {
      tellNews()
    }
    keepChecking(system)
  }

  private func keepChecking(_ id: TicketSystemID) {
    guard checks[id]?.nextProbe != nil, checking[id] == nil,
      let system = checked[id] ?? (asker?.id == id ? asker : nil)
    else { return }
    checking[id] = Task(executorPreference: loop.tasks) { [keeper] in
      await keeper.turn { await $0.health.probe(system) }
    }
  }

  private nonisolated(nonsending) func probe(_ system: any TicketSystem) async {
    while !Task.isCancelled, let due = checks[system.id]?.nextProbe {
      let now = time.now()
      if now < due {
        try? await Task.sleep(for: due - now)
        // A scan may have told meanwhile.
        continue
      }
      // Whether it answers again is asked by who waits for that.
      if reach.nextProbe != nil, !isBeingAsked(system.id) {
        checks[system.id]?.postpone(at: now)
        continue
      }
      let found = await system.reach(deadline: now + probeTime)
      if Task.isCancelled { return }
      take(found, from: system.id, began: now)
    }
    if !Task.isCancelled { checking[system.id] = nil }
  }
}
