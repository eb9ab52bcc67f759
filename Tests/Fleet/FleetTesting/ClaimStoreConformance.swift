package import FleetBook
package import ScanModel

/// What every store of claims must do, wherever it keeps them.
package struct ClaimStoreConformance: Sendable {
  /// A store that works; it may hold anything.
  package var store: any ClaimStore
  /// The clock of calls' ends.
  package var time: any TimeSource
  /// Puts a delete mark on a key, as nobody of a fleet does; `nil` where that cannot be had.
  package var delete: (@Sendable (ClaimKey) async -> Void)?
  /// Makes the store full, or takes that back; `nil` where that cannot be had.
  package var fill: (@Sendable (Bool) async -> Void)?

  /// Makes the suite for one store.
  package init(
    store: any ClaimStore, time: any TimeSource = SystemTime(), delete: (@Sendable (ClaimKey) async -> Void)? = nil,
    fill: (@Sendable (Bool) async -> Void)? = nil
  ) {
    self.store = store
    self.time = time
    self.delete = delete
    self.fill = fill
  }

  /// Runs the suite.
  /// - Returns: what is broken, in words; empty where the store conforms.
  package func failures() async -> [String] {
    var failures: [String] = []
    do throws(ClaimFault) {
      failures += try await revisions()
      failures += try await race()
      failures += try await watching()
      failures += try await edges()
    } catch { failures.append("a call that should be answered failed: \(error)") }
    return failures
  }

  private var end: MonotonicTime { time.now() + .seconds(10) }

  /// A key that nobody has written.
  private func fresh() -> ClaimKey {
    // 16 bytes are a digest's length.
    ClaimKey(.ticket, digest: ScanID().bytes) ?? fresh()
  }

  private func fault(_ call: () async throws(ClaimFault) -> ClaimRevision) async -> ClaimFault? {
    do throws(ClaimFault) {
      _ = try await call()
      return nil
    } catch { return error }
  }

  private func revisions() async throws(ClaimFault) -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }
    let (one, other) = (fresh(), fresh())
    check(try await store.read(one, until: end) == nil, "a key that was never written has something")
    check(
      await fault { () async throws(ClaimFault) in
        try await store.update(one, [1], at: ClaimRevision(1), until: end)
      } == .wrongRevision, "a key that was never written is updated")
    let first = try await store.create(one, [1], until: end)
    let found = try await store.read(one, until: end)
    check(
      found?.key == one && found?.value == [1] && found?.revision == first && found?.replaced == ClaimRevision.none,
      "what was created is not read, or its revision is another one")
    check(
      await fault { () async throws(ClaimFault) in try await store.create(one, [2], until: end) } == .wrongRevision,
      "a key is created twice")
    let between = try await store.create(other, [], until: end)
    check(first < between, "a later write of another key has no greater revision")
    let second = try await store.update(one, [3], at: first, until: end)
    check(between < second, "a later write has no greater revision")
    check(
      await fault { () async throws(ClaimFault) in
        try await store.update(one, [4], at: first, until: end)
      } == .wrongRevision, "a key is updated at a revision that it has no more")
    check(
      await fault { () async throws(ClaimFault) in
        try await store.update(one, [4], at: between, until: end)
      } == .wrongRevision, "a key is updated at the revision of another one")
    let last = try await store.read(one, until: end)
    check(
      last?.value == [3] && last?.revision == second && last?.replaced == first,
      "what was updated is not read, or what it replaced is not told")
    check(try await store.read(other, until: end)?.value == [], "an empty value is not kept")
    if let before = found?.time, let after = last?.time { check(before <= after, "the leader's clock went back") }
    let long = (0..<16_384).map { UInt8(truncatingIfNeeded: $0) }
    let third = try await store.update(one, long, at: second, until: end)
    let whole = try await store.read(one, until: end)
    check(whole?.value == long && whole?.revision == third, "a value of 16 KiB is not kept")
    let late = fresh()
    let tooLate = await fault { () async throws(ClaimFault) in try await store.create(late, [1], until: time.now()) }
    check(
      [nil, .noQuorum, .lostAnswer].contains(tooLate),
      "of a write whose time is over it is said: \(String(describing: tooLate))")
    return failures
  }

  /// Of those who write on one condition at once, one does.
  private func race() async throws(ClaimFault) -> [String] {
    var failures: [String] = []
    for round in 0..<20 {
      let key = fresh()
      var revision = ClaimRevision.none
      for step in 0..<2 {
        let base = revision
        let outcomes = await withTaskGroup(of: Result<ClaimRevision, ClaimFault>.self) { group in
          for writer in 0..<8 as Range<UInt8> {
            group.addTask {
              do throws(ClaimFault) {
                return .success(
                  step == 0
                    ? try await store.create(key, [writer], until: end)
                    : try await store.update(key, [writer], at: base, until: end))
              } catch { return .failure(error) }
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        let won = outcomes.compactMap { try? $0.get() }
        guard won.count == 1, let winner = won.first else {
          return failures + ["\(won.count) of 8 writes at one revision were made, in round \(round)"]
        }
        revision = winner
      }
      if try await store.read(key, until: end)?.revision != revision { failures.append("who won is not read") }
    }
    return failures
  }

  private func watching() async throws(ClaimFault) -> [String] {
    let (one, other) = (fresh(), fresh())
    let start = try await store.create(one, [1], until: end)
    let second = try await store.create(other, [2], until: end)
    var failures: [String] = []
    var watch = store.watch(after: start).makeAsyncIterator()
    var seen: [ClaimRevision] = []
    while let change = await watch.next(), change != .caughtUp {
      if case .stored(let claim) = change { seen.append(claim.revision) }
    }
    if seen != [second] { failures.append("a watch does not begin with what was written after its revision") }
    let third = try await store.update(one, [3], at: start, until: end)
    let change = await watch.next()
    guard case .stored(let claim)? = change, claim.key == one, claim.value == [3], claim.revision == third,
      claim.replaced == start
    else { return failures + ["a watch does not tell of a write: \(String(describing: change))"] }
    var states = store.states.makeAsyncIterator()
    if await states.next() != .ready { failures.append("a store that works does not say so") }
    return failures
  }

  private func edges() async throws(ClaimFault) -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }
    if let delete {
      let key = fresh()
      let revision = try await store.create(key, [1], until: end)
      await delete(key)
      check(
        await fault { () async throws(ClaimFault) in try await store.create(key, [2], until: end) } == .wrongRevision,
        "a key with a delete mark is created anew")
      check(
        await fault { () async throws(ClaimFault) in
          try await store.update(key, [2], at: revision, until: end)
        } == .wrongRevision, "a key with a delete mark is updated at its former revision")
      var told: ClaimFault?
      do throws(ClaimFault) { _ = try await store.read(key, until: end) } catch { told = error }
      check(told == .deleted, "a key with a delete mark is read as if it had none")
    }
    if let fill {
      await fill(true)
      let key = fresh()
      check(
        await fault { () async throws(ClaimFault) in try await store.create(key, [1], until: end) } == .full,
        "a full store takes a write, or does not say that it is full")
      await fill(false)
      _ = try await store.create(key, [1], until: end)
    }
    return failures
  }
}
