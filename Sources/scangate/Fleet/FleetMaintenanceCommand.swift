import ArgumentParser
import FleetBook
import FleetSetUp
import JetStreamClaims
import ScanModel

/// `scangate fleet maintenance`
struct FleetMaintenanceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "maintenance",
    abstract: "Take all gates of a fleet out of service at once, or put them into it again.",
    discussion: """
      Each station that hears the servers takes the order within some five seconds, keeps it over restarts and without the servers, and \
      tells its staff who has given it, and why. The order is signed by the key of whoever administers the fleet, which is in its folder: \
      no station and no server can give one. No order opens a gate: off lets each gate decide as before, and what a station's own staff \
      have taken out of service stays so.

        scangate fleet maintenance on --by Anna --why "fire drill" summer-fleet
      """)

  enum Wish: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
  }

  @Argument(help: "on, or off.")
  var state: Wish

  @OptionGroup var folder: FleetFolderArgument

  @Option(help: ArgumentHelp("Who says so: staff at all gates see it.", valueName: "name"))
  var by: String

  @Option(help: ArgumentHelp("Why, in a few words; with off it may be left out.", valueName: "words"))
  var why: String?

  func validate() throws {
    let order = FleetOrder(
      number: 1, isMaintenance: state == .on, who: by, why: why ?? "", at: WallTime(seconds: 0))
    if let flaw = order.flaw { throw ValidationError("This cannot be ordered: \(flaw).") }
  }

  func run() async throws {
    let (place, layout) = try folder.read()
    // While one event follows another, stations of both are meant; of a book that was not made yet there are none.
    let former = layout.formerEvent
    let events = (layout.wasOpened || former == nil ? [layout.event] : []) + [former].compactMap(\.self)
    var failures: [String] = []
    for event in events {
      if let failure = try await order(for: event, place, layout) { failures.append(failure) }
    }
    guard failures.isEmpty else {
      throw failure(failures.joined(separator: "\n"))
    }
    let words =
      state == .on
      ? "The fleet \(layout.name) is in maintenance: nobody is let in at any of its gates."
      : "The fleet \(layout.name) is in maintenance no more: its gates decide as before, but those that their own staff have taken out of service."
    Terminal.out(
      "\(words) A station that hears the servers takes that within some five seconds, one that does not once it hears them."
    )
  }

  /// - Returns: why it is not ordered.
  private func order(for event: String, _ place: FleetFolder, _ layout: FleetLayout) async throws -> String? {
    var settings = try spoken { () throws(FleetFault) in try place.settings(layout) }
    settings.bucket = event
    let seal = FleetOrderSeal(event: event, administrators: layout.administratorKeys)
    let store = try connected(settings)
    let result: Result<Void, any Error>
    do {
      let time = SystemTime()
      if event == layout.formerEvent {
        let book = try await store.eventBook(until: time.now() + .seconds(10))
        // By one that is over nobody is let in whatever is ordered.
        if book?.isClosed ?? true {
          await store.stop()
          return nil
        }
      }
      let former = try await store.order(until: time.now() + .seconds(10)).map { seal.open($0) }
      let last: UInt64? = if case .known(let order)? = former { order.number } else { nil }
      let now = time.wall()
      guard let number = FleetOrder.number(after: last, at: now) else { throw ClaimFault.full }
      let order = FleetOrder(number: number, isMaintenance: state == .on, who: by, why: why ?? "", at: now)
      let bytes = try spoken { () throws(FleetFault) in try place.signed(order, for: event, layout) }
      try await store.put(order: bytes, until: time.now() + .seconds(30))
      result = .success(())
    } catch { result = .failure(error) }
    await store.stop()
    switch result {
    case .success: return nil
    case .failure(ClaimFault.otherVersion(let words)), .failure(ClaimFault.refused(let words)): return words
    case .failure(is ClaimFault):
      return
        "No majority of the servers has answered: \(layout.servers.map(\.description).joined(separator: ", ")). Whether some stations take it nobody knows; give it again. See scangate fleet status \(TerminalText.clean(place.path))"
    case .failure(let other): throw other
    }
  }
}
