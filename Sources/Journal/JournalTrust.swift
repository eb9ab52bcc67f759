import Glibc
public import LinuxIO
import Synchronization

/// Whether the journal holds everything on which a gate has opened: a note beside it, of a length that never changes, so that
/// a full disk takes it too.
///
/// ```
///            ┌────────── confess: a gate opens on what cannot be written ──────────┐
///  closed ─▶ whole ── orderly end, everything durable ──▶ closed                    ▼
///    ▲        ▲                                                                  partial
///    └────────┴──── next start: another generation, in which nothing of before hangs together ◀┘
/// ```
/// What a ledger remembers is bound to its generation as to a boot. In a later one, an attempt without conclusion may have
/// opened a gate, and a claim without a request may have been taken.
public final class JournalTrust: Sendable {
  private enum State: String { case closed, whole, partial }

  /// The generation of this process.
  public let generation: UInt64
  /// Why what is remembered of earlier generations is not trusted; `nil` where it is.
  public let doubt: String?

  private let path: String
  private let file = Mutex<OwnedDescriptor?>(nil)
  private let confessed = Atomic(false)
  /// A thread is writing the confession; one that hangs is not joined by others.
  private let isConfessing = Atomic(false)

  /// Reads the note; writes nothing.
  /// - Parameter journal: the journal's file.
  public init(of journal: String) {
    path = journal + ".generation"
    let isThere = access(journal, F_OK) == 0
    let note = Self.read(path)
    var log = stat()
    let hasLog = stat(journal + "-wal", &log) == 0 && log.st_size > 0
    switch note {
    case nil where !isThere:
      (generation, doubt) = (1, nil)
    case nil:
      // One that never was: which there were is not known.
      generation = .random(in: 1 << 32...1 << 62)
      doubt = "The note \(path) is gone."
    case (let number, _)? where !isThere:
      generation = number + 1
      doubt =
        "The journal \(journal) is gone: nothing is known of who is in. Put it back from a copy, or let staff look."
    case (let number, .partial)?:
      generation = number + 1
      doubt = "The journal \(journal) could not take everything before the last end."
    case (let number, .whole)? where !hasLog:
      generation = number + 1
      doubt = "The write-ahead log of the journal \(journal) is gone: what was written last is lost."
    case (let number, _)?:
      (generation, doubt) = (number, nil)
    }
  }

  private static func read(_ path: String) -> (UInt64, State)? {
    guard let file = try? OwnedDescriptor.open(path, O_RDONLY) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(file.number, &buffer, buffer.count)
    let words = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard words.count == 2, let number = UInt64(words[0]), number < .max, let state = State(rawValue: String(words[1]))
    else {
      return nil
    }
    return (number, state)
  }

  /// Begins the generation; to be called by the one process that has the journal.
  /// - Throws: why the note cannot be written.
  public func begin() throws(SystemError) {
    let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw SystemError(errno: errno, call: "open") }
    file.withLock { $0 = OwnedDescriptor(owning: number) }
    guard write(.whole) else { throw SystemError(errno: errno, call: "write") }
  }

  /// Notes, by a thread of its own, that a gate opens on something that could not be written. Durable when it returns.
  /// - Parameter limit: the longest that the disk is waited for.
  /// - Returns: false where not even that can be noted in time.
  public func confess(within limit: Duration = .seconds(1)) async -> Bool {
    if confessed.load(ordering: .acquiring) { return true }
    guard !isConfessing.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    let answer = OneAnswer<Bool>()
    do throws(SystemError) {
      try SystemThread.start("journal-note") {
        let isNoted = self.write(.partial)
        if isNoted { self.confessed.store(true, ordering: .releasing) }
        self.isConfessing.store(false, ordering: .releasing)
        answer.give(isNoted)
      }
    } catch {
      isConfessing.store(false, ordering: .releasing)
      return false
    }
    let alarm = Task {
      try await Task.sleep(for: limit)
      answer.give(false)
    }
    defer { alarm.cancel() }
    return await answer.first()
  }

  /// Notes the orderly end: everything is durable. Nothing after a confession.
  public func close() {
    if !confessed.load(ordering: .acquiring) { _ = write(.closed) }
    file.withLock { $0 = nil }
  }

  private func write(_ state: State) -> Bool {
    let digits = String(generation)
    let padding = String(repeating: "0", count: max(0, 20 - digits.utf8.count))
    let word = state.rawValue + String(repeating: " ", count: 7 - state.rawValue.utf8.count)
    let line = Array("\(padding)\(digits) \(word)\n".utf8)
    return file.withLock { file in
      // A descriptor of -1 refuses both.
      let number = file?.number ?? -1
      return pwrite(number, line, line.count, 0) == line.count && fdatasync(number) == 0
    }
  }
}
