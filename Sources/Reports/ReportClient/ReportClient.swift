internal import LinuxIO
package import ReportProtocol

/// A report that was made.
package struct ReportFile: Sendable, Equatable {
  package var head: ReportFileHead
  /// The file's bytes.
  package var bytes: [UInt8]
}

/// A page of the journal, newest first.
package struct JournalPage: Sendable, Equatable {
  package var rows: [JournalLine]
  /// Before which place the next page goes on; `nil` where there is none.
  package var next: Int64?
}

/// Asks for reports and pages of the journal. Each question has a connection, and a thread, of its own; it ends by its limit at the latest,
/// and at once where the task that asks is cancelled.
package struct ReportClient: Sendable {
  /// What an asker is told while the report is made.
  package enum Progress: Sendable, Equatable {
    /// Others are before it.
    case waiting(ahead: Int)
    /// So many scans were read.
    case reading(scans: UInt64)
  }

  /// The socket.
  package var path: String
  /// Who asks, for the log.
  package var program: String

  package init(path: String = ReportLimits.path, program: String) {
    self.path = path
    self.program = program
  }

  /// Has a report made.
  /// - Parameters:
  ///   - limit: how long is waited, for others' reports as well.
  ///   - progress: told on the thread of the question how far it is.
  /// - Throws: why there is none.
  package func report(
    _ question: ReportQuestion, within limit: Duration = .seconds(600),
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws(ReportAbsence) -> ReportFile {
    try await ask(.report(question), limit, progress) { answer, made in
      switch answer {
      case .file(let head):
        made = ReportFile(head: head, bytes: [])
        made?.bytes.reserveCapacity(Int(head.byteCount))
      case .piece(let bytes):
        // More than was told is not taken: then it is not whole.
        guard let whole = made?.head.byteCount, let count = made?.bytes.count else { return }
        if count + bytes.count <= Int(whole) { made?.bytes += bytes } else { made?.head.byteCount = 0 }
      default: return
      }
    } isWhole: {
      $0.bytes.count == Int($0.head.byteCount)
    }
  }

  /// A page of the journal.
  /// - Throws: why there is none.
  package func page(
    _ question: JournalPageQuestion, within limit: Duration = .seconds(10)
  ) async throws(ReportAbsence) -> JournalPage {
    try await ask(.page(question), limit, { _ in }) { answer, made in
      if made == nil { made = JournalPage(rows: [], next: nil) }
      switch answer {
      case .rows(let rows): made?.rows += rows
      case .end(let next): made?.next = next
      default: return
      }
    } isWhole: {
      $0.rows.count <= ReportLimits.maximumRows
    }
  }

  private func ask<Made: Sendable>(
    _ request: ReportRequest, _ limit: Duration, _ progress: @escaping @Sendable (Progress) -> Void,
    _ take: @escaping @Sendable (ReportAnswer, inout Made?) -> Void, isWhole: @escaping @Sendable (Made) -> Bool
  ) async throws(ReportAbsence) -> Made {
    let session = ReportSession(client: self, limit: limit, progress: progress)
    return try await withTaskCancellationHandler {
      await SystemThread.run("report-client") {
        Result { () throws(ReportAbsence) in try session.run(request, take, isWhole) }
      }
    } onCancel: {
      session.cancel()
    }.get()
  }
}
