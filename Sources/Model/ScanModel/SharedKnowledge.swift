/// What a ticket system has told besides its tickets and a station that cannot ask it can use, such as which events are on. It goes over the
/// fleet in bytes that the system's own folder makes and reads; it opens no gate by itself, and nothing secret or personal is in it.
package struct SharedKnowledge: Sendable {
  /// What the ticket system has told.
  package struct Told: Sendable {
    /// When; tells it from what was told before.
    package var at: MonotonicTime
    /// How old it is.
    package var age: Duration
    /// What is given of it; at most `SharedKnowledge.mostBytes`.
    package var bytes: @Sendable () -> [UInt8]

    package init(at: MonotonicTime, age: Duration, bytes: @escaping @Sendable () -> [UInt8]) {
      self.at = at
      self.age = age
      self.bytes = bytes
    }
  }

  /// Why something is not taken.
  package enum Fault: Error, Equatable, Sendable {
    /// A later version of the program has made it.
    case laterVersion
    /// It cannot be read; what it is instead.
    case unreadable(String)
  }

  /// The most that is given: eight pieces at the fleet's servers.
  package static let mostBytes = 262_144

  /// What it is, for people: `list of events`.
  package let what: String
  /// What the ticket system itself has told since a moment; `nil` where that is nothing, and never what came from another station. Whoever
  /// asks wants it: it is fetched from then on.
  package let give: @Sendable (_ since: MonotonicTime?) -> Told?
  /// Why the ticket system has told nothing that could be given; `nil` where it has, or was not asked yet.
  package let problem: @Sendable () -> String?
  /// Whether something of such an age is of use here.
  package let wants: @Sendable (_ age: Duration) -> Bool
  /// Takes what a station has given, whole or not at all.
  /// - Parameter now: civil time: this station's own clock where that is kept right, else the fleet's servers'.
  /// - Returns: why it is not taken.
  package let take: @Sendable (_ bytes: [UInt8], _ age: Duration, _ now: WallTime) async -> Fault?

  package init(
    what: String, give: @escaping @Sendable (_ since: MonotonicTime?) -> Told?,
    problem: @escaping @Sendable () -> String? = { nil },
    wants: @escaping @Sendable (_ age: Duration) -> Bool,
    take: @escaping @Sendable (_ bytes: [UInt8], _ age: Duration, _ now: WallTime) async -> Fault?
  ) {
    self.what = what
    self.give = give
    self.problem = problem
    self.wants = wants
    self.take = take
  }
}
