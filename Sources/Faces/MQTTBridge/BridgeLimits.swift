/// The numbers that the bridge keeps to, whatever a broker or a command says.
package enum BridgeLimits {
  /// How old a command may be, by the time that it carries and this machine's clock; so far it may be ahead, too.
  package static let commandAge: Duration = .seconds(5)
  /// The longest payload that is looked at, in bytes.
  package static let maximumPayload = 4_096
  /// The longest number of a command, in characters.
  package static let maximumNumber = 64
  /// How many commands are known by their number. No more can come in the time for which they are valid.
  package static let rememberedCommands = 256
  /// How many commands may come at once, and how long it takes until one more may.
  package static let commandBurst = 20
  package static let commandInterval: Duration = .seconds(2)
  /// How many commands may be under way.
  package static let openCommands = 4
  /// How long the station may take for one.
  package static let orderLimit: Duration = .seconds(5)

  /// How many lines of refused messages may be told at once, and how long it takes until one more may.
  package static let wordBurst = 10
  package static let wordInterval: Duration = .seconds(6)

  /// How long a broker may take for connection, TLS and greeting.
  package static let greeting: Duration = .seconds(10)
  /// How often the broker hears of us at least; it tells that we are gone one and a half times as long after we fell silent.
  package static let keepAlive: Duration = .seconds(15)
  /// The first and the longest time between two attempts to connect.
  package static let firstRetry: Duration = .seconds(1)
  package static let lastRetry: Duration = .seconds(60)
  /// A connection that held so long was a good one: the next attempt comes soon again.
  package static let steady: Duration = .seconds(60)

  /// How many bytes of a broker are taken at once, and how many more each second.
  package static let intakeBurst = 262_144
  package static let intakeRate = 16_384
  /// The longest packet of a broker, in bytes: what is longer ends the connection before it is in memory.
  package static let maximumPacket = 131_072
  /// How long a packet may take once it has begun.
  package static let packetTime: Duration = .seconds(45)
  /// How many bytes may wait for a broker that does not read before nothing more is told to it.
  package static let maximumWaiting = 65_536
  /// How many verdicts may wait for a broker; of more the oldest are dropped, and counted.
  package static let waitingVerdicts = 64

  /// How often the station is asked how it is, where nothing happens, and where something did.
  package static let restInterval: Duration = .seconds(5)
  package static let busyInterval: Duration = .seconds(1)
  /// The most gates, readers and ticket systems that are told of, each.
  package static let maximumParts = 256
}
