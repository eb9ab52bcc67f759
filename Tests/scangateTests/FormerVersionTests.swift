import Expectations
import Foundation
import Glibc
import Testing

/// What former versions left behind (`Tests/Former`), read by this one.
@Suite struct FormerVersionTests {
  static let versions = Former.all

  @Test func thereAreFormerVersions() { expect(!Self.versions.isEmpty) }

  @Test(arguments: versions.flatMap(\.questions)) func itIsShownAsThen(_ question: Former.Question) async throws {
    let station = try await question.version.station(question.state)
    defer { station.remove() }
    try await expectEqual(Former.withoutAdditions(station.answer(to: question)), question.answer)
  }

  /// Fields may be added; none goes, and none becomes of another type.
  @Test(.timeLimit(.minutes(3)), arguments: versions) func eventsHaveTheirFields(_ version: Former) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.path + "/events.json"
    let evening = try await Program.run(
      ["--events", file], environment: ["TMPDIR": "/tmp"],
      launcher: ["/usr/bin/env", "python3", Former.folder.path + "/make-fixtures"])
    try #require(evening.status == 0, "\(evening.output)\(evening.errors)")
    let shapes = try Former.shapes(URL(filePath: file))
    for (kind, fields) in try Former.shapes(version.folder.appending(path: "events.json")) {
      for (field, former) in fields {
        guard let now = shapes[kind]?[field] else {
          Issue.record("The event \(kind) has no \(field) any more.")
          continue
        }
        // There may be nothing to say at any time; but what is never said any more is lost.
        let isLost = now == ["null"] && former != ["null"]
        let known = former.union(["null"])
        expect(!isLost && now.isSubset(of: known), "\(kind).\(field): \(now.sorted()), formerly \(former.sorted())")
      }
    }
  }

  /// The gates go on where those of the former version ended: who was in is in, and what was owed is told, each once. The folder is a
  /// copy, so nothing is told before somebody accepts it.
  @Test(.timeLimit(.minutes(2)), arguments: versions, ["stopped", "killed"])
  func gatesGoOn(_ former: Former, after end: String) async throws {
    let lock = try await MachineLock()
    defer { lock.release() }
    let copy = try await former.station(end)
    defer { copy.remove() }
    let owed = try await copy.owed()
    expectEqual(owed.values.reduce(0, +), end == "stopped" ? 4 : 5)

    let venue = try await FormerVenue(of: copy)
    defer { venue.end() }
    do {
      let scanners = try ["north", "south", "gala", "club-out"].map {
        try PseudoScanner(at: copy.folder.path + "/" + $0)
      }
      let socket = copy.folder.path + "/s"
      let station = try Station(text: copy.configuration, ["--state", copy.state, "--station-socket", socket])
      defer { station.end() }
      var (isDoubted, read) = (false, 0)
      _ = await station.next { event in
        switch (event["type"] as? String, event["state"] as? String) {
        case ("journal", "doubted"): isDoubted = true
        case ("device", "reading"): read += 1
        default: break
        }
        return isDoubted && read == scanners.count
      }
      expect(isDoubted && read == scanners.count, "\(station.log)")
      // Who is in by it is refused all the same, at each gate and whatever the scope.
      for (scanner, gate) in zip(scanners, ["north", "south", "gala"]) {
        let code = try #require(former.codes[gate == "south" ? "group" : "in-1"])
        let scan = await scanner.present(code, to: station)
        expectEqual(scan?["reason"] as? String, "alreadyUsed", "\(scan ?? [:])")
        expectEqual(scan?["decided_by"] as? String, "ledger")
        expectEqual(scan?["first_used_gate"] as? String, gate)
      }
      let left = await scanners[3].present(try #require(former.codes["in-1"]), to: station)
      expect(left?["verdict"] as? String == "admit" && left?["note"] as? String == "left", "\(left ?? [:])")
      let book = try await venue.book()
      try #require(book.isEmpty, "\(book)")

      try await expectEqual(
        Program.run(["journal", "accept", "--yes", "--state", copy.state, "--station-socket", socket]).status, 0)
      let accepted = await station.next { $0["type"] as? String == "journal" }
      expectEqual(accepted?["state"] as? String, "accepted")
      // On another day they are given up, and told where somebody wants it.
      var (tooLate, isTold) = (0, false)
      while !isTold {
        let event = await station.next {
          $0["state"] as? String == "tooLate" || $0["ticket_system"] as? String == "main" && $0["owed"] as? Int == 0
        }
        if try #require(event, "\(station.log)")["type"] as? String == "conflict" {
          tooLate += 1
          if tooLate == owed.values.reduce(0, +) {
            try await expectEqual(Program.run(["outbox", "retry", "--station-socket", socket]).status, 0)
          }
        } else {
          isTold = try await venue.book() == owed
        }
      }
      station.terminate()
      await expectEqual(station.status(), 0)
    }
    try await expectEqual(venue.book(), owed)
    try await expectEqual(copy.owed(), [:])

    // A second start has nothing to tell.
    let again = try Station(text: copy.configuration, ["--state", copy.state])
    defer { again.end() }
    let ready = await again.next {
      $0["type"] as? String == "gate" && $0["gate"] as? String == "north" && $0["state"] as? String == "ready"
    }
    expect(ready != nil)
    again.terminate()
    await expectEqual(again.status(), 0)
    try await expectEqual(venue.book(), owed)
  }
}

