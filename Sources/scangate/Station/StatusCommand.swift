import ArgumentParser
import ScanModel
import StationProtocol
import StationReport

/// `scangate status`
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show whether all is well at this station.",
    discussion: """
      Asks the service that runs: its gates, readers, ticket systems, outbox, journal and control service. No ticket system is \
      asked. Ends with 0 where all is well, with 1 where somebody should look, and with 2 where a gate cannot admit, or no service \
      runs.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var station: StationArgument

  func run() async throws {
    let client = try station.client("status")
    await client.start()
    let answer: Result<StationSnapshot, StationAbsence>
    do throws(StationAbsence) {
      answer = .success(try await client.snapshot(within: .seconds(2)))
    } catch {
      answer = .failure(error)
    }
    await client.stop()
    let remarks: [StationRemark]
    switch answer {
    case .success(let snapshot):
      remarks = StationJudgement.remarks(on: snapshot, program: Scangate.version)
      show(snapshot, remarks)
    case .failure(let absence):
      // Of a service that runs and does not speak with us nothing is known.
      if [.notAllowed, .refused].contains(absence.kind) { throw failure(absence.description) }
      remarks = [StationRemark(.cannotAdmit, .service, absence.description)]
      if json {
        Terminal.out(StatusJSON.text(absence, remarks))
      } else {
        Terminal.out(StatusPage.badge(remarks).text(Paint(isColourful: Terminal.isColourful)))
        _ = failure(absence.description)
      }
    }
    if let weight = remarks.first?.weight { throw ExitCode(weight.rawValue) }
  }

  private func show(_ snapshot: StationSnapshot, _ remarks: [StationRemark]) {
    if json { return Terminal.out(StatusJSON.text(snapshot, remarks)) }
    let paint = Paint(isColourful: Terminal.isColourful)
    let page = StatusPage(snapshot, remarks: remarks, clock: PageClock(now: snapshot.at))
    for line in page.lines { Terminal.out(line.text(paint)) }
  }
}
