internal import FleetBook
internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import WireText

extension JetStreamLink {
  /// Asks a server; see `PendingCalls`.
  /// - Parameter again: how often it is asked again until it is answered, for who comes to lead meanwhile has not heard it; never of a write.
  nonisolated(nonsending) func ask(
    _ request: NATSRequest, until end: MonotonicTime, isBounded: Bool = true, again: Duration? = nil,
    enough: @escaping PendingCalls.Enough = { !$0.isEmpty }
  ) async -> PendingCalls.Outcome {
    await withCheckedContinuation { (asker: CheckedContinuation<PendingCalls.Outcome, Never>) in
      guard time.now() < end, let session = state.withLock({ $0.session }) else {
        return asker.resume(returning: .unsent)
      }
      guard let number = pending.add(request, until: end, isBounded: isBounded, enough, asker) else { return }
      _ = calls.at(time.now()) { self.send(number, session) }
      if let again { askAgain(number, session, each: again) }
    }
  }

  private func askAgain(_ number: UInt64, _ session: Session, each pause: Duration) {
    _ = timers.at(time.now() + pause) { [weak self] in
      guard let self, self.pending.isOpen(number) else { return }
      _ = self.calls.at(self.time.now()) { self.send(number, session) }
      self.askAgain(number, session, each: pause)
    }
  }

  private func send(_ number: UInt64, _ session: Session) {
    // Over another connection than it was asked for it is not sent: who asked may have been told that it is gone.
    guard state.withLock({ $0.session?.number == session.number }) else { return pending.end(number) }
    guard let request = pending.take(number) else { return }
    switch session.connection.send(request, answerTo: "\(session.inbox).\(number)") {
    case nil: break
    case .unsent: pending.end(number, .unsent)
    case .perhaps: pending.end(number, .lost([]))
    }
  }

  /// Asks the leader for a message of the bucket.
  /// - Parameter wish: which one.
  nonisolated(nonsending) func message(
    _ wish: JSONText, until end: MonotonicTime, isBounded: Bool = true
  ) async -> Result<StoredMessage?, ClaimFault> {
    let request = NATSRequest(subject: "$JS.API.STREAM.MSG.GET.\(settings.stream)", data: wish.bytes)
    return ClaimAnswer.message(await ask(request, until: end, isBounded: isBounded), settings)
  }
}
