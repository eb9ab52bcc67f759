import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing

@testable import Doctor

/// The report, for people and for programs.
@Suite struct ReportTests {
  private func report(_ findings: [Finding]) -> Report {
    Report(
      station: "door", version: "1", at: WallTime(seconds: 1_766_000_000), took: .milliseconds(1_234),
      findings: findings)
  }

  @Test(
    arguments: [
      ([], 0), ([.good, .note], 0), ([.good, .warning], 1), ([.warning, .fault, .good], 2),
    ] as [([Finding.Severity], Int32)]) func theWorstDecidesWhatItEndsWith(severities: [Finding.Severity], exit: Int32)
  {
    let findings = severities.map { Finding($0, .disk, "disk", "words \($0)") }
    expectEqual(report(findings).exitStatus, exit)
  }

  @Test func whatMattersMostComesFirstWithItsCure() {
    let report = report([
      Finding(.good, .disk, "disk", "It has room."),
      Finding(.warning, .clock, "clock", "It is wrong.", cure: "sudo timedatectl set-ntp true"),
      Finding(.fault, .readers, "readers.left", "It is not plugged in.", cure: "Plug it in."),
      Finding(.fault, .service, "scangate.service", "It does not run.", cure: "sudo systemctl start scangate"),
      Finding(.fault, .service, "scangate.service", "It does not run.", cure: "sudo systemctl start scangate"),
    ])
    expectEqual(
      report.lines(),
      [
        "scangate 1  door  2025-12-17T19:33:20Z  1.2 s",
        "FAULT    scangate.service: It does not run.", "         → sudo systemctl start scangate",
        "FAULT    readers.left: It is not plugged in.", "         → Plug it in.",
        "WARNING  clock: It is wrong.", "         → sudo timedatectl set-ntp true",
        "good     disk: It has room.",
        "A gate cannot admit: 2 faults, 1 warning.",
      ])
  }

  @Test func programsGetEachFieldAndTheManualHasIt() throws {
    let report = report([Finding(.warning, .clock, "clock", "It \"is\" wrong.", cure: nil)])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    let manual = try String(contentsOf: repositoryFile("docs/doctor.md"), encoding: .utf8)
    for key in object.keys { expect(manual.contains("`\(key)`"), "\(key)") }
    let findings = try #require(object["findings"] as? [[String: Any]])
    for key in findings.first?.keys.sorted() ?? [] { expect(manual.contains("`\(key)`"), "\(key)") }
    expect(findings.first?["words"] as? String == "It \"is\" wrong." && findings.first?["cure"] is NSNull)
    expect(object["exit"] as? Int == 1 && object["took_ms"] as? Double == 1_234)
    for area in Finding.Area.allCases { expect(manual.contains("`\(area.rawValue)`"), "\(area)") }
  }

  /// Names come from devices, servers and files.
  @Test func nothingInItSteersATerminal() {
    var random = SeededGenerator(seed: 19)
    for seed in 0..<200 {
      let text = String(
        String.UnicodeScalarView(
          (0..<40).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random)) }))
      let report = report([Finding(.fault, .readers, text, text + "\u{202E}\u{1B}[2J", cure: text)])
      for line in report.lines() + [report.json] {
        expect(line.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) }, "seed \(seed)")
      }
    }
  }
}
