/// The numbers that both ends of the holder's socket keep to.
package enum HolderLimits {
  /// The protocol's version; ends of different versions part with words.
  package static let version: UInt16 = 3
  /// The longest packet in bytes.
  package static let maximumPacket = 65_536
  /// How often each end says that it lives.
  package static let heartbeat: Duration = .milliseconds(250)
  /// After how long a silence the other end counts as gone; see `Silence`.
  package static let silence: Duration = .seconds(1)
  /// How old an admission may be when it is carried out; who asked for it stands at the gate and looks at it.
  package static let admissionAge: Duration = .milliseconds(500)
  /// How long after its last sign of life that the gateway's socket took the holder still opens the gate for it. Shorter than
  /// `silence`: the gateway cannot have given up by then.
  package static let presence: Duration = .milliseconds(750)

  /// The most gates of a plan.
  package static let maximumGates = 64
  /// The most outputs, and the most inputs, of a gate.
  package static let maximumOutputs = 64
  /// The longest name in bytes.
  package static let maximumName = 255
  /// The longest words in bytes; longer ones are cut.
  package static let maximumWords = 4_096
}
