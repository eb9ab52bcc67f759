import CMockDevices
import Expectations
import Foundation
import Glibc
import ScanModel
import Testing
import VenueServer

/// What a service writes for those who run it: its log, and the file of its events.
@Suite struct ServiceLogTests {
  /// Starts the program as systemd does, with its errors in a stream that the variable names, or does not.
  private func underJournal(_ arguments: [String], stream: String) async throws -> Program.Result {
    try await Program.run(
      arguments,
      launcher: ["/bin/sh", "-c", "export JOURNAL_STREAM=\"\(stream)\"; exec \"$@\"", "sh"])
  }

  @Test func theLastWordsOfAServiceHaveTheirPriority() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "bad.yaml").path
    try Data("version: 1\nreaders: {}\n".utf8).write(to: URL(filePath: file))
    let own = "$(stat -L -c %d:%i /proc/self/fd/2)"
    for (arguments, status) in [
      (["run", "--config", file], 78), (["run", "--nonsense"], 64),
      (["journal", "list", "--state", folder.path + "/none"], 69),
    ] {
      let told = try await underJournal(arguments, stream: own)
      let lines = told.errors.split(separator: "\n")
      expect(told.status == Int32(status) && !lines.isEmpty, "\(arguments): \(told.status) \(told.errors)")
      expect(lines.contains { $0.hasPrefix("<3>") }, "\(told.errors)")
      expectEqual(told.errors.contains("scangate: "), status == 69)
      // A shell under a service may have its errors elsewhere.
      let elsewhere = try await underJournal(arguments, stream: "8:1")
      expect(elsewhere.status == Int32(status) && !elsewhere.errors.contains("<3>"), "\(elsewhere.errors)")
    }
  }

  @Test func theHoldersLastWordsHaveTheirPriorityToo() async throws {
    let program = try Program.executable("scangate-outputs").path
    for (stream, hasPriority) in [("$(stat -L -c %d:%i /proc/self/fd/2)", true), ("8:1", false)] {
      for arguments in ["--nonsense", ""] {
        let told = try await Program.run(
          [],
          launcher: ["/bin/sh", "-c", "export JOURNAL_STREAM=\"\(stream)\"; exec \(program) \(arguments)", "sh"])
        expectEqual(told.status, 64)
        expectEqual(told.errors.hasPrefix("<3>"), hasPriority, "\(told.errors)")
      }
    }
  }

  @Test func eventsGoOnInANewFileAfterSIGHUP() async throws {
    let station = try Station(events: "events.jsonl")
    defer { station.end() }
    expect(try station.manager.next(with: "READY=1"))
    let file = station.folder.appending(path: "events.jsonl")
    let rotated = station.folder.appending(path: "events.jsonl.1")
    try FileManager.default.moveItem(at: file, to: rotated)
    station.reload()
    expect(try station.manager.next(with: "RELOADING=1"))
    expect(try station.manager.next(with: "READY=1"))
    station.terminate()
    await expectEqual(station.status(), 0)

    let (before, after) = (try types(rotated), try types(file))
    expect(!before.contains("configuration applied") && after.contains("configuration applied"), "\(before) \(after)")
    // Whatever happened at the start is in one of them.
    expect((before + after).contains("device parked"), "\(before) \(after)")
  }

  @Test func eventsGoOnInTheOldFileWhereThereCanBeNoNewOne() async throws {
    let station = try Station(events: "events.jsonl")
    defer { station.end() }
    expect(try station.manager.next(with: "READY=1"))
    let file = station.folder.appending(path: "events.jsonl")
    let rotated = station.folder.appending(path: "events.jsonl.1")
    try FileManager.default.moveItem(at: file, to: rotated)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    station.reload()
    expect(try station.manager.next(with: "RELOADING=1"))
    expect(try station.manager.next(with: "READY=1"))
    station.terminate()
    await expectEqual(station.status(), 0)
    expect(try types(rotated).contains("configuration applied"))
    expect(
      station.log.contains("\(file.path) cannot be opened anew")
        && station.log.contains("go on into the file that was open") && !station.log.contains("free space"),
      "\(station.log)")
  }

  /// What the lines of a file of events are about.
  private func types(_ url: URL) throws -> [String] {
    try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return "\(object?["type"] as? String ?? "?") \(object?["state"] as? String ?? "")"
    }
  }

  @Test func theLogTellsWhatIsAskedForInWordsForStaff() async throws {
    func log(_ arguments: String...) async throws -> String {
      let station = try Station(arguments)
      defer { station.end() }
      expect(await station.next { $0["type"] as? String == "device" } != nil)
      station.terminate()
      await expectEqual(station.status(), 0)
      return station.log
    }
    let usual = try await log()
    expect(usual.contains("Reader left is not plugged in") && !usual.contains("parked"), "\(usual)")
    let errors = try await log("--log-level", "error")
    expect(!errors.contains("notice:") && !errors.contains("info:"), "\(errors)")
    let wrong = try await Program.run(["run", "--log-level", "loud"])
    expect(wrong.status == 64 && wrong.errors.contains("warning"), "\(wrong.errors)")
  }

  @Test func whoIsAwayAtTheStartIsToldWithHostAndPlace() async throws {
    let station = try Station()
    defer { station.end() }
    let ready = await station.next { $0["type"] as? String == "gate" && $0["state"] as? String == "ready" }
    expect((ready?["detail"] as? String)?.contains("nobody passes here until it does") == true, "\(ready ?? [:])")
    station.terminate()
    await expectEqual(station.status(), 0)
    let log = station.log
    expect(log.contains("Ticket system main is offline (noConnection). 127.0.0.1:9 takes no connection."), "\(log)")
    expect(log.contains("Check url (\(station.folder.path)/station.yaml:4:"), "\(log)")
    expect(log.contains("Gate north is ready, with a reservation: main does not answer"), "\(log)")
  }

  /// What is doubtful in the file is a warning, at the start as later; what ends the service says where it comes from.
  @Test func aStartThatFailsNamesThePlaceAndWarnsByTheLevel() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "station.yaml").path
    let text = """
      version: 1
      station: { name: door }
      ticketSystems: { main: { type: eventschedule, url: "https://tickets.example/api", apiKey: main } }
      readers: { left: { type: wedge, match: { vendor: "0c2e" }, keymap: us } }
      gates: { north: { readers: [left], ticketSystem: main } }
      """
    try Data(text.utf8).write(to: URL(filePath: file))
    for (level, warns) in [("warning", true), ("error", false)] {
      let result = try await Program.run(
        ["run", "--config", file, "--state", folder.path + "/state", "--log-level", level])
      expectEqual(result.status, 78)
      expect(
        result.errors.contains(file + ":3:")
          && result.errors.contains(": ticketSystems.main: there is no credential main"),
        "\(result.errors)")
      expectEqual(result.errors.contains("warning: \(file):3:"), warns, "\(result.errors)")
    }
  }

  /// A scanner on a pseudo-terminal, and a venue that names who holds the ticket.
  @Test(.timeLimit(.minutes(2)), arguments: [false, true])
  func holdersAreInNoLogUnlessAskedFor(isAskedFor: Bool) async throws {
    let venue = try VenueServer(VenueConfiguration())
    let seeded = try await venue.seed(Seed(random: 1))
    let ticket = try #require(seeded.tickets.first { $0.kind == .entry })
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    defer { serving.cancel() }
    let address = try #require(await ready.first { _ in true })
    let scanner = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(scanner) }
    var name = [CChar](repeating: 0, count: 64)
    try #require(grantpt(scanner) == 0 && unlockpt(scanner) == 0 && ptsname_r(scanner, &name, name.count) == 0)
    let node = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let station = try Station(
      text: """
        version: 1
        station: { name: door }
        ticketSystems: { main: { type: eventschedule, url: "\(address.url)", apiKeyFile: KEY } }
        readers: { left: { type: serial, match: { path: \(node) } } }
        gates: { north: { readers: [left], ticketSystem: main, deadline: 10 s, stale: 1 min, holdOff: 0 s } }
        """, apiKey: try #require(seeded.apiKey), isAskedFor ? ["--log-holders"] : [])
    defer { station.end() }
    expect(await station.next { $0["type"] as? String == "device" && $0["state"] as? String == "reading" } != nil)
    // Read until the first silence is over: what comes before it is thrown away. On a busy machine an answer may be too late, and the
    // next presentation is admitted on it.
    var scan: [String: Any]?
    let line = Array((ticket.code + "\r").utf8)
    repeat {
      _ = write(scanner, line, line.count)
      scan = await station.next { ["scan", "discarded"].contains($0["type"] as? String) }
    } while scan?["type"] as? String == "discarded" || scan?["verdict"] as? String == "undecided"
    expect(scan?["verdict"] as? String == "admit" && scan?["holder"] as? String == ticket.holder, "\(scan ?? [:])")
    station.terminate()
    await expectEqual(station.status(), 0)
    let log = station.log
    expect(log.contains("Gate north: admit"), "\(log)")
    expectEqual(log.contains(ticket.holder), isAskedFor, "\(log)")
  }
}

