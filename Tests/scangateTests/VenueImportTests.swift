import Expectations
import Foundation
import Glibc
import Testing
import VenueServer

/// `scangate venue serve --import`: it takes what `scangate tickets import` takes.
@Suite struct VenueImportTests {
  /// Starts a venue with a file, waits until it serves or ends, and ends it.
  private func serve(_ bytes: [UInt8], _ arguments: [String] = []) async throws -> (
    tickets: [BookedTicket], result: Program.Result
  ) {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, database) = (folder.path + "/tickets.csv", folder.path + "/venue.sqlite")
    try Data(bytes).write(to: URL(filePath: file))
    // Nothing more is needed of it than that it came as far as to serve: the address is no one's.
    let result = try await Program.run(
      [
        "venue", "serve", "--listen", "192.0.2.1:9", "--database", database, "--api-key-file", folder.path + "/key",
        "--import", file,
      ] + arguments, environment: ["TZ": "UTC"])
    guard FileManager.default.fileExists(atPath: database) else { return ([], result) }
    return (try await VenueServer.tickets(ofFile: database), result)
  }

  @Test(arguments: ["de", "fr", "es"]) func exportsOfOtherCountriesAreTaken(name: String) async throws {
    let file = repositoryFile("Tests/Storage/TicketListsTests/exports/\(name).csv")
    let (tickets, result) = try await serve([UInt8](try Data(contentsOf: file)))
    expect(result.output.contains("5 added, 0 updated"), "\(result.errors)")
    let first = try #require(tickets.first)
    expect(first.isSale && first.status == .paid && first.quantity == ["de": 2, "fr": 3, "es": 4][name])
    expectEqual(first.holder, ["de": "Jürgen Groß", "fr": "Lefèvre Zoé", "es": "Tomás Ruiz"][name])
    expectEqual(tickets.dropFirst().first?.status, .cancelled)
  }

  @Test func columnsAreTheVenuesToo() async throws {
    let text = "Ticketnummer;Anzahl Karten;Status\nSECRETa;2;eingebucht\nSECRETb;1;bezahlt\nSECRETc;1;deleted\n"
    let asked = try await serve([UInt8](text.utf8))
    expect(asked.tickets.isEmpty && asked.result.status == 65, "\(asked.result.errors)")
    expect(asked.result.errors.contains("--column quantity='Anzahl Karten'"))
    let (tickets, result) = try await serve(
      [UInt8](text.utf8),
      ["--column", "quantity=Anzahl Karten", "--column", "code=Ticketnummer", "--status", "valid=eingebucht"])
    expectEqual(tickets.map(\.quantity), [2, 1, 1], "\(result.errors)")
    expectEqual(tickets.map(\.status), [.paid, .paid, .deleted])
    let alone = try await Program.run(["venue", "serve", "--dates", "day-first"])
    expect(alone.status == 64 && alone.errors.contains("--import"))
  }

  @Test func aHallWithoutTicketsIsServed() async throws {
    let (tickets, result) = try await serve([UInt8]("code,status\n".utf8))
    expect(tickets.isEmpty && result.output.contains("0 added"), "\(result.output) \(result.errors)")
    expect(result.errors.contains("names no ticket"), "\(result.errors)")
  }

  /// As in a list: bad lines are told and the rest is taken, and of what is said twice the stricter counts.
  @Test func badLinesAndContradictionsAreAsInAList() async throws {
    let text = """
      code,status,quantity,kind
      https://tickets.example.org/ticket/view/Mzk/wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl,paid,2,sale
      SECRETb,paid,,entry
      SECRETb,refunded,,entry
      SECRETc,perhaps,,entry
      SECRETd,used,,entry
      """
    let (tickets, result) = try await serve([UInt8](text.utf8))
    expectEqual(tickets.map(\.code), ["wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl", "SECRETb", "SECRETd"], "\(result.errors)")
    expectEqual(tickets.map(\.status), [.paid, .refunded, .paid])
    expect(result.errors.contains("line 4: it says something else on the code of line 3"))
    expect(result.errors.contains("line 5: its state perhaps is none that is known"))
    expect(result.errors.contains("1 lines were not taken.") && result.errors.contains("1 tickets were used already"))
    expect(!result.errors.contains("SECRET"))
  }

  /// A file that cannot be taken leaves no database.
  @Test func aBadFileLeavesNothingBehind() async throws {
    let (tickets, result) = try await serve([UInt8]("code,status\na,?\nb,?\nc,paid\n".utf8))
    expect(tickets.isEmpty && result.status == 65 && result.errors.contains("More than half of it is bad"))
  }

  /// Ctrl-C in the middle: a database that was there is as it was, and a new one is gone with all that lay beside it.
  @Test(arguments: [SIGINT, SIGTERM], [false, true])
  func anInterruptedImportLeavesNothing(signal: Int32, wasThere: Bool) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, database) = (folder.path + "/tickets.csv", folder.path + "/venue.sqlite")
    // Long names fill the pages that SQLite holds back, with few lines.
    let name = String(repeating: "Ada Lovelace ", count: 40)
    let lines = (0..<12_000).map { "SECRET\($0),\(name)\($0)\n" }
    try Data(("code,name\n" + lines.joined()).utf8).write(to: URL(filePath: file))
    if wasThere {
      let venue = try VenueServer(VenueConfiguration(storage: .file(database)))
      _ = try await venue.importTickets(
        [ImportedTicket(line: 2, code: "earlier", isSale: false, status: .paid)], file: "earlier.csv")
    }
    let process = Process()
    process.executableURL = try Program.executable()
    process.arguments = [
      "venue", "serve", "--listen", "127.0.0.1:0", "--database", database, "--api-key-file", folder.path + "/key",
      "--import", file,
    ]
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    func size() -> Int {
      let attributes = try? FileManager.default.attributesOfItem(atPath: database + "-wal")
      return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
    // The schema alone is less.
    await until { !process.isRunning || size() >= 1_000_000 }
    expect(process.isRunning)
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    expectEqual(process.terminationStatus, 128 + signal)
    expect(process.terminationReason == .exit)
    let words = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    expect(words.contains("Nothing was imported"), "\(words)")
    try expectEqual(
      FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(),
      wasThere ? ["tickets.csv", "venue.sqlite"] : ["tickets.csv"])
    if wasThere { try await expectEqual(VenueServer.tickets(ofFile: database).map(\.code), ["earlier"]) }
  }

  /// Each column has its line, and the file is at fault, for the list on board as for the venue.
  @Test func columnsAreToldLineByLine() async throws {
    let text = [UInt8]("code,Einlasszeit,Anz. Pers.\nSECRETa,1,1\n".utf8)
    let (tickets, result) = try await serve(text)
    expect(tickets.isEmpty && result.status == 65)
    let lines = result.errors.split(separator: "\n")
    expect(lines.count == 2 && lines.allSatisfy { $0.contains("tickets.csv, line 1: the column") }, "\(result.errors)")
  }
}
