package import ScanModel

/// What the journal says of a time, counted and listed: built scan by scan, so that a year takes no more memory than an evening.
package struct Report: Sendable {
  /// A reason of refusals or of what was not decided.
  package struct Reason: Hashable, Sendable {
    package var outcome: ReportedScan.Outcome
    package var name: String
  }

  /// The most gates that are told apart.
  private static let mostGates = 200
  /// The most events that are told apart.
  private static let mostEvents = 2_000
  /// The most reasons and deciders that are told apart; there are some thirty.
  private static let mostWords = 100
  /// The most of each list; what is more is counted.
  package static let mostListed = 20_000

  package let scope: ReportScope
  package let clock: ReportClock
  /// The steps in which time is told.
  package let step: ReportStep

  package private(set) var total = ReportCounts()
  package private(set) var gates = NamedCounts(limit: mostGates)
  package private(set) var events = NamedCounts(limit: mostEvents)
  package private(set) var deciders = NamedCounts(limit: mostWords)
  package private(set) var reasons: [Reason: Int] = [:]
  /// By the beginnings of steps, and then by gate.
  package private(set) var times: [WallTime: [String: ReportCounts]] = [:]
  /// How many scans were decided by a clock that was not trusted.
  package private(set) var untrusted = 0
  /// Scans that were only counted, because they came faster than anybody presents codes; in no other number.
  package private(set) var flooded = 0
  private var lists: [ReportedItem.Kind: [ReportedItem]] = [:]
  private var listed: [ReportedItem.Kind: Int] = [:]
  /// Names as they are shown: the same few come with each scan.
  private var shown = ShownNames()
  /// The step of the scan before: the next one is mostly of the same.
  private var lastStep: (beginning: WallTime, end: WallTime, offset: Int64)?
  /// Faults that are counted together: what, reason, gate.
  private var gathered: [[String]: ReportedItem] = [:]

  package init(scope: ReportScope) {
    self.scope = scope
    clock = ReportClock(zone: scope.zone)
    step = ReportStep.fitting(scope.until - scope.from)
  }

  /// Whether the scope has a scan of such a time, gate and event.
  private func has(_ at: WallTime, _ gate: String) -> Bool {
    at >= scope.from && at < scope.until && (scope.gate.map { $0.name == gate } ?? true)
  }

  /// Counts a scan; one that the scope has not is left out, but for its event, which the caller compares.
  package mutating func add(_ scan: ReportedScan) {
    guard has(scan.at.wall, scan.gate) else { return }
    total.add(scan)
    let gate = gates.add(scan, as: shown.name(scan.gate))
    events.add(scan, as: shown.name(scan.event))
    deciders.add(scan, as: shown.name(scan.decider))
    let start = beginning(of: scan.at.wall)
    times[start, default: [:]][gate, default: ReportCounts()].add(scan)
    if !scan.at.isTrusted { untrusted += 1 }
    if scan.outcome != .admitted { addReason(of: scan) }
    if !scan.outputFault.isEmpty {
      add(
        ReportedItem(
          .fault, at: scan.at, gate: scan.gate, event: scan.event, what: "outputs", reason: scan.outputFault,
          scan: scan.id))
    }
  }

  private mutating func beginning(of time: WallTime) -> WallTime {
    let offset = clock.offset(at: time)
    if let last = lastStep, time >= last.beginning, time < last.end, offset == last.offset { return last.beginning }
    let start = step.beginning(of: time, by: clock)
    lastStep = (start, step.next(after: start, by: clock), offset)
    return start
  }

  private mutating func addReason(of scan: ReportedScan) {
    var reason = Reason(outcome: scan.outcome, name: shown.name(scan.reason))
    if reasons[reason] == nil, reasons.count >= Self.mostWords { reason.name = NamedCounts.others }
    reasons[reason, default: 0] += 1
    guard scan.outcome == .undecided, UndecidedReason(rawValue: scan.reason)?.isFault ?? true else { return }
    gather(ReportedItem(.fault, at: scan.at, gate: scan.gate, what: "undecided", reason: reason.name))
  }

  /// Counts scans that were only counted.
  package mutating func add(_ flood: ScanFlood) {
    guard has(flood.at.wall, flood.gate.name), scope.event == nil else { return }
    let count = max(0, flood.refused) + max(0, flood.undecided)
    flooded += count
    gather(ReportedItem(.fault, at: flood.at, gate: flood.gate.name, what: "too many scans", count: count))
  }

  /// Adds to a list; what is beyond the most is counted.
  package mutating func add(_ item: ReportedItem) {
    listed[item.kind, default: 0] += item.count
    guard lists[item.kind]?.count ?? 0 < Self.mostListed else { return }
    lists[item.kind, default: []].append(item.cleaned)
  }

  /// Counts it with those of the same gate, kind and reason.
  private mutating func gather(_ item: ReportedItem) {
    let key = [item.what, item.reason, ReportText.clean(item.gate)]
    listed[item.kind, default: 0] += item.count
    if gathered[key] != nil {
      gathered[key]?.count += item.count
    } else if gathered.count < Self.mostListed {
      gathered[key] = item.cleaned
    }
  }

  /// A list, in the order of its times.
  package func items(_ kind: ReportedItem.Kind) -> [ReportedItem] {
    let all = (lists[kind] ?? []) + (kind == .fault ? Array(gathered.values) : [])
    // Not by time alone: the order of what is counted together is nobody's.
    return all.enumerated().sorted { a, b in
      (a.element.at.wall, a.element.what, a.element.reason, a.element.gate, a.offset)
        < (b.element.at.wall, b.element.what, b.element.reason, b.element.gate, b.offset)
    }.map(\.element)
  }

  /// How many of a kind there are, those included that are not listed.
  package func count(_ kind: ReportedItem.Kind) -> Int { listed[kind] ?? 0 }

  /// How many of a kind are not listed.
  package func omitted(_ kind: ReportedItem.Kind) -> Int {
    count(kind) - items(kind).reduce(0) { $0 + $1.count }
  }
}

extension ReportedItem {
  /// The same with words that can be shown.
  fileprivate var cleaned: ReportedItem {
    var item = self
    item.gate = ReportText.clean(gate)
    item.event = ReportText.clean(event)
    item.decider = ReportText.clean(decider)
    item.what = ReportText.clean(what)
    item.reason = ReportText.clean(reason, limit: 400)
    item.subject = ReportText.clean(subject)
    item.who = ReportText.clean(who)
    item.why = ReportText.clean(why, limit: 400)
    return item
  }
}