/// `-h` is help, wherever it stands; a time that begins with a dash is none.
@Suite struct HelpTests {
  @Test(arguments: [
    ["journal", "list"], ["journal", "export"], ["journal", "conflicts"], ["journal", "floods"], ["tickets", "import"],
    ["run"], ["venue", "serve"], ["journal", "list", "--from", "-2h"],
  ]) func helpIsShown(_ command: [String]) async throws {
    let help = try await Program.run(command + ["-h"])
    expect(help.status == 0 && help.output.contains("OVERVIEW") && help.output.contains("-h, --help"), "\(help.errors)")
  }

  @Test func everyCommandShowsItsHelp() async throws {
    struct Tool: Decodable {
      struct Command: Decodable {
        var commandName: String
        var subcommands: [Command]?
      }
      var command: Command
    }
    let dump = try await Program.run(["--experimental-dump-help"])
    let root = try JSONDecoder().decode(Tool.self, from: Data(dump.output.utf8)).command
    var paths: [[String]] = []
    func walk(_ command: Tool.Command, _ path: [String]) {
      paths.append(path)
      for below in command.subcommands ?? [] where below.commandName != "help" {
        walk(below, path + [below.commandName])
      }
    }
    walk(root, [])
    expect(paths.count > 40 && paths.contains(["journal", "conflicts"]), "\(paths)")
    for path in paths {
      let help = try await Program.run(path + ["-h"])
      expect(help.status == 0 && help.output.contains("USAGE: scangate"), "\(path): \(help.errors)")
    }
  }

  @Test func aTimeIsNoCryForHelp() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([.scan(journaled("a code", at: SystemTime().wall().seconds - 60))])
    for arguments in [["--from", "-2h", "--frm"], ["--from", "-2x"], ["--limit", "no", "--from", "-2h"]] {
      let result = try await fixture.run(["list"] + arguments)
      expect(result.status == 64 && !result.output.contains("OVERVIEW"), "\(arguments): \(result.output)")
    }
    try await expectEqual(fixture.run(["list", "--from", "-2h"]).lines.count, 1)
    try await expectEqual(fixture.run(["conflicts", "--from", "-2h"]).status, 0)
  }
}
