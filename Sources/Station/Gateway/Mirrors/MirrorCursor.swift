internal import FoundationEssentials
package import ScanModel
internal import LinuxIO

/// How far a log was told of passages, in the form that outlives process and power. Pure.
///
/// ```
/// place ──ask: durable──▶ asked ─┬─ request, answered or not ──▶ settled: place is behind it
///   ▲                            ├─ nothing has left ──▶ takenBack: as before
///   │                            └─ the process ends ──▶ takenUp by the next one: lost
///   └──────── passed: not to be told of ─────────────────────────────────────────────────┘
/// ```
/// A request leaves once `asked` is durable, and never before. So whatever ends, none is sent twice.
package struct MirrorCursor: Sendable, Equatable, Codable {
  /// Up to here everything is settled.
  package private(set) var place: JournalPlace
  /// The fact that may be under way.
  package private(set) var asked: Int64?
  /// What became of all.
  package private(set) var counts: MirrorCounts

  /// Begins at a place: what was before is not told of.
  package init(at place: JournalPlace, counts: MirrorCounts = MirrorCounts()) {
    self.place = place
    self.counts = counts
  }

  /// One is about to be told of.
  package mutating func ask(_ fact: Int64) { asked = fact }

  /// Nothing of it has left.
  package mutating func takeBack() { asked = nil }

  /// It was sent, or might have been, or need not be.
  package mutating func settle(_ count: WritableKeyPath<MirrorCounts, Int64>) {
    guard let fact = asked else { return }
    asked = nil
    pass(fact, count)
  }

  /// One is not to be told of.
  package mutating func pass(_ fact: Int64, _ count: WritableKeyPath<MirrorCounts, Int64>) {
    guard fact > place.fact else { return }
    place.fact = fact
    counts[keyPath: count] &+= 1
  }

  /// There is nothing to be told of up to here.
  package mutating func look(upTo end: JournalPlace) {
    guard asked == nil, end.journal == place.journal else { return }
    place.fact = max(place.fact, end.fact)
  }

  /// Another process takes it up: what was under way may have come.
  package mutating func takeUp() { settle(\.lost) }

  /// The same in bytes.
  package var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }

  /// `nil` for what is no cursor.
  package init?(bytes: [UInt8]) {
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = read
  }
}

/// Where the cursors of a station lie: with what its ledgers remember, under the server, so that another server under the same name
/// has another one.
struct MirrorStore: Sendable {
  /// How long the disk may take to hold a cursor: nobody at a gate waits for it.
  private static let longestWait = Duration.seconds(10)

  let dependencies: LedgerDependencies
  let server: String
  let system: TicketSystemID
  var fence = MirrorFence()

  /// No entry of a ticket system has such a name.
  private static func key(_ server: String, _ system: TicketSystemID) -> LedgerKey {
    LedgerKey(server: server, kind: .entry, bytes: [0] + Array("mirror \(system)".utf8))
  }

  private var now: MonotonicTime { dependencies.clock.now().monotonic }

  /// What an earlier process, or station, has left.
  func recall() async throws(JournalFault) -> MirrorCursor? {
    let key = Self.key(server, system)
    return try await dependencies.book.recall([key], until: now + Self.longestWait)[key].flatMap(
      MirrorCursor.init(bytes:))
  }

  /// Writes it; returns at once. What is written survives the end of the process.
  /// - Returns: `nil` where others tell by now.
  @discardableResult func write(_ cursor: MirrorCursor, isUrgent: Bool = false) -> JournalMark? {
    fence.ifOpen {
      dependencies.book.enqueue(
        JournalBatch(memory: [Self.key(server, system): cursor.bytes], isUrgent: isUrgent))
    }
  }

  /// Returns when the disk has it.
  /// - Throws: why it has not, and perhaps never will.
  func keep(_ cursor: MirrorCursor) async throws(JournalFault) {
    guard let mark = write(cursor, isUrgent: true) else {
      throw JournalFault(.unavailable, "How far \(system) was told of passages is for others to keep by now.")
    }
    guard try await dependencies.book.durable(mark, until: now + Self.longestWait) else {
      throw JournalFault(
        .unavailable,
        "The disk takes longer than \(Self.longestWait.components.seconds) s to keep how far \(system) was told of passages."
      )
    }
  }

  /// Forgets the cursors of a name at these servers: what happened there under it since is of another server, or was not to be told.
  static func forget(
    _ system: TicketSystemID, at servers: some Sequence<String>, _ dependencies: LedgerDependencies,
    _ fence: MirrorFence = MirrorFence()
  ) async {
    let keys = servers.map { key($0, system) }
    let end = dependencies.clock.now().monotonic + longestWait
    guard let found = try? await dependencies.book.recall(keys, until: end), !found.isEmpty else { return }
    fence.ifOpen { dependencies.book.enqueue(JournalBatch(memory: found.mapValues { _ in [UInt8]?.none })) }
  }
}
