import Glibc
import LinuxIO
import ScanModel
import Synchronization

/// The thread that syncs the write-ahead log beside the writer: a slow disk holds up those who wait for the disk, and no
/// batch. One sync serves all that was written before it began.
struct Syncer: Sendable {
  let core: JournalCore

  /// What nobody waits for is synced this long after it was written.
  static let delay = Duration.milliseconds(500)

  func run() {
    while true {
      if core.orders.withLock({ $0.isClosing }) { return }
      let now = core.clock.now()
      let (target, since) = core.queue.withLock { queue -> (UInt64?, MonotonicTime?) in
        let target = queue.syncTarget(at: now, after: Self.delay)
        if target != nil { queue.beginSync() }
        return (target, queue.syncFault == nil ? queue.unsyncedSince : nil)
      }
      guard let target else {
        core.syncWaker.wait(atMost: since.map { max(.milliseconds(1), Self.delay - (now - $0)) } ?? .seconds(3_600))
        continue
      }
      // Before the sync: what is written while it runs is not covered.
      let position = core.trust?.written
      do throws(SystemError) {
        try core.sync.sync()
        if let position { core.trust?.synced(position) }
        core.queue.withLock { $0.synced(upTo: target) }
        let served = core.answerWaiters()
        // On a slow disk, several who were served come back at once with their next batch: a moment, and one sync serves
        // all of them instead of every other one half.
        let took = core.clock.now() - now
        if served > 1, took > .milliseconds(5) { usleep(UInt32(min(2_000, took.saturatedNanoseconds / 8_000))) }
      } catch {
        let fault = JournalFault(
          .disk,
          "The disk of the journal \(core.settings.path) does not confirm what was written: \(error). Check it, and replace "
            + "it soon.")
        core.queue.withLock { $0.syncFailed(fault) }
        core.tellState()
        core.writerWaker.wake()
      }
      core.answerWaiters()
    }
  }
}