/// A version of the program, by what it left in `Tests/Former`.
struct Former: Sendable, CustomTestStringConvertible {
  static let folder = repositoryFile("Tests/Former")
  static let all: [Former] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      let made = folder.appending(path: "\(name)/made.json")
      return (try? Data(contentsOf: made)).flatMap { try? Former(folder: folder.appending(path: name), made: $0) }
    }
  }()

  private struct Made: Decodable {
    var main: String
    var codes: [String: String]
    var volatile: [[String]]
  }

  /// What was asked of it, and what it said: a paragraph of a transcript.
  struct Question: Sendable, CustomTestStringConvertible {
    var version: Former
    /// What it was asked of.
    var state: String
    var command: String
    var answer: String
    var testDescription: String { "\(version.folder.lastPathComponent), \(state): \(command)" }
  }

  let folder: URL
  /// Where its ticket system was.
  let main: String
  let codes: [String: String]
  private let volatile: [[String]]
  var testDescription: String { folder.lastPathComponent }

  private init(folder: URL, made: Data) throws {
    let made = try JSONDecoder().decode(Made.self, from: made)
    self.folder = folder
    (main, codes, volatile) = (made.main, made.codes, made.volatile)
  }

  var questions: [Question] {
    ["stopped", "killed", "whole"].flatMap { state in
      let text = (try? String(contentsOf: folder.appending(path: "\(state).txt"), encoding: .utf8)) ?? ""
      return text.components(separatedBy: "$ scangate ").dropFirst().map { paragraph in
        let (command, answer) = (paragraph.prefix { $0 != "\n" }, paragraph.drop { $0 != "\n" }.dropFirst())
        return Question(version: self, state: state, command: String(command), answer: String(answer))
      }
    }
  }

  /// What the journal tells of a scan besides: it stands last, and a former version had none of it.
  private static let additions = ["event_id", "event", "annulled_at"]

  /// Puts away what came later; empty, as it is for a scan of then.
  static func withoutAdditions(_ text: String) -> String {
    let header = "outbox_said" + additions.map { ",\($0)" }.joined()
    let isTable = text.contains(header)
    return text.components(separatedBy: "\n").map { line in
      if isTable, line.hasSuffix(header) { return String(line.dropLast(header.count - "outbox_said".count)) }
      let cells = String(repeating: ",", count: additions.count)
      if isTable, line.hasSuffix(cells) { return String(line.dropLast(cells.count)) }
      return line.replacing(additions.map { ",\"\($0)\":null" }.joined() + "}", with: "}")
    }.joined(separator: "\n")
  }

  /// Puts what depends on the time of asking away.
  func withoutTime(_ text: String) throws -> String {
    try volatile.reduce(text) { text, pair in
      text.replacing(try Regex(pair[0]), with: pair[1])
    }
  }

  /// Of each kind of event its fields, and the types that each has.
  static func shapes(_ file: URL) throws -> [String: [String: Set<String>]] {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: [String: [Any]]]
    return try #require(object).mapValues { fields in
      fields.mapValues { types in Set(types.map { "\($0)" }) }
    }
  }

  /// A copy of what its station had.
  func station(_ state: String) async throws -> FormerStation {
    let copy = FormerStation(version: self, folder: try temporaryFolder())
    for name in ["trust.txt", "ca.pem", "venue.key", "tickets.csv"] {
      try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.folder.appending(path: name))
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.folder.path + "/venue.key")
    for name in ["station.yaml", "whole.yaml"] {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      try Data(text.replacing("FOLDER", with: copy.folder.path).utf8).write(to: copy.folder.appending(path: name))
    }
    let archive = folder.appending(path: "\(state).tar.gz").path
    if FileManager.default.fileExists(atPath: archive) {
      let unpacked = try await Program.run(
        [], launcher: ["/bin/sh", "-c", "tar -xpzf \"$0\" -C \"$1\" --no-same-owner", archive, copy.folder.path])
      try #require(unpacked.status == 0, "\(unpacked.errors)")
    } else {
      try FileManager.default.createDirectory(
        atPath: copy.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    return copy
  }
}

