internal import LinuxIO
internal import ScanModel

/// Tells of a gate's scans once the journal has them: what an event calls stored is not lost with the process.
///
/// An event waits for the journal's writer, never for the disk, and a tenth of a second at most; the gate waits for neither. So
/// what waits here is what is decided in a tenth of a second. Should that be more than the buffer holds, the oldest is told at once,
/// as not stored.
actor ScanTeller {
  private struct Report: Sendable {
    var decided: DecidedScan
    /// Its place in the journal; `nil` where it is only counted.
    var mark: JournalMark?
    var at: JournalTime
  }

  private static let longestWait = Duration.milliseconds(100)
  private static let most = 1_024
  /// How long a flood is counted before that is written down.
  private static let countFor = Duration.seconds(1)

  private let ledger: LedgerKeeper
  private let events: any EventSink
  private let reports: AsyncStream<Report>
  private let reportsEnd: AsyncStream<Report>.Continuation
  private var flood: ScanFlood?
  private var counting: Task<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { ledger.unownedExecutor }

  init(ledger: LedgerKeeper, events: any EventSink) {
    self.ledger = ledger
    self.events = events
    (reports, reportsEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.most))
  }

  /// Takes a scan that is over; from any thread, returns at once.
  /// - Parameter mark: its place in the journal; `nil` where it is only counted.
  nonisolated func take(_ decided: DecidedScan, _ mark: JournalMark?, at now: JournalTime) {
    guard case .dropped(let lost) = reportsEnd.yield(Report(decided: decided, mark: mark, at: now)) else { return }
    events.emit(.scan(lost.decided))
    if lost.mark == nil { Task(executorPreference: ledger.loop.tasks) { await self.count(lost) } }
  }

  /// Nothing more comes.
  nonisolated func finish() { reportsEnd.finish() }

  /// Tells until `finish` is called and everything is told.
  func run() async {
    for await waiting in reports {
      var report = waiting
      if let mark = report.mark {
        report.decided.isStored = await ledger.isWritten(mark, until: report.at.monotonic + Self.longestWait)
      } else {
        count(report)
      }
      events.emit(.scan(report.decided))
    }
    writeFlood()
  }

  private func count(_ report: Report) {
    var flood =
      flood
      ?? ScanFlood(
        gate: report.decided.scan.gate, refused: 0, undecided: 0, began: report.at.wall, at: report.at)
    if case .refuse = report.decided.verdict { flood.refused += 1 } else { flood.undecided += 1 }
    flood.at = report.at
    self.flood = flood
    guard counting == nil else { return }
    counting = Task {
      try? await Task.sleep(for: Self.countFor)
      writeFlood()
    }
  }

  private func writeFlood() {
    counting?.cancel()
    counting = nil
    guard let flood else { return }
    self.flood = nil
    ledger.record(.flood(flood))
  }
}
