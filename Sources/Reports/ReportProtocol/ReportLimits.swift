/// The numbers that both ends of the report unit's socket keep to.
package enum ReportLimits {
  /// The protocol's version; ends of different versions part with words.
  package static let version: UInt16 = 2
  /// Where an installed station makes reports.
  package static let path = "/run/scangate-report.sock"

  /// The longest packet in bytes.
  package static let maximumPacket = 65_536
  /// The most bytes of a file that one packet has.
  package static let maximumPiece = 60_000
  /// The longest file in bytes: what is longer is refused, and a shorter time has to be asked for.
  package static let maximumFile = 33_554_432
  /// The most rows of a page of the journal.
  package static let maximumRows = 200
  /// The most rows of such a page that one packet has.
  package static let rowsOfPacket = 16

  /// How long somebody may take to greet, and to ask.
  package static let greeting: Duration = .seconds(2)
  /// How long somebody may take nothing of what is sent.
  package static let stall: Duration = .seconds(10)
  /// The most connections at a time.
  package static let maximumConnections = 16
  /// The most that wait for their report while another is made; who comes then is told so.
  package static let maximumWaiting = 4
  /// How long a report may take to be made.
  package static let making: Duration = .seconds(300)

  /// The longest name in bytes.
  package static let maximumName = 255
  /// The longest words in bytes; longer ones are cut.
  package static let maximumWords = 1_024
  /// The longest name of an event that is asked for, in bytes.
  package static let maximumEvent = 4_096
}
