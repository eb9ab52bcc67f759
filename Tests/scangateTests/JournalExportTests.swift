import Expectations
import Foundation
import Journal
import ScanModel
import ScanTesting
import Testing

/// `scangate journal export`: forms, files and bounds.
@Suite struct JournalExportTests {
  /// Reads CSV as RFC 4180 has it.
  private static func records(_ text: String) -> [[String]] {
    var (records, record, cell) = ([[String]](), [String](), "")
    var isQuoted = false
    var scalars = Array(text.unicodeScalars)[...]
    while let next = scalars.popFirst() {
      switch next {
      case "\"" where isQuoted && scalars.first == "\"":
        scalars.removeFirst()
        cell += "\""
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        record.append(cell)
        cell = ""
      case "\r" where !isQuoted && scalars.first == "\n":
        scalars.removeFirst()
        records.append(record + [cell])
        (record, cell) = ([], "")
      default: cell.unicodeScalars.append(next)
      }
    }
    expect(record.isEmpty && cell.isEmpty && !isQuoted)
    return records
  }

  @Test func noCellIsAFormulaAndEachIsReadBack() async throws {
    var random = SeededGenerator(seed: 4_180)
    let pieces = [
      "=", "+", "-", "@", "\t", "\r", "\n", ",", "\"", "'", "a", "ä", "\u{1B}[2J", "\u{202E}", "1", " ", ";", "＝",
    ]
    func text() -> String {
      (0..<Int.random(in: 1...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }
    let scans = (0..<200).map { index in
      journaled(text() + "12345678", at: 1_766_000_000 + Int64(index)) {
        $0.detail = text()
        $0.note = text()
        $0.outputFault = text()
        $0.entryID = text()
      }
    }
    let fixture = try JournalFixture()
    try await fixture.write(scans.map { .scan($0) })
    let result = try await fixture.run(["export", "--format", "csv", "--codes"])
    expectEqual(result.status, 0, "\(result.errors)")
    expect(!result.output.contains("\u{1B}") && !result.output.contains("\u{202E}"))
    let records = Self.records(result.output)
    let header = try #require(records.first)
    expectEqual(records.count, 201)
    let column = try #require(header.firstIndex(of: "detail"))
    func plain(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber || $0 == "," || $0 == "\"" } }
    for (record, scan) in zip(records.dropFirst(), scans) {
      expectEqual(record.count, header.count)
      for cell in record { expect(!"=+-@\t\r＝".unicodeScalars.contains(cell.unicodeScalars.first ?? " "), "\(cell)") }
      expectEqual(plain(record[column]), plain(scan.detail?.filter { $0 != "\u{1B}" } ?? ""))
    }
    let lines = try await fixture.objects(["export", "--format", "json", "--codes"])
    expectEqual(lines.compactMap { $0["code"] as? String }, scans.map(\.scan.code.text))
    expectEqual(lines.compactMap { $0["detail"] as? String }, scans.map(\.detail))
  }

  @Test func codesAreShortenedUnlessTheyAreAskedFor() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([.scan(journaled("TICKET-0001") { $0.holder = "Ada Lovelace" })])
    let file = fixture.folder.path + "/scans.csv"
    let short = try await fixture.run(["export", "--format", "csv", "--output", file])
    expect(short.status == 0 && short.output.isEmpty && short.errors.isEmpty, "\(short.errors)")
    var text = try String(contentsOfFile: file, encoding: .utf8)
    expect(text.contains("…0001") && !text.contains("TICKET") && !text.contains("Ada"))
    expect(text.contains(",2025-12-17T19:33:20.000Z,true,50.000,boot 1,,,,,,\r\n"))

    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let whole = try await fixture.run(["export", "--format", "csv", "--codes", "--output", file])
    expectEqual(whole.status, 0)
    expect(whole.errors.contains("holds whole codes"))
    text = try String(contentsOfFile: file, encoding: .utf8)
    expect(text.contains("TICKET-0001") && !text.contains("Ada"))
    expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    // Nothing else was left there.
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
    expect(!names.contains { $0.hasSuffix(".new") })
  }

