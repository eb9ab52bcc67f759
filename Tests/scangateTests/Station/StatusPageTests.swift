import Expectations
import ScanModel
import StationProtocol
import StationReport
import Testing

@testable import scangate

/// The page of `scangate status`.
@Suite struct StatusPageTests {
  private func page(_ change: (inout StationSnapshot) -> Void = { _ in }) -> [ScreenLine] {
    var station = Fixture.station
    change(&station)
    let remarks = StationJudgement.remarks(on: station, program: Scangate.version)
    return StatusPage(station, remarks: remarks, clock: Fixture.clock).lines
  }

  @Test func whereAllIsWellItSaysSoFirst() {
    let lines = page().text.split(separator: "\n").map(String.init)
    expectEqual(lines.first, "[✓ ALL IS WELL]  door  scangate \(Scangate.version), running for 3 h")
    expect(lines.contains { $0.hasPrefix("  ✓ north  ready") && $0.contains("412 in") }, "\(lines)")
    expect(lines.contains { $0.hasPrefix("  ✓ south  ready") && $0.contains("31 out") }, "\(lines)")
    expect(lines.contains { $0.contains("eventschedule at venue.example:443  answers  55 of 60 requests left") })
    expect(
      lines.contains { $0.contains("our clock 0.2 s behind its own") && $0.contains("list: 4812 tickets, 12 min old") })
    expect(lines.contains { $0.hasPrefix("  ✓ outbox") && $0.contains("nothing waits") })
  }

  @Test func whatIsNotWellComesFirstWithItsCure() {
    let lines = page {
      $0.gates[0].condition = .init(state: "fault", detail: "venue.example does not know our key")
      $0.gates[0].reason = .keyRefused
      $0.outbox.isHeld = true
    }.text.split(separator: "\n").map(String.init)
    expectEqual(lines.first?.hasPrefix("[✗ A GATE CANNOT ADMIT]  door"), true)
    expectEqual(
      Array(lines.dropFirst().prefix(3)),
      [
        "  ✗ gate north: it cannot decide (keyRefused): venue.example does not know our key",
        "  ! outbox: nothing is sent from it: staff hold it", "      → scangate outbox retry",
      ])
    expect(lines.contains { $0.hasPrefix("  ✗ north  fault keyRefused") }, "\(lines)")
    expect(lines.contains { $0.hasPrefix("  ! outbox") && $0.contains("held") }, "\(lines)")
  }

  @Test func diskAndCertificateAreShownWhereTheyAreNotWell() {
    func text(_ days: Int64, free: UInt64) -> String {
      page {
        $0.ticketSystems[0].certificateEnds = $0.at + .seconds(days * 86_400)
        $0.disk = .init(free: free, size: 8_000_000_000)
      }.text
    }
    let well = text(31, free: 4_000_000_000)
    expect(!well.contains("certificate") && !well.contains("disk"), "\(well)")
    let bad = text(12, free: 100_000_000)
    expect(bad.hasPrefix("[! LOOK]  door"), "\(bad)")
    expect(bad.contains("  ! certificate of venue: it ends in 12 days (2026-12-03T18:42:07Z): have it renewed by "))
    expect(bad.contains("  ! disk: it is filling up: 100 of 8000 MB are free\n      → scangate doctor\n"), "\(bad)")
    expect(
      bad.contains("certificate until 2026-12-03T18:42:07Z") && bad.contains("  ! disk             100 of 8000 MB"))
  }

  /// By colour alone nobody is told: the same page without colours has the same words and marks.
  @Test func coloursAddNothing() throws {
    let lines = page { $0.outbox.conflicts = 1 }
    for line in lines {
      let painted = line.text(Paint(isColourful: true)).replacing(try Regex("\u{1B}\\[[0-9;]*m"), with: "")
      let plain = line.text(Paint(isColourful: false))
      expectEqual(painted.count, plain.count)
      expect(painted.filter(\.isLetter) == plain.filter(\.isLetter))
    }
  }

  @Test func textsFromOutsideCannotReachTheTerminal() {
    let text = page {
      $0.station = Fixture.hostile
      $0.gates[0].condition = .init(state: "fault", detail: Fixture.hostile)
      $0.readers[0].condition = .init(state: "failed", detail: Fixture.hostile)
      $0.gates[1] = .init(
        id: GateID(Fixture.hostile), condition: .init(state: Fixture.hostile), ticketSystem: .init("x"))
      $0.ticketSystems[0].host = Fixture.hostile
      $0.ticketSystems[0].doubt = Fixture.hostile
      $0.control = .init()
      $0.control?.server = Fixture.hostile
      $0.control?.words = [Fixture.hostile]
    }.text
    expect(text.unicodeScalars.allSatisfy { $0 == "\n" || TerminalText.isHarmless($0) })
  }
}
