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
    var facts = await told(store, within: .seconds(6), time)
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

  /// What the first server that takes us tells, or nothing.
  private func told(_ store: JetStreamClaimStore, within most: Duration, _ time: SystemTime) async -> FleetFacts {
    let end = time.now() + most
    while true {
      let facts = await store.facts(until: min(end, time.now() + .seconds(2)))
      if !facts.servers.isEmpty || facts.bucket != nil || time.now() >= end { return facts }
      try? await Task.sleep(for: .milliseconds(250))
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

/// `scangate fleet open`
struct FleetOpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Make the event's book on the servers, once.",
    discussion: "Where it is there already, as it has to be, nothing is changed: what was written stays.")

  @OptionGroup var folder: FleetFolderArgument

  func run() async throws {
    let (place, layout) = try folder.read()
    let settings = try spoken { () throws(FleetFault) in try place.settings(layout) }
    let store = try connected(settings)
    var fault: ClaimFault?
    do throws(ClaimFault) {
      try await store.makeBucket(bytes: layout.room, until: SystemTime().now() + .seconds(30))
    } catch { fault = error }
    await store.stop()
    switch fault {
    case nil: break
    case .otherVersion(let words), .refused(let words): throw failure(words)
    default:
      throw failure(
        "No majority of the servers has made the book in 30 s: \(layout.servers.map(\.description).joined(separator: ", ")). See scangate fleet status \(place.path), and at each: journalctl -u nats-server"
      )
    }
    Terminal.out(
      "The book of \(layout.event) is open, on \(layout.nodes.count == 1 ? "one server" : "\(layout.nodes.count) servers")."
    )
  }
}

/// A connection to a fleet's servers that begins now.
private func connected(_ settings: JetStreamSettings) throws -> JetStreamClaimStore {
  do throws(SystemError) {
    let store = try JetStreamClaimStore(settings)
    store.start()
    return store
  } catch { throw failure("No connection was begun: \(error.words).") }
}
