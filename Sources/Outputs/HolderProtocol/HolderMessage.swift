package import ScanModel

/// What the gateway tells the holder; one message a packet.
package enum GatewayMessage: Hashable, Sendable {
  /// The first one: the protocol's version, and how often the gateway gives a sign of life.
  case hello(version: UInt16, heartbeat: Duration)
  /// What to hold, instead of what was held before.
  case plan(OutputPlan)
  /// Lamps and sound.
  case play(GateID, Signal)
  /// Open the gate for one person; the answer bears the same number. See `SignalOutput.admit`.
  case admit(GateID, id: UInt64, sentAt: MonotonicTime, isProvisional: Bool)
  /// A sign of life.
  case beat
  /// The gateway ends; what it commanded is uncommanded at once.
  case bye
}

/// What the holder tells the gateway; one message a packet.
package enum HolderMessage: Hashable, Sendable {
  /// The plan is taken; the gates are commanded.
  case welcome(version: UInt16)
  /// The connection ends, and why.
  case refused(String)
  /// What became of an admission; `unanswered` where its line was written with an error that leaves it open.
  case admitted(UInt64, PulseOutcome)
  /// Why no admission could open the gate now; see `SignalOutput.admissionFault`. Told once after the welcome, and when it
  /// changes.
  case gateState(GateID, admissionFault: String?)
  /// A device fails: `output relay` or `input door`, and what happened.
  case fault(GateID, String, String)
  /// A device that failed works again.
  case recovered(GateID, String)
  /// Words for the operator.
  case notice(String)
  /// An input's level, and since when.
  case input(GateID, InputName, isActive: Bool, at: MonotonicTime)
  /// A sign of life.
  case beat
}
