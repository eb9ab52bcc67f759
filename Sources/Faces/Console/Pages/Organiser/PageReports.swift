import HTTPTypes
import Hummingbird
import LinuxIO
import NIOCore
import ScanConfiguration
import ScanModel
import StationProtocol

/// What pages get of whoever makes reports: files, and the journal by pages.
struct PageReports: Sendable {
  /// What is wanted.
  struct Question: Sendable, Equatable {
    var from: WallTime
    var until: WallTime
    var gate: GateID?
    var isPDF = false
    /// The language of its pages.
    var language = PageLanguage.en
  }

  /// A row of the journal; no code is in it.
  struct Row: Sendable, Equatable {
    var place: Int64
    var at: WallTime
    var gate: String
    var reader: String
    var verdict: String
    var reason: String?
    var decider: String
    var event: String?
    /// What else there is to say, by the names of events.
    var note: String?
    var isAnnulled = false
  }

  /// Why there is none: by the name of a text, and in clean words of whoever was asked.
  struct Trouble: Error, Sendable, Equatable {
    var name: String
    var words: String

    /// As a page says it: in its language where there is a text.
    func shown(_ texts: PageTexts) -> String {
      texts.has("trouble.\(name)") ? texts["trouble.\(name)"] : TerminalText.clean(words, limit: 400)
    }
  }

  /// A page of the journal.
  struct JournalQuestion: Sendable, Equatable {
    var before: Int64?
    var gate: GateID?
    var verdict: String?
  }

  /// Makes a report.
  typealias Make = @Sendable (Question) async throws(Trouble) -> [UInt8]
  /// Reads the journal, newest first.
  typealias Read = @Sendable (JournalQuestion) async throws(Trouble) -> (rows: [Row], next: Int64?)

  let setting: ConsoleSetting
  let make: Make?
  let read: Read?

  /// Whether somebody makes reports here.
  var isThere: Bool { make != nil }

  /// `/organiser/report?from=…&until=…&form=csv|pdf`: a file; throws `Trouble` where there is none.
  func report(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try context.requires(.organiser)
    guard let make else { throw ConsoleAnswer.notFound }
    let query = StaffQuery(request.uri.query)
    let zone = PageTime(now: SystemTime().wall()).zone
    guard let from = query["from"].flatMap({ PageInstant.time($0, in: zone) }),
      let until = query["until"].flatMap({ PageInstant.time($0, in: zone) }), from < until,
      let form = query["form"], form == "csv" || form == "pdf"
    else { throw PageRefusal.malformed }
    let language = PageLanguage.choice(
      configured: setting.configuration.language, own: context.pageCaller?.language,
      accepted: request.headers[.acceptLanguage])
    let question = Question(
      from: from, until: until, gate: query["gate"].map { GateID($0) }, isPDF: form == "pdf", language: language)
    let bytes = try await make(question)
    let day = (query["from"] ?? "").prefix(10)
    return Response(
      status: .ok,
      headers: [
        .contentType: form == "pdf" ? "application/pdf" : "text/csv; charset=utf-8; header=present",
        .contentDisposition: "attachment; filename=\"scangate-\(day).\(form)\"", .cacheControl: "no-store",
      ], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