/// A copy of what a station of a former version had.
struct FormerStation {
  let version: Former
  let folder: URL
  var state: String { folder.path + "/state" }
  var configuration: String {
    get throws { try String(contentsOf: folder.appending(path: "station.yaml"), encoding: .utf8) }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// What this version says, as the transcript has it.
  func answer(to question: Former.Question) async throws -> String {
    let words = question.command.split(separator: " ").map { word in
      switch word {
      case "STATION": folder.path + "/station.yaml"
      case "WHOLE": folder.path + "/whole.yaml"
      default:
        word.wholeMatch(of: /CODE\((.+)\)/).flatMap { version.codes[String($0.output.1)] } ?? String(word)
      }
    }
    let result = try await Program.run(
      words + ["--state", state], environment: ["TZ": "UTC", "LC_ALL": "C.UTF-8"])
    let errors = result.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { "! \($0)\n" }
    let end = result.status == 0 ? "" : "(ends with \(result.status))\n"
    let text = result.output.replacing("\r\n", with: "\n") + errors.joined() + end + "\n"
    return try version.withoutTime(text.replacing(folder.path, with: "FOLDER"))
  }

  /// How often the ticket system has still to be told of each code.
  func owed() async throws -> [String: Int] {
    let export = try await Program.run(["outbox", "export", "--with-codes", "--format", "json", "--state", state])
    expectEqual(export.status, 0, "\(export.errors)")
    let waiting = try export.lines.map { try Self.object($0) }.filter {
      ["waiting", "tooLate"].contains($0["state"] as? String)
    }
    return Dictionary(waiting.compactMap { ($0["code"] as? String).map { ($0, 1) } }, uniquingKeysWith: +)
  }

  static func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }
}

/// The ticket system of a former station, with its tickets as they were before the evening, and at its address: what a journal remembers
/// belongs to that.
private final class FormerVenue {
  private let process = Process()
  private let control: String

  init(of station: FormerStation) async throws {
    control = station.folder.path + "/venue.sock"
    process.executableURL = try Program.executable()
    process.arguments = [
      "venue", "serve", "--listen", station.version.main, "--import", station.folder.path + "/tickets.csv",
      "--api-key-file", station.folder.path + "/venue.key", "--control", control, "--no-limits",
    ]
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let reading = output.fileHandleForReading
    let isServing = await withCheckedContinuation { continuation in
      Thread {
        var (text, isTold) = ("", false)
        while case let data = someBytes(of: reading), !data.isEmpty {
          text += String(decoding: data, as: UTF8.self)
          if !isTold, text.contains("http://") {
            isTold = true
            continuation.resume(returning: true)
          }
        }
        if !isTold { continuation.resume(returning: false) }
      }.start()
    }
    try #require(isServing, "nothing serves at \(station.version.main)")
  }

  /// How often it was told of each code.
  func book() async throws -> [String: Int] {
    let book = try await Program.run(["venue", "book", "--control", control, "--full", "--json"])
    expectEqual(book.status, 0, "\(book.errors)")
    let codes = try book.lines.compactMap { try FormerStation.object($0)["code"] as? String }
    return Dictionary(codes.map { ($0, 1) }, uniquingKeysWith: +)
  }

  func end() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// One at a time on this machine: an address can be had once.
private final class MachineLock: Sendable {
  private let descriptor: Int32

  init() async throws {
    let root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(root >= 0)
    descriptor = root
    await withCheckedContinuation { continuation in
      Thread {
        while flock(root, LOCK_EX) != 0, errno == EINTR {}
        continuation.resume()
      }.start()
    }
  }

  func release() { close(descriptor) }
}