  /// Who reads by place goes on: what came later stands last.
  @Test func theEventOfAScanStandsBehindWhatWasThereBefore() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([
      .scan(
        journaled("TICKET-0001") { scan in
          (scan.eventID, scan.event) = ("456", "Concert 2025")
        }), .scan(journaled("TICKET-0002") { $0.eventID = "Mzg5Mjg2" }), .scan(journaled("TICKET-0003")),
    ])
    let records = Self.records(try await fixture.run(["export", "--format", "csv"]).output)
    expectEqual(
      records.first?.dropFirst(23).prefix(6),
      ["outbox", "outbox_reason", "outbox_said", "event_id", "event", "annulled_at"])
    expectEqual(
      records.dropFirst().map { Array($0.dropFirst(26).prefix(2)) },
      [["456", "Concert 2025"], ["Mzg5Mjg2", ""], ["", ""]])
    let lines = try await fixture.objects(["list", "--json"])
    expectEqual(lines.map { $0["event_id"] as? String }, ["456", "Mzg5Mjg2", nil])
    let id = try #require(lines.first?["id"] as? String)
    let shown = try await fixture.run(["show", id])
    expect(shown.output.contains("Concert 2025 (456)"), "\(shown.output)")
  }

  @Test func whatWasAnnulledIsToldOnItsScan() async throws {
    let fixture = try JournalFixture()
    let scan = journaled("TICKET-0001")
    try await fixture.write([
      .scan(scan), .scan(journaled("TICKET-0002")),
      .annulled(AnnulledAdmission(scan: scan.scan.id, admission: AttemptID(), at: scan.at)),
    ])
    let lines = try await fixture.objects(["list", "--json"])
    expectEqual(lines.map { $0["annulled_at"] as? String }, ["2025-12-17T19:33:20.000Z", nil])
    let list = try await fixture.run(["list"])
    expectEqual(list.lines.map { $0.contains("annulled") }, [true, false])
    let shown = try await fixture.run(["show", scan.scan.id.description])
    expect(shown.output.contains("nobody passed"), "\(shown.output)")
  }

  @Test func aFileIsReplacedWhollyOrNotAtAll() async throws {
    let fixture = try JournalFixture()
    try await fixture.write((0..<2_000).map { .scan(journaled("code \($0)")) })
    let file = fixture.folder.path + "/scans.json"
    try Data("before".utf8).write(to: URL(filePath: file))
    // A damaged journal breaks it off half-way.
    let journal = try FileHandle(forUpdating: URL(filePath: fixture.path))
    let size = try journal.seekToEnd()
    try journal.seek(toOffset: size / 2 / 4_096 * 4_096)
    try journal.write(contentsOf: Data(repeating: 0xFF, count: 4_096))
    try journal.close()
    try await expectEqual(fixture.run(["export", "--format", "json", "--output", file]).status, 1)
    try expectEqual(String(contentsOfFile: file, encoding: .utf8), "before")
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
    expect(!names.contains { $0.hasSuffix(".new") })
    // A device is not replaced by a file.
    let link = fixture.folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    let device = try await fixture.run(["export", "--format", "json", "--output", link])
    expectEqual(device.status, 74)
    expect(device.errors.contains("\(link) cannot be written: it is a device, a link or a folder"))
    try await expectEqual(fixture.run(["export", "--format", "json", "--output", "/nonexistent/file"]).status, 74)
  }

  @Test func manyScansNeedNoMoreMemoryThanAFew() async throws {
    let few = try await mostMemory(exporting: 2_000)
    let many = try await mostMemory(exporting: 40_000)
    // What was kept of 38,000 more would show.
    expect(few > 0)
    expect(many < few + 8_000, "\(few) kB, \(many) kB")
  }

  /// The most memory that it takes to export so many scans, in kB.
  private func mostMemory(exporting count: Int) async throws -> Int {
    let fixture = try JournalFixture()
    let sample = journaled("TICKET-0001") { $0.detail = String(repeating: "Day ticket ", count: 8) }
    try await fixture.write(Array(repeating: .scan(sample), count: count))
    let process = Process()
    process.executableURL = try Program.executable()
    process.arguments = ["journal", "export", "--format", "json", "--state", fixture.folder.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let (most, lines) = await withCheckedContinuation { continuation in
      Thread {
        var (lines, most) = (0, 0)
        while case let data = someBytes(of: pipe.fileHandleForReading), !data.isEmpty {
          lines += data.count { $0 == 0x0A }
          // While it waits for this reader, with more to tell than a pipe takes: afterwards there is nothing to ask.
          if most == 0, lines > count - 1_000 { most = Self.mostMemory(process.processIdentifier) }
        }
        continuation.resume(returning: (most, lines))
      }.start()
    }
    process.waitUntilExit()
    expectEqual(process.terminationStatus, 0)
    expectEqual(lines, count)
    return most
  }

  /// The most memory that a process has had at once, in kB.
  private static func mostMemory(_ process: Int32) -> Int {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
