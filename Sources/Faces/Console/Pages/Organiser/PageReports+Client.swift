import ReportClient
import ReportProtocol
import ScanConfiguration
import ScanModel

extension PageReports {
  /// How many rows of the journal a page has.
  private static let rows: UInt16 = 50

  /// Those of the unit that makes reports.
  init(setting: ConsoleSetting, client: ReportClient) {
    self.init(
      setting: setting,
      make: { question throws(Trouble) in
        do throws(ReportAbsence) {
          return try await client.report(
            ReportQuestion(
              from: question.from, until: question.until, gate: question.gate, form: question.isPDF ? .pdf : .csv,
              language: question.language.rawValue)
          ).bytes
        } catch {
          throw Trouble(error)
        }
      },
      read: { question throws(Trouble) in
        do throws(ReportAbsence) {
          let page = try await client.page(
            JournalPageQuestion(
              before: question.before, limit: Self.rows, gate: question.gate, verdict: question.verdict))
          return (page.rows.map { Row($0) }, page.next)
        } catch {
          throw Trouble(error)
        }
      })
  }
}

extension PageReports.Row {
  init(_ line: JournalLine) {
    func text(_ text: String) -> String? { text.isEmpty ? nil : text }
    self.init(
      place: line.place, at: line.at, gate: line.gate.name, reader: line.reader.name, verdict: line.verdict,
      reason: text(line.reason), decider: line.decider, event: text(line.event), note: text(line.note),
      isAnnulled: line.isAnnulled)
  }
}

extension PageReports.Trouble {
  init(_ absence: ReportAbsence) {
    let name =
      switch absence.kind {
      case .nobody: "nobody"
      case .notAllowed: "notAllowed"
      case .refused: "refused"
      case .silent, .cancelled: "silent"
      case .fault(.busy): "busy"
      case .fault(.tooMuch): "tooMuch"
      case .fault(.question): "question"
      case .fault(.journal), .fault(.inside): "fault"
      }
    self.init(name: name, words: absence.description)
  }
}
