internal import TicketSystemKit

extension EventScheduleSection {
  /// `ticketSystems.<name>.mirror`: what the server is told besides.
  package struct Mirror: Sendable, Equatable {
    /// Whether its log of check-ins is told who came and went.
    package var checkIns: Bool

    /// Whether there is a request in a third of the budget; else an error was recorded.
    func fits(_ rate: Rate, _ reader: SectionReader) -> Bool {
      let allowed = rate.limit * rate.share / 100
      guard checkIns, allowed < 3 else { return true }
      reader.findings.error(
        at: reader.position(of: "mirror"), "a third of \(allowed) requests in 60 s, for check-ins, is less than one",
        "raise rate, or leave mirror out")
      return false
    }
  }

  static let noMirror = Mirror(checkIns: false)

  private static let checkIns = SchemaKey.key(
    "checkins", .boolean, default: noMirror.checkIns,
    "Whether each admission and exit is told to the server's log of check-ins, in the background: names for the organiser. It admits nobody."
  )
  private static let mirrorSchema = SectionSchema("ticketSystems.<name>.mirror", checkIns)

  static let mirror = SchemaKey.key(
    "mirror",
    .section(mirrorSchema, example: "{ checkins: true }") { reader in reader.read(checkIns).map { Mirror(checkIns: $0) }
    },
    default: noMirror,
    "What the server is told besides, once people have passed; see [eventschedule.md](eventschedule.md#check-ins-of-the-gates)."
  )
}
