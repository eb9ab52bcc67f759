import Expectations
import ScanModel
import Admission
import ScanTesting
import Testing

@Suite struct OutboxOrderTests {
  private var random = SeededGenerator(seed: 1)

  private func mono(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

  private static func owed(ticket: UInt8) -> OwedAdmission {
    let at = JournalTime(wall: WallTime(seconds: 0), monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)
    let scan = Scan(
      gate: GateID("gate"), reader: ReaderID("reader"), code: Code(bytes: [ticket]), readAt: at.monotonic)
    return OwedAdmission(
      attempt: AttemptID(), scan: scan, system: TicketSystemID("s"), server: "s", ticket: TicketKey([ticket]),
      decider: .policy, mayBeTold: false, at: at, boot: BootID("b"))
  }

  private func order(_ tickets: [UInt8]) -> (OutboxOrder, [OwedAdmission]) {
    var order = OutboxOrder()
    let owed = tickets.map { Self.owed(ticket: $0) }
    for owed in owed { order.add(owed) }
    return (order, owed)
  }

  @Test mutating func theOldestFirstAndOneAtATime() {
    var (order, owed) = order([1, 2])
    order.add(owed[0])
    expect(order.count == 2 && order.waiting == owed)
    expectEqual(order.next(at: mono(1)), .send(owed[0]))
    expectEqual(order.next(at: mono(1)), .idle)
    order.finish(owed[1].attempt, .ended, at: mono(2), using: &random)
    expectEqual(order.count, 2)
    order.finish(owed[0].attempt, .ended, at: mono(2), using: &random)
    expectEqual(order.next(at: mono(2)), .send(owed[1]))
    order.finish(owed[1].attempt, .ended, at: mono(3), using: &random)
    expect(order.next(at: mono(3)) == .idle && order.count == 0)
  }

  @Test mutating func aTicketThatWaitsHoldsUpItsOwnAndNobodyElse() {
    var (order, owed) = order([1, 1, 2])
    expectEqual(order.next(at: mono(1)), .send(owed[0]))
    order.finish(owed[0].attempt, .notYet, at: mono(2), using: &random)
    expectEqual(order.next(at: mono(2)), .send(owed[2]))
    order.finish(owed[2].attempt, .ended, at: mono(3), using: &random)
    expectEqual(order.next(at: mono(3)), .wait(until: mono(32)))
    expectEqual(order.next(at: mono(32)), .send(owed[0]))
    order.finish(owed[0].attempt, .ended, at: mono(33), using: &random)
    expectEqual(order.next(at: mono(33)), .send(owed[1]))
  }

  @Test mutating func scansComeFirstButNeverForLong() {
    var (order, owed) = order([1, 2, 3])
    order.liveBegan(at: mono(10))
    expectEqual(order.next(at: mono(10)), .wait(until: mono(15)))
    order.liveEnded()
    expectEqual(order.next(at: mono(10.1)), .wait(until: mono(10.25)))
    order.liveBegan(at: mono(10.2))
    expectEqual(order.next(at: mono(10.3)), .wait(until: mono(15)))
    // They never end, and it gets its turn, once in 5 s.
    expectEqual(order.next(at: mono(15)), .send(owed[0]))
    order.finish(owed[0].attempt, .ended, at: mono(15.1), using: &random)
    expectEqual(order.next(at: mono(15.1)), .wait(until: mono(20.1)))
    order.liveEnded()
    expectEqual(order.next(at: mono(15.2)), .send(owed[1]))
  }

  @Test mutating func whatFailsIsBackedOffForTheWholeServer() {
    var (order, owed) = order([1, 2])
    var time = mono(0)
    for longest in [1.0, 2, 4, 8, 16, 32, 60, 60] {
      expectEqual(order.next(at: time), .send(owed[0]))
      order.finish(owed[0].attempt, .again(retryAfter: nil), at: time, using: &random)
      guard case .wait(let until) = order.next(at: time) else { return expect(false, "no wait") }
      let wait = Double((until - time).saturatedNanoseconds) / 1e9
      expect(wait >= longest / 2 && wait <= longest, "\(wait), \(longest)")
      time = until
    }
    expectEqual(order.next(at: time), .send(owed[0]))
    order.finish(owed[0].attempt, .again(retryAfter: .seconds(3_600)), at: time, using: &random)
    expectEqual(order.next(at: time), .wait(until: time + .seconds(900)))
    order.retry()
    expectEqual(order.next(at: time), .send(owed[0]))
    order.finish(owed[0].attempt, .doubtful(retryAfter: nil), at: time, using: &random)
    // The server is left alone for a second, and the ticket until no answer can come any more.
    expectEqual(order.next(at: time + .seconds(1)), .send(owed[1]))
    order.finish(owed[1].attempt, .ended, at: time + .seconds(1), using: &random)
    expectEqual(order.next(at: time + .seconds(2)), .wait(until: time + .seconds(30)))
  }

  @Test mutating func whatIsNeverKnownEndsAsUnsettled() {
    var (order, owed) = order([1])
    var time = 0.0
    for wait in [30.0, 60, 120, 240, 480] {
      expectEqual(order.next(at: mono(time)), .send(owed[0]))
      // Being decided by a scan is no try, nor is an answer that may still come.
      order.finish(owed[0].attempt, .locked, at: mono(time), using: &random)
      expectEqual(order.next(at: mono(time)), .wait(until: mono(time + 1)))
      expectEqual(order.next(at: mono(time + 1)), .send(owed[0]))
      order.finish(owed[0].attempt, .notYet, at: mono(time + 1), using: &random)
      expectEqual(order.next(at: mono(time + 1)), .wait(until: mono(time + 31)))
      expectEqual(order.next(at: mono(time + 31)), .send(owed[0]))
      expect(order.finish(owed[0].attempt, .unknown, at: mono(time + 31), using: &random) == nil)
      time += wait + 31
      expectEqual(order.next(at: mono(time - 0.1)), .wait(until: mono(time)))
    }
    expectEqual(order.next(at: mono(time)), .send(owed[0]))
    expectEqual(order.finish(owed[0].attempt, .unknown, at: mono(time), using: &random), .unknown)
    expectEqual(order.count, 0)
  }

  /// The next that is sent, and when.
  private func next(of order: inout OutboxOrder, at time: inout MonotonicTime) throws -> OwedAdmission {
    while true {
      switch order.next(at: time) {
      case .send(let owed): return owed
      case .wait(let until):
        try #require(until > time)
        time = until
      case .idle: throw CancellationError()
      }
    }
  }

  /// A page of a firewall, a wrong address, a server that is being updated: hours of it.
  @Test mutating func whatSaysNothingOfAnyTicketIsTheServersAndEndsNone() throws {
    var (order, _) = order([1, 2, 3])
    var time = mono(0)
    var asked: [AttemptID: Int] = [:]
    for turn in 0..<300 {
      let before = time
      let owed = try next(of: &order, at: &time)
      expect(time - before <= .seconds(60))
      asked[owed.attempt, default: 0] += 1
      let result: OutboxOrder.Result = turn % 4 == 1 ? .doubtful(retryAfter: nil) : .unheard(retryAfter: nil)
      expect(order.finish(owed.attempt, result, at: time, using: &random) == nil)
    }
    expect(asked.count == 3 && asked.values.allSatisfy { $0 >= 60 }, "\(asked.values)")
    for _ in 0..<3 {
      let owed = try next(of: &order, at: &time)
      order.finish(owed.attempt, .ended, at: time, using: &random)
    }
    expectEqual(order.count, 0)
  }

  /// Something in its telling that a firewall dislikes, say: all others are answered.
  @Test(arguments: [OutboxOrder.Result.unheard(retryAfter: nil), .doubtful(retryAfter: nil)])
  func aTicketThatAloneIsNotAnsweredHoldsUpNoOtherAndIsGivenUpAtTheSixth(result: OutboxOrder.Result) throws {
    var random = SeededGenerator(seed: 2)
    var (order, owed) = order([1])
    let poisoned = owed[0]
    var time = mono(0)
    // While there is no other, that it is not answered may be the server's fault.
    for _ in 0..<50 {
      try expectEqual(next(of: &order, at: &time), poisoned)
      expect(order.finish(poisoned.attempt, result, at: time, using: &random) == nil)
    }
    for number in 1...6 {
      let (other, before) = (Self.owed(ticket: 2), time)
      order.add(other)
      try expectEqual(next(of: &order, at: &time), other)
      expect(number == 1 || time - before <= .seconds(1), "it waits for another's ticket: \(time - before)")
      order.finish(other.attempt, .ended, at: time, using: &random)
      try expectEqual(next(of: &order, at: &time), poisoned)
      let givenUp = order.finish(poisoned.attempt, result, at: time, using: &random)
      expectEqual(givenUp, number == 6 ? .unheard : nil)
    }
    expectEqual(order.count, 0)
  }

  @Test mutating func theServersOwnWaitIsObeyed() throws {
    for result: OutboxOrder.Result in [
      .again(retryAfter: .seconds(400)), .unheard(retryAfter: .seconds(400)), .doubtful(retryAfter: .seconds(400)),
    ] {
      var (order, owed) = order([1, 2])
      var time = mono(0)
      try expectEqual(next(of: &order, at: &time), owed[0])
      order.finish(owed[0].attempt, result, at: time, using: &random)
      expectEqual(order.next(at: time), .wait(until: mono(400)))
    }
  }

  @Test mutating func heldSendsNothing() {
    var (order, owed) = order([1])
    order.isHeld = true
    expect(order.next(at: mono(1)) == .idle && order.count == 1)
    order.isHeld = false
    expectEqual(order.next(at: mono(1)), .send(owed[0]))
  }

  @Test mutating func whatEndedOtherwiseIsForgottenEvenUnderWay() {
    var (order, owed) = order([1, 1])
    expectEqual(order.next(at: mono(1)), .send(owed[0]))
    order.remove(owed[0].attempt)
    expectEqual(order.next(at: mono(1)), .idle)
    expect(order.finish(owed[0].attempt, .unknown, at: mono(2), using: &random) == nil)
    expectEqual(order.next(at: mono(2)), .send(owed[1]))
    order.remove(owed[1].attempt)
    expect(order.finish(owed[1].attempt, .unheard(retryAfter: nil), at: mono(3), using: &random) == nil)
    expectEqual(order.count, 0)
  }

  @Test mutating func anotherDayIsTooLateExceptByHand() {
    var (order, owed) = order([1, 2, 3, 4])
    let byHand = Self.owed(ticket: 5)
    order.add(byHand, isByHand: true)
    expectEqual(order.next(at: mono(1)), .send(owed[0]))
    // Nobody knows the day of the second; the third is of today.
    let days: [AttemptID: Int] = [
      owed[0].attempt: 7, owed[2].attempt: 8, owed[3].attempt: 7, byHand.attempt: 3,
    ]
    expect(order.overdue(today: nil) { days[$0.attempt] }.isEmpty)
    expectEqual(order.overdue(today: 8) { days[$0.attempt] }, [owed[3]])
    order.finish(owed[0].attempt, .again(retryAfter: nil), at: mono(2), using: &random)
    expectEqual(order.overdue(today: 8) { days[$0.attempt] }, [owed[0]])
    expectEqual(order.waiting, [owed[1], owed[2], byHand])
  }

  @Test(arguments: [1, 70_001] as [UInt64])
  func eachTicketInItsOrderNothingIsLostAndEverythingEnds(base: UInt64) {
    for seed in base..<base + 400 {
      var random = SeededGenerator(seed: seed)
      var order = OutboxOrder()
      let all = (0..<20).map { _ in Self.owed(ticket: UInt8.random(in: 1...5, using: &random)) }
      var toAdd = all[...]
      var added: [OwedAdmission] = []
      var ended: Set<AttemptID> = []
      var underWay: OwedAdmission?
      var live = 0
      var failures = 60
      var answered = 0
      // When nothing was heard of each last, and how often between answers of others.
      var unheardAt: [AttemptID: Int] = [:]
      var passedOver: [AttemptID: Int] = [:]
      var today = 1
      var time = 0.0
      func end(_ owed: OwedAdmission) {
        expect(ended.insert(owed.attempt).inserted, "seed \(seed): ended twice")
      }
      var steps = 0
      while ended.count < all.count {
        steps += 1
        guard steps < 5_000 else { return expect(false, "seed \(seed): does not end: \(ended.count)") }
        time += Double(Int.random(in: 0...(underWay == nil ? 30_000 : 500), using: &random)) / 1_000
        if random.chance(20), let owed = toAdd.popFirst() {
          order.add(owed)
          added.append(owed)
        }
        if random.chance(30) {
          order.liveBegan(at: mono(time))
          live += 1
        } else if live > 0 {
          order.liveEnded()
          live -= 1
        }
        if random.chance(2) { order.isHeld.toggle() }
        if random.chance(1) {
          order.retry()
          (unheardAt, passedOver) = ([:], [:])
        }
        if random.chance(1) { today += 1 }
        if random.chance(5) {
          for late in order.overdue(today: random.chance(80) ? today : nil, day: { _ in 1 }) { end(late) }
        }
        if random.chance(2), let owed = order.waiting.randomElement(using: &random) {
          order.remove(owed.attempt)
          end(owed)
        }
        if let owed = underWay {
          expectEqual(order.next(at: mono(time)), .idle, "seed \(seed): two at once")
          guard random.chance(60) else { continue }
          underWay = nil
          failures -= 1
          var result: OutboxOrder.Result = random.chance(90) ? .ended : .endedUnasked
          if failures > 0, random.chance(60) {
            let others: [OutboxOrder.Result] = [
              .again(retryAfter: nil), .unheard(retryAfter: nil), .doubtful(retryAfter: nil), .locked, .notYet,
              .unknown,
            ]
            result = others.randomElement(using: &random) ?? .locked
          }
          let isGone = ended.contains(owed.attempt)
          let givenUp = order.finish(owed.attempt, result, at: mono(time), using: &random)
          switch result {
          case .ended: answered += 1
          case .unheard, .doubtful:
            if let before = unheardAt[owed.attempt], before != answered { passedOver[owed.attempt, default: 0] += 1 }
            unheardAt[owed.attempt] = answered
            expectEqual(
              givenUp == .unheard, !isGone && passedOver[owed.attempt] == OutboxOrder.mostTries, "seed \(seed)")
          case .endedUnasked, .again, .locked, .notYet, .unknown: expect(givenUp != .unheard, "seed \(seed)")
          }
          if givenUp != nil || !isGone && (result == .ended || result == .endedUnasked) { end(owed) }
          continue
        }
        switch order.next(at: mono(time)) {
        case .send(let owed):
          expect(!order.isHeld && !ended.contains(owed.attempt), "seed \(seed)")
          let first = added.first { $0.ticket == owed.ticket && !ended.contains($0.attempt) }
          expectEqual(first, owed, "seed \(seed): out of order")
          underWay = owed
        case .wait(let until):
          expect(until > mono(time), "seed \(seed): waits for the past")
        case .idle:
          expect(order.isHeld || order.count == 0, "seed \(seed): idle")
        }
        expectEqual(added.count - ended.count, order.count, "seed \(seed): lost")
      }
      expectEqual(order.count, 0)
    }
  }
}
