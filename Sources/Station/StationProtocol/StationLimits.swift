/// The numbers that both ends of the station's socket keep to.
package enum StationLimits {
  /// The protocol's version; ends of different versions part with words.
  package static let version: UInt16 = 6
  /// Where an installed station listens.
  package static let path = "/run/scangate-station.sock"

  /// The longest packet in bytes.
  package static let maximumPacket = 65_536
  /// The most bytes of a snapshot that one packet has; a longer snapshot comes in several.
  package static let maximumPart = 60_000
  /// The longest snapshot in bytes.
  package static let maximumSnapshot = 4_194_304
  /// How long a listener may take to greet.
  package static let greeting: Duration = .seconds(2)
  /// The most listeners at a time.
  package static let maximumListeners = 256
  /// The most listeners of one user, other than root and the user that the service runs as.
  package static let listenersPerUser = 16
  /// How many places are left for root and the user that the service runs as, whoever else listens.
  package static let ownListeners = 16
  /// By how many events a listener may fall behind; older ones are dropped and counted.
  package static let maximumWaiting = 1_024
  /// The most orders of one listener that are open at a time.
  package static let maximumOpenOrders = 16

  /// How old an order may be that moves something at a gate: who gave it stands there and looks at it.
  package static let orderAge: Duration = .seconds(5)
  /// How long an order's number is known at least, so that one that is repeated is not done again.
  package static let orderMemory: Duration = .seconds(86_400)
  /// The soonest that a gate is opened by hand once more.
  package static let openInterval: Duration = .seconds(1)
  /// How long after an admission it can be annulled.
  package static let annulTime: Duration = .seconds(60)
  /// How often admissions of one gate can be annulled in a minute.
  package static let annulsPerMinute = 5
  /// How many codes can be typed for one gate in a minute.
  package static let presentsPerMinute = 10
  /// How many orders of one sort of a user may be refused in a minute before no more are looked at.
  package static let refusalsPerMinute = 60

  /// How often codes can be searched for in a minute: nobody finds a code by trying.
  package static let searchesPerMinute = 20
  /// How many pictures of cameras are shown in a minute, of all together: enough to aim one by, too few to watch people.
  package static let picturesPerMinute = 20
  /// How long ago a code may have been presented that is found by its last characters.
  package static let searchTime: Duration = .seconds(86_400)

  /// How far a clock may be off, ahead or behind, before somebody should look.
  package static let clockTolerance: Duration = .seconds(120)
  /// How long an admission may wait to be told before somebody should look.
  package static let outboxPatience: Duration = .seconds(3_600)
  /// How long before its end a certificate is to be renewed: 30 days.
  package static let certificateNotice: Duration = .seconds(30 * 86_400)

  /// The longest name in bytes.
  package static let maximumName = 255
  /// The longest words in bytes; longer ones are cut.
  package static let maximumWords = 4_096
  /// The longest reason of an order in bytes; longer ones are cut.
  package static let maximumWhy = 400
  /// The longest code in bytes.
  package static let maximumCode = 16_384
  /// The longest line of an event in bytes. An event that is longer is dropped, and counted.
  package static let maximumLine = 60_000
  /// The most elements of any list in a snapshot.
  package static let maximumList = 4_096
  /// The most conflicts that a snapshot names; the number of those that are open has them all.
  package static let maximumConflicts = 100
  /// The most types of tickets of a ticket system that a snapshot names.
  package static let maximumKinds = 50
  /// The most bytes of a camera's picture: with what is told beside it, it fits into one packet.
  package static let maximumPicture = 48_000
  /// The most codes that are told of a camera's picture.
  package static let maximumSeen = 16
  /// The most corners of each.
  package static let maximumCorners = 8
  /// The most tickets that a search finds.
  package static let maximumFound = 50
}
