import ArgumentParser
import FleetBook
import FleetSetUp
import Glibc
import JetStreamClaims
import LinuxIO
import ScanModel

/// `scangate fleet status`
struct FleetStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show who leads a fleet's book, who lags, and when each station has written last.",
    discussion: """
      Asks the servers by the key of whoever administers. Ends with 0 where all is well, with 1 where somebody should look, and with 2 \
      where nothing can be claimed.
      """)

  @OptionGroup var folder: FleetFolderArgument

  /// So many of the last writes are looked at for stations' last words.
  private static let looked: UInt64 = 10_000

  func run() async throws {
    let (place, layout) = try folder.read()
    let settings = try spoken { () throws(FleetFault) in try place.settings(layout) }
    let store = try connected(settings)
    let time = SystemTime()
    var facts = await told(store, within: .seconds(6))
    var status = FleetStatus(
      facts: facts, nodes: layout.nodes, stations: layout.stations.map(\.name), now: time.wall())
    status.revoked = Set(layout.stations.filter(\.isRevoked).map(\.name))
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
    status.now = time.wall()
    await store.stop()
    for line in status.page(fleet: layout.name, event: layout.event) { Terminal.out(line) }
    if let rotation = layout.rotation {
      Terminal.error("\(rotation.words) is under way: scangate fleet rotate next \(TerminalText.clean(place.path))")
    }
    if !status.hasQuorum { throw ExitCode(2) }
    if !status.isWell { throw ExitCode(1) }
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
