import ScanModel
import StationProtocol
import StationReport

/// What a station's judgement has found, in a page's language. Pure; what came with it from elsewhere stays as it is.
struct PageFinding: Sendable {
  let texts: PageTexts

  /// What was found.
  func words(_ finding: StationFinding) -> String {
    texts(
      "finding.\(finding.kind.rawValue)",
      finding.values.map { value in
        switch value {
        case .text(let text): TerminalText.clean(text, limit: 120)
        case .name(let family, let name): texts.named(family, TerminalText.clean(name, limit: 40))
        case .age(let age): self.age(age)
        }
      })
  }

  /// What a remark is about.
  func place(_ subject: StationRemark.Subject) -> String {
    func named(_ key: String, _ name: String) -> String { texts("place.\(key)", TerminalText.clean(name, limit: 60)) }
    return switch subject {
    case .gate(let id): named("gate", id.name)
    case .reader(let id): named("reader", id.name)
    case .ticketSystem(let id): named("ticketSystem", id.name)
    case .certificate(let id): named("certificate", id.name)
    case .list(let id): named("list", id.name)
    case .outbox: texts["place.outbox"]
    case .journal: texts["place.journal"]
    case .disk: texts["place.disk"]
    case .configuration: texts["place.configuration"]
    case .control: texts["place.control"]
    case .fleet: texts["place.fleet"]
    case .clock: texts["place.clock"]
    case .service: texts["place.service"]
    }
  }

  /// Such as `2 h`, or `5 days`.
  func age(_ age: Duration) -> String {
    let days = max(0, age.milliseconds) / 86_400_000
    return days < 2 ? age.asAge : texts("staff.days", String(days))
  }

  /// How many admissions wait to be told, and since when; `nil` where none does.
  static func waiting(_ station: StationSnapshot, _ texts: PageTexts) -> String? {
    guard station.outbox.owed > 0, let oldest = station.outbox.oldest else { return nil }
    let age = PageFinding(texts: texts).age(max(station.at - oldest, .zero))
    return texts("finding.outboxWaits", String(station.outbox.owed), age)
  }
}
