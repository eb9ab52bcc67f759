import Expectations
import Foundation
import Glibc
import ScanModel
import Sealing
import Testing
import TicketLists
import VenueServer

/// `scangate tickets` as whoever prepares an evening types it.
@Suite struct TicketsCommandTests {
  private let folder: URL
  private let state: String

  init() throws {
    folder = try temporaryFolder()
    state = folder.appending(path: "state").path
  }

  private func station(url: String = "http://127.0.0.1:9") throws -> String {
    let file = folder.appending(path: "station.yaml")
    let text = """
      version: 1
      station: { name: door }
      ticketSystems:
        main: { type: eventschedule, url: "\(url)", apiKey: main }
      readers:
        left: { type: wedge, match: { vendor: "0c2e", product: "0901", serial: none-here }, keymap: us }
      gates:
        north:
          readers: [left]
          ticketSystem: main
          outputs: { green: { led: "no-such-led" } }
      """
    try Data(text.utf8).write(to: file)
    return file.path
  }

  private func file(_ text: String) throws -> String {
    let file = folder.appending(path: "tickets.csv")
    try Data(text.utf8).write(to: file)
    return file.path
  }

  private func run(_ arguments: [String], url: String = "http://127.0.0.1:9", zone: String = "UTC-1") async throws
    -> Program.Result
  {
    let result = try await Program.run(
      ["tickets"] + arguments + ["--config", station(url: url), "--state", state], environment: ["TZ": zone])
    expect(!(result.output + result.errors).contains("SECRET"), "\(arguments)")
    return result
  }

  private func find(_ code: String, server: String = "http://127.0.0.1:9") throws -> ListedTicket? {
    try reader(server).find(Code(code))
  }

  private func reader(_ server: String = "http://127.0.0.1:9") throws -> TicketListReader {
    let key = try SealKeySource(state: state, given: nil).open(making: false).key
    let place = TicketListPlace(state: state, system: TicketSystemID("main"), server: "eventschedule \(server)")
    return try TicketListReader(place, key: key)
  }

