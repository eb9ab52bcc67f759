import CMockDevices
import Expectations
import Foundation
import Glibc
import Sealing
import Testing

/// `scangate credential` and `scangate factory-reset` as a technician types them.
@Suite struct CredentialTests {
  private static let secret = "hunter2VerySecretIndeed2LongerThanAnyName"
  private let folder: URL
  private let state: String

  init() throws {
    folder = try temporaryFolder()
    state = folder.appending(path: "state").path
  }

  /// Runs a command and sees to it that nothing that it says has the secret in it.
  private func run(
    _ arguments: [String], input: String = "", given: String? = nil
  ) async throws -> Program.Result {
    let environment = given.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:]
    let result = try await Program.run(
      arguments + ["--state", state], input: [UInt8](input.utf8), environment: environment)
    expect(!(result.output + result.errors).contains("hunter2"), "\(arguments)")
    return result
  }

  @Test func aCredentialIsSetListedUsedAndRemoved() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    expect(try await run(["credential", "list"]).output.contains("There is no credential"))
    let set = try await run(["credential", "set", "main"], input: "\u{feff}\u{a0} \(Self.secret) \r\n\n")
    expectEqual(set.status, 0, "\(set.errors)")
    expect(set.output.contains("\(state)/credentials/main.sealed"))
    expect(set.output.contains("a thief of the disk or card has it too"))

    let listed = try await run(["credential", "list"])
    expectEqual(listed.status, 0)
    expectEqual(listed.lines.first?.hasPrefix("main  sealed, set 2"), true)
    let json = try await run(["credential", "list", "--json"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    expect(object["key"] as? String == "file")
    let entry = try #require((object["credentials"] as? [[String: Any]])?.first)
    expect(entry["name"] as? String == "main" && entry["from"] as? String == "sealed")
    expect(entry["opens"] as? Bool == true)

    try await expectEqual(run(["credential", "remove", "main"]).status, 0)
    let again = try await run(["credential", "remove", "main"])
    expect(again.status == 69 && again.errors.contains("There is no credential main"))
    // The file of a secret, as it was once kept.
    let file = folder.appending(path: "main.key")
    try Data("\(Self.secret)\n".utf8).write(to: file)
    try await expectEqual(run(["credential", "set", "main", "--file", file.path]).status, 0)
    try await expectEqual(run(["credential", "list"]).lines.first?.hasPrefix("main  sealed"), true)
  }

  @Test func whatCannotBeASecretIsRefused() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for input in [
      "", " \n\u{200b}", "hunter2\nhunter2\n", "hunter2\u{7}", "hunter2 hunter2", "hunter2ö",
      String(repeating: "hunter2", count: 600),
    ] {
      let result = try await run(["credential", "set", "main"], input: input)
      expectEqual(result.status, 65, "\(input.utf8.count) bytes")
      expect(result.output.isEmpty)
    }
    try await expectEqual(run(["credential", "set", "main", "--file", "/nonexistent/x"]).status, 69)
    expect(!FileManager.default.fileExists(atPath: state))
  }

  @Test func aSecretOnTheCommandLineIsNotTakenAndNotRepeated() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for arguments in [["main", Self.secret], [Self.secret], ["../main"], ["scangate-seal-key"]] {
      let result = try await run(["credential", "set"] + arguments)
      expectEqual(result.status, 64)
      expect(result.errors.contains("never an argument"))
    }
    try await expectEqual(run(["credential", "remove", Self.secret]).status, 64)
  }

  /// The terminal shows the question and nothing of the answer, and shows what is typed again afterwards.
  @Test func aTerminalShowsNothingOfIt() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let terminal = try Terminal()
    let process = try terminal.start(["credential", "set", "main", "--state", state])
    expect(terminal.read(until: "not shown): "))
    expect(!terminal.isEchoing)
    // A character that is taken back, a line that is begun anew, and the marks and the line feeds of a paste.
    terminal.type("wrong\u{15}\u{1b}[200~\(Self.secret)x\u{7f}\r\n\n\u{1b}[201~\n")
    expect(terminal.read(until: "sealed."))
    await expectEqual(process.status(), 0)
    expect(terminal.isEchoing)
    expect(!terminal.seen.contains("hunter2"), "\(terminal.seen)")
    expect(!terminal.seen.contains("wrong"))
    // It is the one that was meant.
    let configuration = try station(url: "http://127.0.0.1:9")
    let result = try await run(["config", "check", configuration])
    expect(result.status == 0 && !result.errors.contains("credential"), "\(result.errors)")
  }

  /// The first half of a key in two lines is no key.
  @Test(arguments: [
    "hunter2\nhunter2\n", "hunter2\nhunter2", "\u{1b}[200~hunter2\nhunter2\u{1b}[201~", "\nhunter2 hunter2\n",
  ])
  func aPasteOfTwoLinesIsRefusedAtTheTerminalToo(paste: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let terminal = try Terminal()
    let process = try terminal.start(["credential", "set", "main", "--state", state])
    expect(terminal.read(until: "not shown): "))
    terminal.type(paste)
    expect(terminal.read(until: "The credential was not taken."))
    await expectEqual(process.status(), 65)
    expect(terminal.isEchoing)
    expect(!terminal.seen.contains("hunter2"))
    expect(!FileManager.default.fileExists(atPath: state))
  }

  @Test func anInterruptedQuestionChangesNothingAndLeavesTheTerminalAsItWas() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let terminal = try Terminal()
    let process = try terminal.start(["credential", "set", "main", "--state", state])
    expect(terminal.read(until: "not shown): "))
    terminal.type("hunter2\u{3}")
    expect(terminal.read(until: "Nothing was changed."))
    await expectEqual(process.status(), 130)
    expect(terminal.isEchoing)
    expect(!terminal.seen.contains("hunter2"))
    expect(!FileManager.default.fileExists(atPath: state))
  }

  /// Whenever `credential set` is killed, the credential is wholly the old one or wholly the new one.
  @Test func aKillAtAnyInstantLeavesAWholeCredential() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = CredentialStore(keys: SealKeySource(state: state, given: nil))
    var known: Set<String> = []
    for round in 0..<20 {
      let process = Process()
      process.executableURL = try Program.executable()
      process.arguments = ["credential", "set", "main", "--state", state]
      let input = Pipe()
      process.standardInput = input
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      try input.fileHandleForWriting.write(contentsOf: Data("value-\(round)\n".utf8))
      known.insert("value-\(round)")
      // The fault itself, at an instant of its own; the last one may finish.
      if round < 19 {
        try input.fileHandleForWriting.close()
        usleep(.random(in: 0..<60_000))
        kill(process.processIdentifier, SIGKILL)
      } else {
        try input.fileHandleForWriting.close()
      }
      process.waitUntilExit()
      // A key may be there before its check, and both before any credential: never a credential without its key.
      let found = try store.get("main")?.text
      expect(found.map(known.contains) ?? true, "\(round)")
    }
    try expectEqual(store.get("main")?.text, "value-19")
    try expectEqual(
      FileManager.default.subpathsOfDirectory(atPath: state).sorted(),
      ["credentials", "credentials/main.sealed", "seal-key", "seal-key.check"])
  }

  @Test func aMissingCredentialIsToldByTheCheckAndByTheService() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = try station(url: "http://127.0.0.1:9")
    // Before the first credential there is no folder, and a check makes none.
    let early = try await run(["config", "check", configuration])
    expectEqual(early.status, 0)
    expect(early.errors.contains("there is no credential \"main\""), "\(early.errors)")
    expect(!FileManager.default.fileExists(atPath: state))
    _ = try await run(["credential", "set", "spare"], input: Self.secret)
    let checked = try await run(["config", "check", configuration])
    expectEqual(checked.status, 0)
    expect(checked.errors.contains("\(configuration):4:"))
    expect(checked.errors.contains("scangate credential set main"))
    let running = try await run(["run", "--config", configuration])
    expectEqual(running.status, 78)
    expect(
      running.errors.contains(
        "ticketSystems.main: there is no credential main. Put it in with: scangate credential set main"))
  }

  @Test func aLostKeyIsToldByEveryCommand() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try await run(["credential", "set", "main"], input: Self.secret)
    try FileManager.default.removeItem(atPath: "\(state)/seal-key")
    let configuration = try station(url: "http://127.0.0.1:9")
    for arguments in [
      ["credential", "set", "main"], ["credential", "list"], ["credential", "list", "--json"],
      ["run", "--config", configuration],
    ] {
      let result = try await run(arguments, input: "another")
      expect(result.status != 0)
      expect((result.errors + result.output).contains("key is gone"), "\(arguments)")
    }
    expect(!FileManager.default.fileExists(atPath: "\(state)/seal-key"))
    try await expectEqual(run(["factory-reset", "--yes"]).status, 0)
    try await expectEqual(run(["credential", "set", "main"], input: Self.secret).status, 0)
  }

  /// Trouble with the disk may pass, and the service is started again; a lost key waits for somebody.
  @Test(.enabled(if: geteuid() == 0)) func aFullDiskIsNoFaultOfTheConfiguration() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    guard mount("none", state, "tmpfs", 0, "size=4k,mode=700") == 0 else { return }
    defer { umount(state) }
    try Data(count: 4_096).write(to: URL(filePath: "\(state)/full"))
    let result = try await run(["run", "--config", station(url: "http://127.0.0.1:9")])
    expect(result.status == 69 && result.errors.contains("Make room on the disk."), "\(result.errors)")
  }

  /// As systemd gives credentials to the service, and to a command that it runs.
  @Test func aCredentialOfSystemdSealsTheKeyAndComesFirst() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let given = folder.appending(path: "given")
    try FileManager.default.createDirectory(at: given, withIntermediateDirectories: true)
    let outer = (0..<4).map { _ in String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }.joined()
    try Data("\(outer)\n".utf8).write(to: given.appending(path: "scangate-seal-key"))
    let set = try await run(["credential", "set", "main"], input: Self.secret, given: given.path)
    expectEqual(set.status, 0, "\(set.errors)")
    expect(set.output.contains("the disk alone opens nothing"))
    expect(!FileManager.default.fileExists(atPath: "\(state)/seal-key"))
    let without = try await run(["credential", "list"])
    expect(without.status == 69 && without.errors.contains("scangate-seal-key, which is not given"))
    expect(without.output.contains("main  sealed"))

    try Data(Self.secret.utf8).write(to: given.appending(path: "main"))
    let listed = try await run(["credential", "list"], given: given.path)
    expect(listed.status == 0 && listed.lines.first == "main  given by systemd")
    expectEqual(listed.lines.dropFirst().first?.hasPrefix("main  sealed, set 2"), true)
    expectEqual(listed.lines.dropFirst().first?.hasSuffix(", not used: systemd gives one of this name"), true)
    let hidden = try await run(["credential", "set", "main"], input: Self.secret, given: given.path)
    expect(hidden.status == 0 && hidden.errors.contains("the service goes on using that one"))
    expect(!set.errors.contains("goes on using"))
    expect(!(listed.output + set.output + without.errors).contains(outer))
  }

  @Test func aResetAsksAndWipes() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    expect(try await run(["factory-reset", "--yes"]).output.contains("nothing to wipe"))
    _ = try await run(["credential", "set", "main"], input: Self.secret)
    let unasked = try await run(["factory-reset"])
    expect(unasked.status == 64 && unasked.errors.contains("--yes"))

    for (answer, status) in [("no", 130), ("yes", 0)] as [(String, Int32)] {
      let terminal = try Terminal()
      let process = try terminal.start(["factory-reset", "--state", state])
      expect(terminal.read(until: "Type yes: "))
      terminal.type("\(answer)\n")
      await expectEqual(process.status(), status)
      expectEqual(FileManager.default.fileExists(atPath: "\(state)/seal-key"), (status != 0))
    }
    let left = try FileManager.default.subpathsOfDirectory(atPath: state).sorted()
    expectEqual(left, ["credentials", "journal.sqlite.lock"])

    _ = try await run(["credential", "set", "main"], input: Self.secret)
    try Data().write(to: URL(filePath: "\(state)/events.jsonl"))
    let wiped = try await run(["factory-reset", "--yes"])
    expect(wiped.lines.contains("left  events.jsonl"))
    expect(wiped.output.contains("is wiped, but for what is listed as left"))
  }

  @Test func aResetLeavesWhatAServiceUses() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try await run(["credential", "set", "main"], input: Self.secret)
    let lock = open("\(state)/journal.sqlite.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let result = try await run(["factory-reset", "--yes"])
    expect(result.status == 69 && result.errors.contains("systemctl stop scangate"))
    expect(FileManager.default.fileExists(atPath: "\(state)/credentials/main.sealed"))
  }

  private func station(url: String) throws -> String {
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
}

