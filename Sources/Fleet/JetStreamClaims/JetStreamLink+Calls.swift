internal import LinuxIO
internal import ScanModel
internal import Synchronization

extension JetStreamLink {
  /// Asks a server; see `PendingCalls`.
  nonisolated(nonsending) func ask(
    _ request: NATSRequest, until end: MonotonicTime, isBounded: Bool = true,
    enough: @escaping PendingCalls.Enough = { !$0.isEmpty }
  ) async -> PendingCalls.Outcome {
    await withCheckedContinuation { (asker: CheckedContinuation<PendingCalls.Outcome, Never>) in
      guard time.now() < end, let session = state.withLock({ $0.session }) else {
        return asker.resume(returning: .unsent)
      }
      guard let number = pending.add(request, until: end, isBounded: isBounded, enough, asker) else { return }
      _ = calls.at(time.now()) { self.send(number, session) }
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

  // MARK: Listening

  /// A place that messages are taken at, for as long as a connection holds.
  struct Ear: Sendable {
    /// Where to have them sent.
    let inbox: String
    fileprivate let session: UInt64
    fileprivate let number: UInt
    fileprivate let ending: UInt64
  }

  /// Takes what is sent to a place of its own; `nil` while there is no connection.
  /// - Parameters:
  ///   - hear: takes a message, on a thread that may not be kept.
  ///   - broken: the connection is over, and nothing more comes.
  func listen(
    hearing hear: @escaping @Sendable (NATSMessage) -> Void, broken: @escaping @Sendable () -> Void
  ) async -> Ear? {
    guard let session = state.withLock({ $0.session }) else { return nil }
    let inbox = "_INBOX.\(Inbox.name())"
    let listening = await onCalls {
      session.connection.listen(to: inbox) { news in if case .message(let message) = news { hear(message) } }
    }
    guard let listening else { return nil }
    let ending = state.withLock { state -> UInt64? in
      guard state.session?.number == session.number else { return nil }
      state.nextFollower += 1
      state.breaks[state.nextFollower] = broken
      return state.nextFollower
    }
    return ending.map { Ear(inbox: inbox, session: session.number, number: listening, ending: $0) }
  }

  /// Takes nothing more there.
  func end(_ ear: Ear) {
    let session = state.withLock { state in
      state.breaks[ear.ending] = nil
      return state.session?.number == ear.session ? state.session : nil
    }
    // With the connection it ends by itself.
    guard let session else { return }
    _ = calls.at(time.now()) {
      guard self.state.withLock({ $0.session?.number == session.number }) else { return }
      session.connection.end(listening: ear.number)
    }
  }

  /// Sends something that is answered somewhere else.
  func send(_ request: NATSRequest, answerTo ear: Ear) {
    _ = calls.at(time.now()) {
      guard let session = self.state.withLock({ $0.session }), session.number == ear.session else { return }
      _ = session.connection.send(request, answerTo: ear.inbox)
    }
  }
}
