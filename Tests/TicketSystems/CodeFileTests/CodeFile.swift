import LinuxIO
import ScanModel
import TicketSystemKit

/// A toy: tickets that stand in a file, a code and how many it admits on each line.
enum CodeFileSection: TicketSystemSection {
  struct System: Sendable {
    var path: String
    var place: SourcePosition
  }

  struct Gate: Sendable {}

  static let type = "codefile"

  private static let file = SchemaKey.required(
    "file", .text("absolute path", example: "/srv/codes.txt", expected: "write a path") { $0.hasPrefix("/") },
    "A code a line, and how many it admits; or where that is asked, after <.")

  static let systemSchema = SectionSchema("ticketSystems.<name>, type codefile", keys: [file.description])
  static let gateSchema = SectionSchema("gates.<name>.ticket, type codefile", keys: [])

  static func readSystem(_ reader: SectionReader) -> System? {
    reader.read(file).map { System(path: $0, place: reader.position(of: "file")) }
  }

  static func readGate(_ reader: SectionReader) -> Gate? { Gate() }
}

/// The toy as a service that only checks: each ticket passes as often as it is shown.
enum CodeCheckSection: TicketSystemSection {
  static let type = "codecheck"
  static let systemSchema = SectionSchema(
    "ticketSystems.<name>, type codecheck", keys: CodeFileSection.systemSchema.keys)
  static let gateSchema = SectionSchema("gates.<name>.ticket, type codecheck", keys: [])
  static let scopes = ScopeRule(.every, .perDay, interval: .seconds(600))

  static func readSystem(_ reader: SectionReader) -> CodeFileSection.System? { CodeFileSection.readSystem(reader) }

  static func readGate(_ reader: SectionReader) -> CodeFileSection.Gate? { CodeFileSection.Gate() }
}

/// The toy as a service that tells what it has sold, and decides nothing: its answer is the list on board.
enum CodeListSection: TicketSystemSection {
  static let type = "codelist"
  static let systemSchema = SectionSchema(
    "ticketSystems.<name>, type codelist", keys: CodeFileSection.systemSchema.keys)
  static let gateSchema = SectionSchema("gates.<name>.ticket, type codelist", keys: [])

  static func readSystem(_ reader: SectionReader) -> CodeFileSection.System? { CodeFileSection.readSystem(reader) }

  static func readGate(_ reader: SectionReader) -> CodeFileSection.Gate? { CodeFileSection.Gate() }
}

extension TicketSystemType {
  static let codeList = TicketSystemType(
    CodeListSection.self, example: ["file: /srv/codes.txt"], server: { $0.path }
  ) { id, settings, _, list, _, time throws(SetupError) in
    let list = list ?? ListOnBoard(of: id, nil, maxAge: .zero) { ClockTrust(time: time).now() }
    return TicketSystemConnection(
      id: id, face: { (_: CodeFileSection.Gate?) in CodeListTicketSystem(id: id, path: settings.path, list: list) })
  }

  static let codeCheck = TicketSystemType(
    CodeCheckSection.self, example: ["file: /srv/codes.txt"], server: { $0.path }
  ) { id, settings, _, _, _, time throws(SetupError) in
    TicketSystemConnection(
      id: id,
      face: { (_: CodeFileSection.Gate?) in
        CodeCheckTicketSystem(file: CodeFileTicketSystem(id: id, path: settings.path, time: time))
      })
  }

  static let codeFile = TicketSystemType(
    CodeFileSection.self, example: ["file: /srv/codes.txt"], server: { $0.path },
    settingNames: { .init(address: $0.path, key: nil, place: $0.place) }
  ) { id, settings, _, _, _, time throws(SetupError) in
    TicketSystemConnection(
      id: id, face: { (_: CodeFileSection.Gate?) in CodeFileTicketSystem(id: id, path: settings.path, time: time) })
  }
}
