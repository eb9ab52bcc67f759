package import ScanModel

/// The port to where a fleet's claims lie: values under keys, each written on the condition that nobody has written since.
///
/// What decides is a write that was made on its condition, and nothing else: what is read may be old, what is watched may be late. A write
/// whose answer is lost may be made later, as long as its condition holds; once the key has a later revision, never.
///
/// Whoever implements it has passed its judgement on the server before: one that is too old, does not sync before it answers or serves another
/// fleet takes no call but to throw `otherVersion`. Nothing is sent twice by itself, for whoever asks has to know that it was.
package protocol ClaimStore: Sendable {
  /// Writes where the key was never written. A delete mark is a write: on it this is `wrongRevision`.
  /// - Parameter end: when the answer is lost, by the clock of `TimeSource.now`.
  /// - Returns: the revision that this value has.
  nonisolated(nonsending) func create(
    _ key: ClaimKey, _ value: [UInt8], until end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision

  /// Writes where the key's last revision is this one.
  /// - Returns: the revision that this value has, a greater one.
  nonisolated(nonsending) func update(
    _ key: ClaimKey, _ value: [UInt8], at revision: ClaimRevision, until end: MonotonicTime
  ) async throws(ClaimFault) -> ClaimRevision

  /// Asks the leader, and nobody else, what the key has; `nil` where it was never written as far as the leader knows.
  ///
  /// What it says was written, and may have been overwritten since: a leader that was replaced a moment ago may not know.
  nonisolated(nonsending) func read(_ key: ClaimKey, until end: MonotonicTime) async throws(ClaimFault) -> StoredClaim?

  /// What changes, in the order of revisions; first all that has changed after a revision and is there now.
  ///
  /// At most `ClaimWatch.most` changes wait to be taken. Where more come, or the connection breaks, `.interrupted` says so once, and
  /// it goes on after the last revision that was taken: nothing is left out but what was written over meanwhile. It ends with its task, or where
  /// the store has.
  func watch(after revision: ClaimRevision) -> AsyncStream<ClaimWatch>

  /// In which its claims are written, as was told last.
  var format: BookFormat { get }

  /// Whether writes may be had now, each state once; a new caller is told the present one first. A hint: calls decide.
  var states: AsyncStream<ClaimStoreState> { get }

  /// On whose thread states and changes are best followed, so that no other is there for them; `nil` where that is all the same.
  var tasks: (any TaskExecutor)? { get }

  /// How far this machine's clock is ahead of the leader's (negative where it is behind), where that is more than it may be; `nil` where it is
  /// not. Each change once; nothing before there was one.
  var clocks: AsyncStream<Duration?> { get }
}

extension ClaimStore {
  /// Of a store that nobody has made before.
  package var format: BookFormat { .newest }
  package var tasks: (any TaskExecutor)? { nil }
  /// A store that has no clock of its own tells nothing.
  package var clocks: AsyncStream<Duration?> { AsyncStream { $0.finish() } }
}

/// A place in the order of all writes of a store; later ones are greater. Never reused.
package struct ClaimRevision: Hashable, Comparable, Sendable {
  /// Before every write.
  package static let none = ClaimRevision(0)

  /// Counted from 1.
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
  package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

/// A value as the store has it.
package struct StoredClaim: Hashable, Sendable {
  /// Where.
  package var key: ClaimKey
  /// What, as it was written. Whose it is nobody has judged yet.
  package var value: [UInt8]
  /// Its revision.
  package var revision: ClaimRevision
  /// The revision on which the write was made, as the server has judged and kept it; `.none` of one that had to be the first.
  package var replaced: ClaimRevision
  /// When the leader took it, by its clock.
  package var time: WallTime

  package init(key: ClaimKey, value: [UInt8], revision: ClaimRevision, replaced: ClaimRevision, time: WallTime) {
    self.key = key
    self.value = value
    self.revision = revision
    self.replaced = replaced
    self.time = time
  }
}

/// Why a store has not done what it was asked.
package enum ClaimFault: Error, Hashable, Sendable {
  /// Whether it was written is not known: it may have been, or may be later. The time was over, or the connection broke once a byte was out.
  case lostAnswer
  /// Not written: the key's last revision is another one, as far as the leader knows.
  case wrongRevision
  /// Not sent, or taken by nobody: no connection, no leader, no majority. Nothing of it is on its way.
  case noQuorum
  /// Not written: there is no room, by the stream's bound or on the disk, and the server has said so.
  case full
  /// The key has a delete mark, which nobody of ours writes: what it had is not known.
  case deleted
  /// Not done: the server, its settings or its stream are not what a fleet may rely on; what and where, ready to print.
  case otherVersion(String)
  /// Not done: credential, certificate or permission, or the stream was closed; what and where, ready to print.
  case refused(String)

  /// Whether a write that failed so may be made all the same, now or later.
  package var mayBeWritten: Bool { self == .lostAnswer }
}

/// What somebody who watches is told.
package enum ClaimWatch: Hashable, Sendable {
  /// So many wait to be taken at most.
  package static let most = 1_024

  /// A value, the last of its key at that time.
  case stored(StoredClaim)
  /// A key has a delete mark.
  case deleted(ClaimKey, ClaimRevision)
  /// All that was there when the watch began, or began again, was told.
  case caughtUp
  /// Something may be late; what is missing comes next.
  case interrupted
}

/// Whether a store can be written.
package enum ClaimStoreState: Hashable, Sendable {
  /// A leader answers.
  case ready
  /// Why not.
  case away(ClaimFault)
}
