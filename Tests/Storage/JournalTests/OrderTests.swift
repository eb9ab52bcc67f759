import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Journal

/// Orders of staff in the journal: which outlive what, and what stands.
@Suite struct OrderTests {
  private let day = Duration.seconds(86_400)

  private func order(
    _ kind: String, _ subject: String? = nil, gate: String? = nil, outcome: String? = "done", _ time: ManualTime
  ) -> JournaledOrder {
    JournaledOrder(
      id: OrderID(), kind: kind, gate: gate.map { GateID($0) }, subject: subject, who: "anna", user: 1_000,
      why: "a \u{1F3AB} reason", outcome: outcome, reason: outcome == "refused" ? "tooMany" : nil, detail: "in words",
      at: JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true))
  }

  private func write(_ journal: Journal, _ order: JournaledOrder) async throws {
    try await journal.written(journal.enqueue(JournalBatch(facts: [.order(order)])))
  }

  @Test func anOrderIsReadAsItWasWritten() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time)
    let orders = [
      order("openOnce", gate: "north", outcome: nil, time), order("openOnce", gate: "north", time),
      order("outboxHold", "on", time), order("annul", gate: "north", outcome: "refused", time),
    ]
    for order in orders { try await write(journal, order) }
    try await expectEqual(journal.orders(), orders)
    let reader = try Journal.Reader(path: folder.journal, key: nil)
    try expectEqual(reader.orders(limit: 2), Array(orders.suffix(2)))
    time.advance(by: day)
    // What was about to be done and what became of it are one order.
    var opened = order("openOnce", gate: "south", outcome: nil, time)
    try await write(journal, opened)
    opened.outcome = "done"
    try await write(journal, opened)
    try expectEqual(reader.orders(since: time.wall(), limit: 100), [opened])
    try expectEqual(reader.orders(limit: 100), orders + [opened])
    try expectEqual(reader.orders(since: time.wall() + .seconds(1), limit: 100), [])
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  @Test func theOutboxIsHeldByTheLastThatWasDone() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time)
    let reader = try Journal.Reader(path: folder.journal, key: nil)
    try expectEqual(reader.isOutboxHeld(), false)
    let steps: [(JournaledOrder, Bool)] = [
      (order("outboxHold", "on", time), true), (order("outboxRetry", outcome: "refused", time), true),
      (order("outboxRetry", outcome: nil, time), true), (order("maintenance", "off", gate: "north", time), true),
      (order("outboxRetry", outcome: "done", time), false), (order("outboxHold", "on", time), true),
      (order("outboxHold", "off", time), false),
    ]
    for (number, (order, isHeld)) in steps.enumerated() {
      try await write(journal, order)
      try expectEqual(reader.isOutboxHeld(), isHeld, "\(number)")
      try await expectEqual(journal.orders().holdsOutbox, isHeld, "\(number)")
    }
    await journal.close()
  }

  /// Who acknowledged a conflict is known as long as that is there, and no longer.
  @Test func anAcknowledgementOutlivesItsTimeWithItsConflict() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time) {
      $0.keepScans = .seconds(10 * 86_400)
    }
    let owed = sampleOwed(time: time)
    try await journal.written(
      journal.enqueue(JournalBatch(facts: [.owed(owed), .told(sampleTold(owed, .contradicted, time: time))])))
    let conflicts = try await journal.conflicts()
    expectEqual(conflicts.map(\.owed.attempt), [owed.attempt])
    expectEqual(conflicts.map(\.told.ending), [.contradicted])
    let seen = order("acknowledge", owed.attempt.description, time)
    try await write(journal, seen)
    // Of another journal's conflict, or none.
    try await write(journal, order("acknowledge", AttemptID().description, time))
    for _ in 0..<1_100 { _ = journal.enqueue(JournalBatch(facts: [.order(order("search", nil, time))])) }
    let known = try await journal.orders()
    expect(known.contains(seen), "it is not among the newest, and stands")
    expectEqual(known.count { $0.kind == "acknowledge" }, 1)
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }

  /// A gate that was taken out of service last year is so still, and so is an outbox that is held.
  @Test func whatStandsOutlivesItsTime() async throws {
    let folder = try Folders()
    let time = ManualTime()
    let journal = try openJournal(folder.journal, time: time) { $0.keepScans = .seconds(10 * 86_400) }
    let former = order("maintenance", "off", gate: "north", time)
    let standing = [
      order("maintenance", "on", gate: "north", time), order("maintenance", "on", gate: "south", time),
      order("outboxHold", "on", time),
    ]
    for order in [former, order("openOnce", gate: "north", time)] + standing { try await write(journal, order) }
    func scan(_ code: String) async throws {
      try await journal.written(journal.enqueue(JournalBatch(facts: [.scan(sampleScan(code, time: time))])))
    }
    try await scan("old")
    time.advance(by: day * 20)
    try await scan("new")
    let late = order("openOnce", gate: "south", time)
    try await write(journal, late)
    await journal.tidy()
    try await expectEqual(journal.orders(), standing + [late])
    await journal.close()
    try expectEqual(Journal.verify(folder.journal), [])
  }
}
