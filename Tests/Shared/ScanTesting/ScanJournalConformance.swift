package import ScanModel

/// What every journal must do, wherever it keeps things.
package struct ScanJournalConformance: Sendable {
  /// An empty journal that works.
  package var journal: any ScanJournal
  /// The clock of `durable`'s ends.
  package var time: any TimeSource

  /// Makes the suite for one journal.
  package init(journal: any ScanJournal, time: any TimeSource = SystemTime()) {
    self.journal = journal
    self.time = time
  }

  /// Runs the suite.
  /// - Returns: what is broken, in words; empty when the journal conforms.
  package func failures() async throws(JournalFault) -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }

    var states = journal.states.makeAsyncIterator()
    check(await states.next() == .working, "a new listener is not told that the journal works")

    // Order, and what was queued without waiting.
    let keys = (0..<4).map { LedgerKey(server: "s\($0 % 2)", kind: .ticket, bytes: [UInt8($0 / 2)]) }
    check(try await recall(keys).isEmpty, "an empty journal remembers something")
    let first = journal.enqueue(JournalBatch(memory: [keys[0]: .some([1]), keys[1]: .some([])]))
    let second = journal.enqueue(JournalBatch(memory: [keys[0]: .some([2]), keys[2]: .some([3])]))
    check(first < second, "a later batch has no greater mark")
    check(
      try await recall(keys) == [keys[0]: [2], keys[1]: [], keys[2]: [3]],
      "what was queued is not recalled, or not in order")
    journal.enqueue(JournalBatch(memory: [keys[0]: nil]))
    check(try await recall([keys[0]]).isEmpty, "a key that was forgotten is recalled")
    check(
      try await recall([keys[1], keys[1]]) == [keys[1]: []], "a key that is asked for twice is not recalled")

    // Waiting.
    try await journal.written(second)
    try await journal.written(first)
    check(try await journal.durable(second, until: time.now() + .seconds(60)), "a batch did not get durable")
    check(
      try await journal.durable(first, until: MonotonicTime(nanoseconds: 0)),
      "what is durable is not told so when the time is over")
    check(
      try await journal.written(first, until: MonotonicTime(nanoseconds: 0)),
      "what is written is not told so when the time is over")
    let empty = journal.enqueue(JournalBatch())
    try await journal.written(empty)
    check(try await journal.written(empty, until: time.now() + .seconds(60)), "a batch was not written")
    let awaited = journal.enqueue(JournalBatch(memory: [keys[3]: .some([4])]))
    _ = try await journal.durable(awaited, until: MonotonicTime(nanoseconds: 0))
    // What was queued is no stranger, forgotten or not.
    let strangers = [LedgerKey(server: "s9", kind: .entry, bytes: [9])]
    check(try await recall(strangers).isEmpty, "something is recalled that was never stored")
    for key in keys {
      let now = try? await journal.recall([key], until: MonotonicTime(nanoseconds: 0))
      let found = try await recall([key])
      check(now == nil || now == found, "who has no time for an answer is told what is not so")
    }

    // Attempts.
    let attempts = (0..<3).map { asked("code\($0)") }
    let asking = journal.enqueue(JournalBatch(facts: attempts.map { .asked($0) }))
    check(try await journal.unconcluded() == attempts, "attempts without conclusion are not told as they were asked")
    try await journal.written(asking)
    journal.enqueue(JournalBatch(facts: [.concluded(concluded(attempts[1], .answered))]))
    check(
      try await journal.unconcluded() == [attempts[0], attempts[2]], "a concluded attempt counts as open, or all do")
    journal.enqueue(JournalBatch(facts: [.late(concluded(attempts[1], .lost)), .late(concluded(attempts[0], .lost))]))
    check(try await journal.unconcluded() == [attempts[0], attempts[2]], "a late answer concludes an attempt")
    let together = asked("together")
    let last = journal.enqueue(
      JournalBatch(
        facts: [
          .asked(together), .concluded(concluded(together, .notSent)), .concluded(concluded(attempts[0], .pending)),
        ]))
    check(try await journal.unconcluded() == [attempts[2]], "facts of one batch are not taken in order")
    // A conclusion of an attempt that nobody knows harms nothing.
    journal.enqueue(JournalBatch(facts: [.concluded(concluded(asked("unknown"), .lost))]))
    check(try await journal.durable(last, until: time.now() + .seconds(60)), "the last batch did not get durable")
    check(try await journal.unconcluded() == [attempts[2]], "a stray conclusion changed what is open")
    return try await failures + outboxFailures() + annulmentFailures() + orderFailures() + passageFailures()
  }

  private func outboxFailures() async throws(JournalFault) -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }
    func tell(_ owed: OwedAdmission, _ endings: ToldAdmission.Ending...) {
      journal.enqueue(JournalBatch(facts: endings.map { .told(told(owed, $0)) }))
    }
    check(try await journal.owed().isEmpty, "something is owed that nobody owes")
    let owed = (0..<5).map { owing("code\($0)") }
    let key = LedgerKey(server: "s0", kind: .sale, bytes: [8])
    let mark = journal.enqueue(
      JournalBatch(facts: owed.map { .owed($0) }, memory: [key: .some([1])], isUrgent: true))
    check(try await journal.owed() == owed, "what is owed is not told as it was queued")
    check(try await journal.durable(mark, until: time.now() + .seconds(60)), "what is owed did not get durable")
    check(try await journal.owed() == owed, "what is owed is not told as it was written")
    check(try await recall([key]) == [key: [1]], "what belongs to an owed admission is not remembered with it")
    check(try await journal.unconcluded().count == 1, "what is owed counts as an open attempt")
    for (admission, ending) in zip(owed, ToldAdmission.Ending.allCases) { tell(admission, ending) }
    check(try await journal.owed().isEmpty, "an ending leaves something in the outbox")
    check(
      try await journal.retriable()
        == zip(owed, ToldAdmission.Ending.allCases).filter { $1.keepsCode }.map { $0.0 },
      "not those can be sent by hand that were not told")
    // Who is sent by hand ends again.
    for (admission, ending) in zip(owed, ToldAdmission.Ending.allCases) where ending == .tooLate {
      tell(admission, .unsettled)
      check(try await journal.retriable().contains(admission), "a later ending that keeps the code loses it")
      tell(admission, .confirmed)
      check(try await !journal.retriable().contains(admission), "an earlier ending counts")
      tell(admission, .tooLate)
      check(try await !journal.retriable().contains(admission), "a code that went came back")
    }
    let together = owing("together")
    let last = journal.enqueue(
      JournalBatch(facts: [.owed(together), .told(told(together, .tooLate)), .told(told(owing("stray"), .confirmed))]))
    check(try await journal.owed().isEmpty, "an ending in the same batch leaves something in the outbox")
    check(try await journal.durable(last, until: time.now() + .seconds(60)), "an ending did not get durable")
    check(try await journal.retriable().last == together, "an ending in the same batch loses the admission")
    let conflicts = try await journal.conflicts()
    check(
      conflicts.contains { $0.owed.attempt == together.attempt && $0.told.ending == .tooLate }, "a conflict is lost")
    check(conflicts.allSatisfy { $0.told.ending.isConflict }, "what was confirmed is a conflict")
    check(conflicts.allSatisfy { $0.owed.attempt == $0.told.attempt }, "an ending is another one's")
    return failures
  }

  private func annulmentFailures() async throws(JournalFault) -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }
    let (asked, other, refused) = (asked("annulled"), asked("other"), asked("refused"))
    func scan(_ asked: AskedAttempt, _ admission: AttemptID?) -> JournalFact {
      .scan(
        JournaledScan(
          scan: asked.scan, system: asked.system, ticket: asked.ticket, at: asked.at, decidedIn: .zero,
          verdict: admission == nil ? .refuse(.notFound) : .admit, decider: .server, admission: admission))
    }
    journal.enqueue(
      JournalBatch(facts: [scan(asked, asked.attempt), scan(other, other.attempt), scan(refused, nil)]))
    var known = JournaledAdmission(
      admission: asked.attempt, ticket: asked.ticket, at: asked.at, isAnnulled: false)
    check(try await journal.admission(of: asked.scan.id) == known, "an admission is not told as it was queued")
    check(try await journal.admission(of: refused.scan.id) == nil, "a refusal is told as an admission")
    check(try await journal.admission(of: ScanID()) == nil, "a scan is told that nobody made")
    journal.enqueue(
      JournalBatch(facts: [
        .annulled(AnnulledAdmission(scan: asked.scan.id, admission: asked.attempt, at: asked.at)),
        .annulled(AnnulledAdmission(scan: ScanID(), admission: AttemptID(), at: asked.at)),
      ]))
    known.isAnnulled = true
    check(try await journal.admission(of: asked.scan.id) == known, "what was annulled is not told so")
    check(try await journal.admission(of: other.scan.id)?.isAnnulled == false, "another admission counts as annulled")
    return failures
  }

  private func orderFailures() async throws(JournalFault) -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }
    check(try await journal.orders().isEmpty, "an order is told that nobody gave")
    var order = JournaledOrder(
      id: OrderID(), kind: "maintenance", gate: GateID("a"), subject: "on", who: "anna", user: 1_000, why: "a belt",
      at: JournalTime(wall: WallTime(seconds: 5), monotonic: time.now(), isTrusted: true))
    let begun = order
    let mark = journal.enqueue(JournalBatch(facts: [.order(order)], isUrgent: true))
    check(try await journal.orders() == [begun], "an order is not told as it was queued")
    check(try await journal.durable(mark, until: time.now() + .seconds(60)), "an order did not get durable")
    (order.outcome, order.detail, order.scan) = ("refused", "words", ScanID())
    order.reason = "busy"
    let other = JournaledOrder(
      id: OrderID(), kind: "outboxRetry", gate: nil, who: "", user: .max, why: "", outcome: "done", at: order.at)
    try await journal.written(journal.enqueue(JournalBatch(facts: [.order(order), .order(other)])))
    check(try await journal.orders() == [begun, order, other], "orders are not told as they were written")
    return failures
  }

  private func passageFailures() async throws(JournalFault) -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }
    func scan(
      _ code: String, _ verdict: Verdict = .admit, of system: String = "log", ticket: UInt8 = 1, note: String? = nil,
      event: String? = nil
    ) -> JournaledScan {
      let asked = asked(code)
      return JournaledScan(
        scan: asked.scan, system: TicketSystemID(system), ticket: TicketKey([ticket]), at: asked.at, decidedIn: .zero,
        verdict: verdict, decider: .server, note: note, eventID: event, holder: code)
    }
    let system = TicketSystemID("log")
    let begin = try await journal.end()
    let scans = [
      scan("in", event: "456"), scan("refused", .refuse(.notFound)), scan("other", of: "other"),
      scan("out", ticket: 1, note: "left", event: "7"), scan("stranger", ticket: 2, note: "notInside"),
    ]
    try await journal.written(
      journal.enqueue(
        JournalBatch(
          facts: scans.map { .scan($0) } + [
            .annulled(AnnulledAdmission(scan: scans[4].scan.id, admission: AttemptID(), at: scans[4].at))
          ])))
    let end = try await journal.end()
    check(end.journal == begin.journal && end.fact > begin.fact, "what is written does not move the end")
    var found: [JournaledPassage] = []
    var place = begin
    while let page = try await journal.passages(of: system, after: place) {
      check(page.end.fact > place.fact || page.isEnd, "a look stands still")
      check(page.passages.allSatisfy { $0.fact > place.fact && $0.fact <= page.end.fact }, "a passage out of its piece")
      found += page.passages
      place = page.end
      if page.isEnd { break }
    }
    check(place == end, "a look ends elsewhere than the journal")
    check(
      found.map(\.scan) == [scans[0], scans[3], scans[4]].map(\.scan.id), "not the passages of one system are told")
    check(found.map(\.isExit) == [false, true, true], "who went out is not told from who came in")
    check(found.map(\.isAnnulled) == [false, false, true], "what was taken back is not told so")
    check(found.map(\.eventID) == ["456", "7", nil], "events are lost")
    check(found.map(\.holder) == ["in", "out", "stranger"], "holders are lost")
    check(found.first.map { $0.at == scans[0].at && $0.decider == .server } ?? false, "times or deciders are lost")
    if found.count == 3 {
      check(
        try await journal.admission(before: found[1])?.scan == scans[0].scan.id, "an earlier admission is not found")
      check(try await journal.admission(before: found[0]) == nil, "an admission before the first is found")
      check(try await journal.admission(before: found[2]) == nil, "an admission on another ticket is found")
    }
    check(
      try await journal.passages(of: system, after: JournalPlace(journal: end.journal &+ 1, fact: 0)) == nil,
      "a place in another journal is taken for one in this")
    check(
      try await journal.passages(of: system, after: JournalPlace(journal: end.journal, fact: end.fact + 1)) == nil,
      "a place behind the end is taken for one in this journal")
    return failures
  }

  private func recall(_ keys: [LedgerKey]) async throws(JournalFault) -> [LedgerKey: [UInt8]] {
    try await journal.recall(keys, until: time.now() + .seconds(60))
  }

  private func owing(_ code: String) -> OwedAdmission {
    let asked = asked(code)
    return OwedAdmission(
      attempt: asked.attempt, scan: asked.scan, system: asked.system, server: asked.server, ticket: asked.ticket,
      decider: .policy, mayBeTold: true, at: asked.at, boot: asked.boot)
  }

  private func told(_ owed: OwedAdmission, _ ending: ToldAdmission.Ending) -> ToldAdmission {
    ToldAdmission(
      attempt: owed.attempt, ending: ending, reason: ending == .contradicted ? .alreadyUsed : nil, said: "Already used",
      entryID: "17", recordedAt: time.wall(), at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true)
    )
  }

  private func asked(_ code: String) -> AskedAttempt {
    AskedAttempt(
      attempt: AttemptID(),
      scan: Scan(
        gate: GateID("gate"), reader: ReaderID("reader"), code: Code(code),
        symbology: AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "1")), readAt: time.now()),
      system: TicketSystemID("system"), server: "eventSchedule https://localhost", ticket: TicketKey([7, 7]),
      at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true), boot: BootID("boot"))
  }

  private func concluded(_ asked: AskedAttempt, _ fate: AttemptOutcome.Fate) -> ConcludedAttempt {
    ConcludedAttempt(
      attempt: asked.attempt, fate: fate, mayHaveRedeemed: fate != .notSent, verdict: .undecided(.unreachable),
      entryID: nil,
      recordedAt: nil, said: nil, at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: false))
  }
}
