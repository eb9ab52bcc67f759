import Journal
import LinuxIO
import ReportPages
package import ReportProtocol
import Reports
import ScanModel

/// Makes one report, or one page of the journal, on whatever thread it is called. It reads the journal without the station's key: codes
/// and holders' names lie sealed in it, and are unknown here.
package struct ReportMaker: Sendable {
  /// A report that is made.
  package struct Made: Sendable {
    package var head: ReportFileHead
    package var bytes: [UInt8]
  }

  /// How many rows are read before it is looked whether somebody still wants them.
  private static let rowsBetweenLooks: UInt64 = 2_000
  /// The most orders of staff that are read: the newest.
  private static let mostOrders = 100_000

  /// The journal's file.
  package var journal: String
  /// How long a report may take.
  package var limit: Duration
  /// Whether nobody wants it any more.
  package var isCancelled: @Sendable () -> Bool
  /// Told now and then how many scans were read.
  package var progress: @Sendable (UInt64) -> Void

  fileprivate var time: SystemTime { SystemTime() }

  package init(
    journal: String, limit: Duration = ReportLimits.making, isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (UInt64) -> Void = { _ in }
  ) {
    self.journal = journal
    self.limit = limit
    self.isCancelled = isCancelled
    self.progress = progress
  }

  /// Makes a report.
  /// - Throws: why there is none.
  package func report(_ question: ReportQuestion) throws(ReportFault) -> Made {
    try spoken {
      let language = try language(of: question)
      let reader = try Journal.Reader(path: journal, key: nil)
      let scope = try scope(of: question, reader)
      let report = try read(scope, reader)
      return try written(report, as: question.form, language)
    }
  }

  private func language(of question: ReportQuestion) throws -> PageLanguage {
    guard let name = question.language else { return .en }
    guard let language = PageLanguage(rawValue: name) else {
      let known = PageLanguage.allCases.map(\.rawValue).joined(separator: ", ")
      throw ReportFault(
        .question, "There are no reports in the language \(TerminalText.clean(name, limit: 64)). Name one of \(known).")
    }
    return language
  }

  private func written(
    _ report: Report, as form: ReportQuestion.Form, _ language: PageLanguage
  ) throws -> Made {
    let bytes: [UInt8]
    var pages = 0
    switch form {
    case .csv: bytes = ReportCSV.bytes(of: report)
    case .pdf:
      let document = try ReportPages.document(of: report, language: language, limit: ReportLimits.maximumFile)
      (bytes, pages) = (document.bytes, document.pages)
    }
    guard bytes.count <= ReportLimits.maximumFile else {
      throw ReportFault(
        .tooMuch, "The report would be longer than \(ReportLimits.maximumFile >> 20) MB. Ask for a shorter time.")
    }
    return Made(
      head: ReportFileHead(
        byteCount: UInt32(bytes.count), scans: UInt64(report.total.scans), pages: UInt16(clamping: pages)),
      bytes: bytes)
  }

  /// Puts what goes wrong into words for who asked.
  private func spoken<Value>(_ body: () throws -> Value) throws(ReportFault) -> Value {
    do {
      return try body()
    } catch let fault as ReportFault {
      throw fault
    } catch let fault as JournalFault {
      throw ReportFault(.journal, fault.description)
    } catch let fault as PageFault {
      throw ReportFault(
        .tooMuch, "The report cannot be made: \(fault.description). Ask for a shorter time, or for CSV.")
    } catch {
      throw ReportFault(.inside, "The report cannot be made. See journalctl -u scangate-report")
    }
  }

  // MARK: Of what it is

  private func scope(of question: ReportQuestion, _ reader: Journal.Reader) throws -> ReportScope {
    var zone = ZoneRules.machine()
    if let name = question.zone {
      guard let named = ZoneRules.named(name) else {
        throw ReportFault(
          .question, "There is no time zone \(TerminalText.clean(name, limit: 64)). Name it as Europe/Berlin is named.")
      }
      zone = named
    }
    let now = time.wall()
    let found = question.from == nil || question.until == nil ? try reader.extremes() : nil
    var from = question.from ?? found?.first ?? question.until ?? now
    var until = question.until ?? found.map { WallTime(seconds: saturatingSum($0.last.seconds, 1)) } ?? now
    if question.from == nil { from = min(from, until) }
    if question.until == nil { until = max(from, until) }
    guard from < until || question.from == nil || question.until == nil else {
      throw ReportFault(.question, "The report's time ends before it begins: nothing lies between.")
    }
    return ReportScope(
      from: from, until: until, gate: question.gate, event: question.event, zone: zone, zoneName: question.zone ?? "",
      madeAt: now)
  }

  // MARK: Reading

  private func read(_ scope: ReportScope, _ reader: Journal.Reader) throws -> Report {
    var report = Report(scope: scope)
    var steps = Steps(self, until: time.now() + limit)
    let filter = Journal.Reader.Filter(from: scope.from, until: scope.until, gate: scope.gate)
    try reader.briefs(matching: filter) { brief in
      try steps.take()
      guard brief.isOf(scope.event) else { return }
      report.add(ReportedScan(brief))
    }
    try reader.provisional(matching: filter) { admission in
      try steps.take()
      guard scope.event.map({ $0 == admission.event }) ?? true else { return }
      for item in ReportedItem.items(of: admission) { report.add(item) }
    }
    // Of no event.
    guard scope.event == nil else { return report }
    for request in try reader.unsettled(since: scope.from, now: scope.madeAt) where scope.has(request.attempt) {
      report.add(ReportedItem(request))
    }
    for flood in try reader.floods(matching: filter) { report.add(flood.flood) }
    for order in try reader.orders(since: scope.from, limit: Self.mostOrders) where scope.has(order) {
      report.add(ReportedItem(order))
    }
    if scope.gate == nil {
      for start in try reader.starts(matching: filter) where start.isAfterLoss { report.add(ReportedItem(start)) }
    }
    return report
  }

  /// Looks now and then whether somebody still waits, and whether there is time.
  private struct Steps {
    private let maker: ReportMaker
    private let end: MonotonicTime
    private var count: UInt64 = 0

    init(_ maker: ReportMaker, until end: MonotonicTime) {
      self.maker = maker
      self.end = end
    }

    mutating func take() throws(ReportFault) {
      count += 1
      guard count.isMultiple(of: ReportMaker.rowsBetweenLooks) else { return }
      if maker.isCancelled() { throw ReportFault(.inside, "Nobody waits for it any more.") }
      if maker.time.now() > end {
        throw ReportFault(
          .tooMuch,
          "The report takes longer than \(maker.limit.milliseconds / 1_000) s: \(count) scans were read. Ask for a shorter time."
        )
      }
      maker.progress(count)
    }
  }

  // MARK: Pages of the journal

  /// Reads a page of the journal.
  /// - Throws: why there is none.
  package func page(_ question: JournalPageQuestion) throws(ReportFault) -> (rows: [JournalLine], next: Int64?) {
    try spoken {
      let reader = try Journal.Reader(path: journal, key: nil)
      let filter = Journal.Reader.Filter(
        from: question.from, until: question.until, gate: question.gate, verdict: question.verdict)
      let page = try reader.briefs(
        matching: filter, before: question.before, limit: min(Int(question.limit), ReportLimits.maximumRows))
      return (page.rows.map { JournalLine($0) }, page.next)
    }
  }
}
