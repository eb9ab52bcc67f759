import HolderProtocol
import LinuxIO
import ScanModel
import SignalOutputs
import WireCoding

/// The holder's end of the socket: whom it listens to, what it understands, and when it stops.
extension OutputHolder {
  func accept() {
    while let socket = listener.accept() {
      let peer = socket.peer
      // One that has just died is not in anybody's way.
      read()
      if let connection {
        let words =
          "another gateway (\(Self.name(connection.peer))) commands the outputs. "
          + "Stop it first: `systemctl stop scangate`"
        log(.warning, "A connection of \(Self.name(peer)) was refused: \(words)")
        _ = socket.send(HolderMessage.refused(words).bytes)
        continue
      }
      connectionCount += 1
      let watch = loop.watch(socket.number, for: .readable) { _ in self.assumeIsolated { $0.read() } }
      let silence = Silence(since: time.now())
      connection = Connection(
        number: connectionCount, socket: socket, peer: peer, watch: watch, silence: silence, visit: silence)
    }
  }

  static func name(_ peer: PacketSocket.Peer?) -> String {
    peer.map { "process \($0.process) of user \($0.user)" } ?? "an unknown process"
  }

  /// Takes what has come, a bounded number of packets: the rest makes the socket readable again.
  func read() {
    for _ in 0..<64 {
      guard let current = connection else { return }
      switch current.socket.receive(limit: HolderLimits.maximumPacket) {
      case .packet(let bytes):
        connection?.silence.broken(at: time.now())
        do throws(WireError) {
          take(try GatewayMessage(bytes: bytes))
        } catch {
          refuse("A message of \(Self.name(current.peer)) was not understood: \(error.description).")
        }
      case .tooLong(let count):
        refuse("A message of \(Self.name(current.peer)) has \(count) bytes, more than \(HolderLimits.maximumPacket).")
      case .nothing: return
      case .end:
        // Who has not even greeted only looked whether somebody listens.
        return end(current.isGreeted ? "The gateway (\(Self.name(current.peer))) is gone." : nil)
      }
    }
  }

  private func take(_ message: GatewayMessage) {
    guard let current = connection else { return }
    switch message {
    case .hello(let version, let heartbeat):
      guard version == HolderLimits.version else {
        return refuse(
          "the gateway speaks version \(version) of the holder's protocol, the holder version "
            + "\(HolderLimits.version). Install both from one release, and start both anew.")
      }
      guard heartbeat * 2 <= HolderLimits.silence else {
        return refuse("a sign of life every \(heartbeat.milliseconds) ms is too seldom.")
      }
      connection?.isGreeted = true
    case .beat: break
    case .bye: end("The gateway (\(Self.name(current.peer))) said goodbye.")
    case .plan(let new) where current.isGreeted: take(new)
    case .play(let id, let signal) where current.isCommanding:
      gates[id]?.outputs.perform { $0.play(signal) }
    case .admit(let id, let number, let sentAt, let isProvisional) where current.isCommanding:
      admit(id, number, sentAt, isProvisional: isProvisional, of: current.number)
    case .plan, .play, .admit: refuse("A message of \(Self.name(current.peer)) came before its time.")
    }
  }

  private func take(_ new: OutputPlan) {
    if let problem = new.problem { return refuse("the plan cannot be carried out: \(problem).") }
    plan = new
    save(new)
    connection?.isCommanding = true
    send(.welcome(version: HolderLimits.version))
    tellWhatIs()
    let kept = gates.values.filter { gate in !stopping.contains(gate.part.id) && new.gates.contains(gate.part) }
    reconcile()
    for gate in kept { tellCommand(gate) }
    guard connection != nil else { return }
    log(.notice, "The outputs are commanded by \(Self.name(connection?.peer)): \(new.gates.count) gates.")
  }

  /// Tells what a gateway missed that came later.
  private func tellWhatIs() {
    for (gate, devices) in faults { for (device, words) in devices { send(.fault(gate, device, words)) } }
    for (gate, inputs) in levels {
      for (input, level) in inputs { send(.input(gate, input, isActive: level.isActive, at: level.at)) }
    }
  }

  private func admit(
    _ id: GateID, _ number: UInt64, _ sentAt: MonotonicTime, isProvisional: Bool, of asker: UInt64
  ) {
    let answer: @Sendable (PulseOutcome) -> Void = { outcome in
      self.perform { holder in
        if holder.connection?.number == asker { holder.send(.admitted(number, outcome)) }
      }
    }
    guard let gate = gates[id], !stopping.contains(id) else {
      return answer(.failed("gate \(id): its outputs are being set up. Present again."))
    }
    gate.outputs.perform { [presence, time] outputs in
      // Judged where the relay is driven, and as late as can be: this process may have been stopped since it was sent.
      let now = time.now()
      guard sentAt <= now, now - sentAt <= HolderLimits.admissionAge, presence.isSure(at: now) else {
        return answer(
          .failed("gate \(id): the admission reached the relay too late; nothing was opened. Present again."))
      }
      outputs.admit(isProvisional: isProvisional, answer)
    }
  }

  /// Sends to the gateway that commands; one that does not take it is gone or stuck, which is the same.
  func send(_ message: HolderMessage) {
    guard let current = connection, current.isCommanding || message == .beat else { return }
    // Before the sending: this process may be stopped right after it.
    let now = time.now()
    if current.socket.send(message.bytes) {
      presence.renew(at: now)
    } else {
      // What it said before it went comes first: perhaps goodbye.
      read()
      guard connection?.number == current.number else { return }
      end("The gateway (\(Self.name(current.peer))) does not read what it is told.")
    }
  }

  /// Ends the connection and says why, if it can still hear it.
  func refuse(_ words: String) {
    _ = connection?.socket.send(HolderMessage.refused(words).bytes)
    end(words)
  }

  /// Ends the connection; the gates are uncommanded. Without words nothing is logged.
  func end(_ words: String?) {
    guard let current = connection else { return }
    loop.unwatch(current.watch)
    connection = nil
    presence.end()
    if let words { log(.warning, "\(words) The outputs are uncommanded: pulses end, then the safe state is held.") }
    for gate in gates.values { gate.outputs.perform { $0.uncommand() } }
    tellStatus()
  }
}