/// A person at a terminal: a real one, of which the program has the other end.
private final class Terminal {
  private let master: Int32
  private let node: FileHandle
  private(set) var seen = ""

  init() throws {
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
    var name = [CChar](repeating: 0, count: 64)
    try #require(ptsname_r(master, &name, name.count) == 0)
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let number = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(number >= 0)
    node = FileHandle(fileDescriptor: number, closeOnDealloc: true)
  }

  deinit { close(master) }

  struct Running {
    fileprivate let ended: AsyncStream<Int32>
    func status() async -> Int32 {
      for await status in ended { return status }
      return -1
    }
  }

  func start(_ arguments: [String]) throws -> Running {
    let process = Process()
    process.executableURL = try Program.executable()
    process.arguments = arguments
    process.standardInput = node
    process.standardOutput = node
    process.standardError = node
    let (ended, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      end.yield(process.terminationStatus)
      end.finish()
    }
    try process.run()
    return Running(ended: ended)
  }

  func type(_ text: String) {
    let bytes = [UInt8](text.utf8)
    if write(master, bytes, bytes.count) != bytes.count { Issue.record("the terminal takes nothing") }
  }

  /// Reads until the words were shown; false where they do not come in half a minute.
  func read(until words: String) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !seen.contains(words) {
      var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 30_000) > 0 else { return false }
      let count = Glibc.read(master, &buffer, buffer.count)
      guard count > 0 else { return false }
      seen += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    return true
  }

  /// Whether the terminal shows what is typed.
  var isEchoing: Bool {
    var settings = termios()
    return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }
}