  @Test func aFileThatCannotBeUsedIsAtFault() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for text in [
      "", "Ticketnummer\nSECRETa\n", "code,Wochentag\nSECRETa,Samstag\n", "code,date\nSECRETa,05/11/2026\n", "code\n",
    ] {
      let result = try await run(["import", file(text), "--system", "main"])
      expect(result.status == 65 && result.errors.contains("Nothing was imported."), "\(text): \(result.errors)")
    }
    // What is not there, or not to be read, is something else.
    try await expectEqual(run(["import", folder.path + "/none.csv", "--system", "main"]).status, 69)
  }

  @Test func aFileIsTakenOnBoardAndTold() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file(
      """
      code;status;date;holder
      https://tickets.example/ticket/view/Mzk/SECRETaB3;paid;2026-11-21;Ada
      SECRETsecond;unpaid;2026-11-21;Bob
      SECRETthird;perhaps;2026-11-21;Cy
      SECRETfourth;paid;someday;Di

      SECRETfifth;used;;Ed
      """)
    let none = try await run(["status"])
    expect(none.status == 0 && none.output.contains("There is no list for main"), "\(none.errors)")

    let trial = try await run(["import", file, "--system", "main", "--dry-run"])
    expectEqual(trial.status, 0, "\(trial.errors)")
    expect(trial.output.contains("3 tickets of main would be on board: 1 valid, 1 unpaid, 1 used."))
    expect(!FileManager.default.fileExists(atPath: state))

    let taken = try await run([
      "import", file, "--system", "main", "--as-of", "2025-12-10T18:00", "--zone", "Europe/Berlin",
    ])
    expectEqual(taken.status, 0, "\(taken.errors)")
    expect(taken.output.contains("3 tickets of main are on board"))
    expect(taken.output.contains("True as of 2025-12-10 18:00:00."))
    expect(
      taken.errors.contains("line 4: its state perhaps is none that is known")
        && taken.errors.contains("line 5: its day is no time"))
    expect(taken.errors.contains("2 of 5 lines were not taken.") && taken.errors.contains("looked at: holder"))
    // As the gate reduces a ticket's URL.
    try expectEqual(find("SECRETaB3")?.status, .valid)
    try expectEqual(find("SECRETaB3")?.from, WallTime(seconds: 1_795_215_600))

    let status = try await run(["status", "--json"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
    expect(object["tickets"] as? Int == 3 && object["valid"] as? Int == 1 && object["present"] as? Bool == true)
    expect(object["as_of"] as? String == "2025-12-10T17:00:00.000Z", "\(object)")
    expect(try await run(["status", "--system", "main"]).output.contains("main: 3 tickets"))
    // Every field is in the document.
    let documentFile = repositoryFile("docs/tickets.md")
    let document = try String(contentsOf: documentFile, encoding: .utf8)
    for field in object.keys { expect(document.contains("`\(field)`"), "\(field)") }
  }

  /// `list.details` of the configuration is obeyed, and what the columns mean is said by the words of the document.
  @Test(arguments: [true, false]) func seatsAndHoldersAreKeptWhereTheConfigurationSaysSo(keeps: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let list = try file(
      """
      code,date,Performance,Row,Place numbers,who
      SECRETa,2100-11-21,42,F,12-14,Ada Lovelace
      SECRETa,2100-11-21,42,F,15,Ada Lovelace
      SECRETb,2100-11-21,42,F,,Grace Hopper

      """)
    let configuration = try station()
    if keeps {
      let text = try String(contentsOfFile: configuration, encoding: .utf8)
      try Data(text.replacing("apiKey: main }", with: "apiKey: main, list: { details: true } }").utf8)
        .write(to: URL(filePath: configuration))
    }
    let taken = try await Program.run(
      [
        "tickets", "import", list, "--system", "main", "--column", "show=Performance", "--column",
        "seats=Place numbers", "--column", "holder=who", "--config", configuration, "--state", state,
      ], environment: ["TZ": "UTC"])
    expectEqual(taken.status, 0, "\(taken.errors)")
    expect(
      taken.output.contains("2 tickets of main are on board (1 lines named more seats of a booking)"), "\(taken.output)"
    )
    expectEqual(taken.errors.contains("not looked at: who"), !keeps, "\(taken.errors)")
    let key = try SealKeySource(state: state, given: nil).open(making: false).key
    let place = TicketListPlace(
      state: state, system: TicketSystemID("main"), server: "eventschedule http://127.0.0.1:9")
    let found = try #require(try TicketListReader(place, key: key, keepsDetails: true).find(Code("SECRETa")))
    expect(found.quantity == 4 && found.eventID == "42", "\(found)")
    expectEqual(found.seats, keeps ? ["F 12", "F 13", "F 14", "F 15"] : [])
    expectEqual(found.holder, keeps ? "Ada Lovelace" : nil)
    let bytes = try Data(contentsOf: URL(filePath: place.path))
    for secret in ["Lovelace", "Hopper", "SECRET"] { expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)") }
  }

  /// What a refresh has put in doubt is counted, in words and as JSON.
  @Test func statusCountsWhatIsInDoubt() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await expectEqual(run(["import", file("code\nSECRETa\n"), "--system", "main"]).status, 0)
    let before = try await run(["status", "--json"]).output
    expect(!before.contains("unconfirmed"), "\(before)")
    let key = try SealKeySource(state: state, given: nil).open(making: false).key
    let place = TicketListPlace(
      state: state, system: TicketSystemID("main"), server: "eventschedule http://127.0.0.1:9")
    let now = WallTime(seconds: Int64(Date().timeIntervalSince1970))
    func merge(_ codes: [String]) async throws {
      let work = try await StoredTicketList(place, key: key).replacement(of: nil, asOf: now) { _ in nil }
      try await work.add(codes.map { ToldTicket(code: $0, isWholeSale: true, status: .valid, from: now) })
      _ = try await work.merge(whole: now..<now + .seconds(60), forgetting: nil)
    }
    try await merge(["SECRETb", "SECRETc"])
    try await merge([])
    let words = try await run(["status"]).output
    expect(words.contains("1 valid, 2 unconfirmed"), "\(words)")
    let told = try await run(["status", "--json"]).output
    expect(told.contains("\"unconfirmed\":2"), "\(told)")
    let document = try String(contentsOf: repositoryFile("docs/tickets.md"), encoding: .utf8)
    expect(document.contains("`unconfirmed`"))
  }

  /// As a refresh leaves it: what it does not cover stays as old as the file.
  @Test func statusSaysHowOldWhichTicketsAre() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file("code,date\nSECRETa,2026-11-21\nSECRETb,\nSECRETc,2026-12-24\n")
    try await expectEqual(run(["import", file, "--system", "main", "--as-of", "2025-12-10T18:00"]).status, 0)
    let key = try SealKeySource(state: state, given: nil).open(making: false).key
    let place = TicketListPlace(
      state: state, system: TicketSystemID("main"), server: "eventschedule http://127.0.0.1:9")
    let day = WallTime(seconds: 1_795_219_200) - .seconds(3_600)
    let replacement = try await StoredTicketList(place, key: key).replacement(
      of: day..<day + .seconds(86_400), asOf: WallTime(seconds: Int64(Date().timeIntervalSince1970))
    ) { _ in nil }
    try await replacement.add([
      ToldTicket(code: "SECRETa", isWholeSale: true, status: .valid, from: day, until: day + .seconds(86_400))
    ])
    try await expectEqual(replacement.finish(mayShrink: false), 0)
    let told = try await run(["status", "--json"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(told.output.utf8)) as? [String: Any])
    let older = try #require(object["older"] as? [[String: Any]])
    expect(told.status == 0 && older.count == 1 && object["tickets"] as? Int == 3, "\(object)")
    expect(older[0]["tickets"] as? Int == 2 && older[0]["too_old"] as? Bool == true, "\(object)")
    let then = older[0]["as_of"] as? String
    expect(then?.hasPrefix("2025-12-10T") == true && object["complete_as_of"] as? String == then, "\(object)")
    let words = try await run(["status"]).output
    expect(
      words.contains("2 of them are true as of 2025-12-10 18:00:00 only") && words.contains("no gate admits by"),
      "\(words)")
    let document = try String(contentsOf: repositoryFile("docs/tickets.md"), encoding: .utf8)
    for field in Array(object.keys) + Array(older[0].keys) { expect(document.contains("`\(field)`"), "\(field)") }
  }

  @Test func whatCannotBeTakenIsToldAndTheListInUseStays() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let good = try file("code\nSECRETa\n")
    try await expectEqual(run(["import", good, "--system", "main"]).status, 0)
    let bad = try await run(["import", file("code,status\nSECRETb,paid\nSECRETc,?\nSECRETd,?\n"), "--system", "main"])
    expect(bad.status == 65 && bad.errors.contains("More than half of it is bad"), "\(bad.errors)")
    try await expectEqual(run(["import", file("name\nSECRETb\n"), "--system", "main"]).status, 65)
    try await expectEqual(run(["import", folder.path, "--system", "main"]).status, 69)
    try await expectEqual(run(["import", good, "--system", "other"]).status, 64)
    try await expectEqual(run(["import", good]).status, 64)
    try await expectEqual(run(["import", good, "--system", "main", "--zone", "../etc/passwd"]).status, 64)
    try await expectEqual(run(["import", good, "--system", "main", "--as-of", "2200-01-01"]).status, 64)
    expect(try find("SECRETa") != nil)
    // Another key opens nothing.
    try FileManager.default.removeItem(atPath: "\(state)/seal-key")
    let lost = try await run(["status"])
    expect(lost.status == 69 && lost.output.contains("key is gone"), "\(lost.output)")
    try await expectEqual(run(["import", good, "--system", "main"]).status, 69)
  }

  /// Whenever an import is killed, the list is wholly the old one or wholly the new one.
  @Test func aKillAtAnyInstantLeavesAWholeList() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = try station()
    for round in 0..<12 {
      let file = try file("code,event\n" + (0..<5_000).map { "code\($0),round \(round)\n" }.joined())
      let process = Process()
      process.executableURL = try Program.executable()
      process.arguments = ["tickets", "import", file, "--system", "main", "--config", configuration, "--state", state]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // The fault itself, at an instant of its own; the first and the last one may finish.
      if round > 0, round < 11 {
        usleep(.random(in: 0..<400_000))
        kill(process.processIdentifier, SIGKILL)
      }
      process.waitUntilExit()
      let list = try reader()
      let events = try Set((0..<5_000).map { try #require(try list.find(Code("code\($0)"))?.event) })
      expectEqual(events.count, 1, "round \(round): \(events)")
      if round == 0 || round == 11 { expectEqual(events, ["round \(round)"]) }
    }
    try expectEqual(
      FileManager.default.contentsOfDirectory(atPath: state).sorted(),
      ["seal-key", "seal-key.check", "tickets-main.sqlite"])
  }

  /// What root imports is the service's.
  @Test(.enabled(if: geteuid() == 0)) func theListBelongsToTheFoldersOwner() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700, .ownerAccountID: 65_534, .groupOwnerAccountID: 65_534])
    let taken = try await run(["import", file("code\na\n"), "--system", "main"])
    expectEqual(taken.status, 0, "\(taken.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(state)/tickets-main.sqlite")
    expect(attributes[.ownerAccountID] as? Int == 65_534 && attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func codesThatCanBeGuessedAreWarnedOf() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file("code\n" + (1_000..<1_100).map { "\($0)\n" }.joined())
    let taken = try await run(["import", file, "--system", "main"])
    expect(
      taken.status == 0
        && taken.errors.contains(
          "can be guessed: 4 digits, the first 2 always the same, numbered in a row, about 6 bits"),
      "\(taken.errors)")
    expect(try await run(["status"]).output.contains("can be guessed"))
  }

  @Test func aTicketSystemIsAskedForAllThatItHasSold() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let venue = try VenueServer(
      VenueConfiguration(storage: .memory, now: { Date(timeIntervalSince1970: 1_765_981_800) }))
    let seeded = try await venue.seed(Seed(random: 1, apiKey: "a-key-for-a-test", zone: "UTC"))
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    let address = try #require(await ready.first { _ in true })
    let without = try await run(["import", "--from-system", "main"], url: address.url)
    expect(without.status == 78 && without.errors.contains("there is no credential main"), "\(without.errors)")
    _ = try await Program.run(
      ["credential", "set", "main", "--state", state], input: [UInt8]("a-key-for-a-test".utf8))
    let taken = try await run(["import", "--from-system", "main", "--zone", "UTC"], url: address.url)
    expect(taken.status == 0 && taken.output.contains("are on board"), "\(taken.errors)")
    let ofOne = try await run(["import", "--from-system", "main", "--user", "ada"], url: address.url)
    expect(ofOne.status == 69 && ofOne.errors.contains("leave out --user"), "\(ofOne.errors)")
    serving.cancel()
    _ = await serving.result
    for ticket in seeded.tickets {
      let found = try find(ticket.code, server: address.url)
      // Another organiser's tickets are not told to our key.
      if ticket.kind == .otherOrganiser { expect(found == nil) } else { expect(found != nil, "\(ticket.kind)") }
    }
  }

  // MARK: What is said of a file, and what is not taken without a word

  @Test func aColumnThatLimitsIsExplainedOnTheCommandLine() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file(
      "code;Anzahl Karten;Status;Datum\nSECRETa;2;eingebucht;05/11/2026\nSECRETb;1;bezahlt;05/11/2026\n")
    let asked = try await run(["import", file, "--system", "main"])
    expect(
      asked.status == 65 && asked.errors.contains("the column Anzahl Karten")
        && asked.errors.contains("--column quantity='Anzahl Karten'"), "\(asked.errors)")
    let taken = try await run([
      "import", file, "--system", "main", "--column", "quantity=Anzahl Karten", "--status", "valid=Eingebucht",
      "--dates",
      "day-first",
    ])
    expectEqual(taken.status, 0, "\(taken.errors)")
    try expectEqual(find("SECRETa")?.quantity, 2)
    let wrong = try await run(["import", file, "--system", "main", "--column", "colour=Anzahl"])
    expect(wrong.status == 64 && wrong.errors.contains("quantity=Anzahl"), "\(wrong.errors)")
    try await expectEqual(run(["import", "--from-system", "main", "--dates", "day-first"]).status, 64)
  }

  @Test func aListThatLosesMoreThanHalfWantsAYes() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let many = try file("code\n" + (0..<9).map { "SECRET\($0)\n" }.joined())
    try await expectEqual(run(["import", many, "--system", "main"]).status, 0)
    let few = try file("code\nSECRET0\n")
    let asked = try await run(["import", few, "--system", "main"])
    expect(
      asked.status == 65 && asked.errors.contains("has 1 tickets, and the list on board has 9")
        && asked.errors.contains("--yes"), "\(asked.errors)")
    expect(try find("SECRET8") != nil)
    try await expectEqual(run(["import", few, "--system", "main", "--yes"]).status, 0)
    expect(try find("SECRET8") == nil && find("SECRET0") != nil)
  }

  @Test func aGateThatDecidesByAListWithoutOneIsWarnedOf() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = folder.appending(path: "listed.yaml")
    let text = try String(contentsOfFile: station(), encoding: .utf8)
    let listed = text.replacing("ticketSystem: main\n", with: "ticketSystem: main\n    offline: { policy: list }\n")
    try Data(listed.utf8).write(to: configuration)
    func check() async throws -> Program.Result {
      try await Program.run(["config", "check", configuration.path, "--state", state])
    }
    let without = try await check()
    expect(
      without.status == 0 && without.errors.contains("There is no list of tickets of main on board.")
        && without.errors.contains("nobody passes at north")
        && without.errors.contains("scangate tickets import FILE --system main"), "\(without.errors)")
    let list = try file("code\nSECRETa\n")
    try await expectEqual(run(["import", list, "--system", "main"]).status, 0)
    let with = try await check()
    expect(!with.errors.contains("list of tickets"), "\(with.errors)")
    try await expectEqual(
      run(["import", list, "--system", "main", "--as-of", "2025-01-01"]).status, 0)
    expect(try await check().errors.contains("older than list.maxAge"))
  }

  /// Nobody need import what the station fetches; that it could not is told by who fetches it.
  @Test func aListThatIsFetchedByItselfIsNotMissed() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = folder.appending(path: "fetched.yaml")
    let text = try String(contentsOfFile: station(), encoding: .utf8)
      .replacing("apiKey: main }", with: "apiKey: main, list: { refresh: 10 min } }")
      .replacing("ticketSystem: main\n", with: "ticketSystem: main\n    offline: { policy: list }\n")
    try Data(text.utf8).write(to: configuration)
    let checked = try await Program.run(["config", "check", configuration.path, "--state", state])
    expect(checked.status == 0 && !checked.errors.contains("list of tickets"), "\(checked.errors)")
  }

  /// Ctrl-C in the middle: the old list stays, and nothing lies beside it.
  @Test(arguments: [SIGINT, SIGTERM]) func anInterruptedImportLeavesNothing(signal: Int32) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = try station()
    let rows = "code\n" + (0..<400_000).map { "code\($0)\n" }.joined()
    // On a busy machine an import may be over before anybody has seen that it began.
    var wasInterrupted = false
    for _ in 0..<20 where !wasInterrupted {
      try await expectEqual(run(["import", file("code\nold\n"), "--system", "main"]).status, 0)
      let many = try file(rows)
      let process = Process()
      process.executableURL = try Program.executable()
      process.arguments = ["tickets", "import", many, "--system", "main", "--config", configuration, "--state", state]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // The new list is begun, and far from whole. Who gives way to all other tests here comes too late.
      while process.isRunning, access("\(state)/tickets-main.sqlite.new", F_OK) != 0 { usleep(500) }
      if process.isRunning { kill(process.processIdentifier, signal) }
      process.waitUntilExit()
      try expectEqual(
        FileManager.default.contentsOfDirectory(atPath: state).sorted(),
        ["seal-key", "seal-key.check", "tickets-main.sqlite"])
      if process.terminationStatus == 0 { continue }
      wasInterrupted = true
      expectEqual(process.terminationStatus, 128 + signal)
      expect(try find("old") != nil)
    }
    expect(wasInterrupted)
  }

  @Test func progressIsForTerminalsAlone() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file("code\n" + (0..<20_000).map { "code\($0)\n" }.joined())
    let piped = try await run(["import", file, "--system", "main"])
    expect(piped.status == 0 && !piped.errors.contains("\u{1B}") && !piped.errors.contains("%"), "\(piped.errors)")
  }
}
