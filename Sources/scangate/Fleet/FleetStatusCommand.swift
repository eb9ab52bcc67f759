import ArgumentParser
import FleetBook
import FleetSetUp
import Glibc
import JetStreamClaims
import LinuxIO
import ScanModel
import Service

/// `scangate fleet status`
struct FleetStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show who leads a fleet's book, who lags, and when each station has written last.",
    discussion: """
      With the fleet's folder the servers are asked by the key of whoever administers; without it by what this station is to its fleet, \
      as its configuration has it (as root): it sees the same, but not which stations were revoked. Ends with 0 where all is well, with 1 \
      where somebody should look, and with 2 where nothing can be claimed.
      """)

  @Argument(
    help: ArgumentHelp("The fleet's folder. Without it this station's fleet.", valueName: "folder"),
    completion: .directory)
  var folder: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var configuration: ConfigurationArgument

  @OptionGroup var state: StateArgument

  /// So many of the last writes are looked at for stations' last words.
  private static let looked: UInt64 = 10_000

  func run() async throws {
    let view = try FleetView.open(folder, configuration, state)
    let store = try connected(view.settings)
    let time = SystemTime()
    var facts = await told(store, within: .seconds(6))
    var status = view.status(facts, time.wall())
    if let before = facts.bucket {
      let begin = time.now()
      let last = before.last.number
      status.words = await words(store, after: ClaimRevision(last > Self.looked ? last - Self.looked : 0))
      try? await Task.sleep(for: .seconds(2))
      facts = await store.facts(until: time.now() + .seconds(2))
      let lasted = Double((time.now() - begin).saturatedNanoseconds) / 1e9
      if let after = facts.bucket, after.last >= before.last, lasted > 0 {
        status.facts = facts
        status.rate = Double(after.last.number - before.last.number) / lasted
      }
    }
    if facts.bucket != nil, let seal = view.seal {
      status.said = await FleetWords.read(store, seal, until: time.now() + .seconds(5))
    }
    await store.stop()
    status.certificates = await FleetCertificates.look(view.settings, within: .seconds(3))
    status.now = time.wall()
    if json {
      Terminal.out(status.json(fleet: view.fleet, event: view.event, rotation: view.rotation))
    } else {
      for line in status.page(fleet: view.fleet, event: view.event) { Terminal.out(line) }
      if let rotation = view.rotation, let folder {
        Terminal.error("\(rotation) is under way: scangate fleet rotate next \(TerminalText.clean(folder))")
      }
    }
    switch status.health {
    case .well: break
    case .look: throw ExitCode(1)
    case .none: throw ExitCode(2)
    }
  }

  /// When each station has written last, of the writes after a revision.
  private func words(_ store: JetStreamClaimStore, after revision: ClaimRevision) async -> [StationID: WallTime] {
    let looking = Task {
      var words: [StationID: WallTime] = [:]
      watching: for await news in store.watch(after: revision) {
        switch news {
        case .stored(let claim):
          guard let station = ClaimSeal.author(of: claim.value) else { continue }
          words[station] = words[station].map { max($0, claim.time) } ?? claim.time
        case .deleted: continue
        case .caughtUp, .interrupted: break watching
        }
      }
      return words
    }
    let alarm = Task {
      try? await Task.sleep(for: .seconds(5))
      looking.cancel()
    }
    defer { alarm.cancel() }
    return await looking.value
  }
}
