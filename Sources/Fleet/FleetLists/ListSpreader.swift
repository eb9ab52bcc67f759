package import FleetBook
internal import LinuxIO
package import ScanModel
package import Sealing
package import TicketLists

/// Spreads lists of tickets over a fleet: gives what this station has fetched, and takes what others have, where it is newer.
///
/// ```
/// each look ─┬─ the station's list was fetched anew, and no other station gives as new a one
///            │      ─▶ pieces that have changed ─▶ manifest
///            └─ somebody gives a newer one than is on board ─▶ pieces ─▶ all of it is there ─▶ takes the other's place
/// ```
/// Gates never wait for it, and claims hardly: one piece is under way at a time, and as long as it took nothing is asked for.
package actor ListSpreader {
  /// A list that is spread.
  package struct List: Sendable {
    package var system: TicketSystemID
    /// The station's own.
    package var place: TicketListPlace
    /// What the fleet calls it.
    package var name: [UInt8]
    package var sharing: ListSharing
    package var list: StoredTicketList

    package init(
      system: TicketSystemID, place: TicketListPlace, name: [UInt8], sharing: ListSharing, list: StoredTicketList
    ) {
      self.system = system
      self.place = place
      self.name = name
      self.sharing = sharing
      self.list = list
    }
  }

  package struct Settings: Sendable {
    /// This station.
    package var station: StationID
    package var seal: ListSeal
    /// By what its lists are kept.
    package var key: SealKey
    /// Who is believed.
    package var from: [StationID]
    /// From one look to the next, and to the one after a look at which nobody answered.
    package var pause = Duration.seconds(15), retry = Duration.seconds(2)
    /// Nothing is asked for so long between two pieces at least.
    package var rest = Duration.milliseconds(20)

    package init(station: StationID, seal: ListSeal, key: SealKey, from: [StationID]) {
      self.station = station
      self.seal = seal
      self.key = key
      self.from = from
    }
  }

  /// Lists that differ by less are as new as each other: none is sent or fetched for that.
  static let slack = Duration.seconds(300)
  /// After so long all pieces are given again: the servers may have lost some.
  static let anew = Duration.seconds(86_400)
  /// How long is waited where servers have no lists, or do not let this station ask.
  static let refused = Duration.seconds(300)

  private struct Given {
    var stamp: [Int64]
    var digests: [[UInt8]]
    /// When all pieces were given.
    var since: MonotonicTime
  }

  private struct Taken {
    var station: StationID
    var manifest: ListManifest
    /// The file that was made of it.
    var stamp: [Int64]?
  }

  private let settings: Settings
  private let calls: SpreadCalls
  private let lists: @Sendable () -> [List]
  private let clock: @Sendable () -> JournalTime
  private var given: [[UInt8]: Given] = [:]
  private var taken: [[UInt8]: Taken] = [:]
  private var words: ToldOnce
  private var refusedUntil: MonotonicTime?

  package init(
    _ settings: Settings, store: any ListStore, lists: @escaping @Sendable () -> [List],
    clock: @escaping @Sendable () -> JournalTime, tell: @escaping @Sendable (_ isProblem: Bool, String) -> Void
  ) {
    self.settings = settings
    calls = SpreadCalls(store: store, clock: clock, rest: settings.rest)
    self.lists = lists
    self.clock = clock
    words = ToldOnce(tell: tell)
  }

  /// Spreads until it is cancelled.
  package func run() async {
    while !Task.isCancelled {
      let isAnswered = await look()
      try? await Task.sleep(for: isAnswered ? settings.pause : settings.retry)
    }
  }

  /// Gives and takes what there is now.
  /// - Returns: whether the servers answered.
  @discardableResult package func look() async -> Bool {
    if let refusedUntil, clock().monotonic < refusedUntil { return true }
    for list in lists() where !Task.isCancelled {
      do throws(ClaimFault) {
        if list.sharing.gives { try await give(list) }
        if list.sharing.origin != nil { try await take(list) }
        refusedUntil = nil
        say("servers", nil)
      } catch {
        switch error {
        case .otherVersion(let words), .refused(let words):
          say("servers", "Lists of tickets are not spread over the fleet; all else works. \(words)")
          refusedUntil = clock().monotonic + Self.refused
          return true
        // What a claim cannot do either is told by claims.
        default: return false
        }
      }
    }
    return true
  }

  // MARK: Giving

  private func give(_ list: List) async throws(ClaimFault) {
    let place = ListPlace(station: settings.station, list: list.name, .manifest)
    if try await calls.store.get(place, until: calls.end) == nil { given[list.name] = nil }
    guard let stamp = list.place.stamp(), given[list.name]?.stamp != stamp else { return }
    guard let state = try? await list.list.ownState(), let age = state.told.at(clock()) else { return }
    for other in settings.from where other != settings.station {
      guard let offered = try await offer(of: other, list) else { continue }
      if offered.age(at: try await calls.store.now(until: calls.end)) <= age + Self.slack { return }
    }
    do throws(TicketListFault) {
      let giving = try SharedListGiving(list.place, key: settings.key)
      guard let (head, told) = try await giving.read() else {
        say(
          "give \(list.system)",
          "The list of tickets of \(list.system) is not given to the fleet: it came on board before fleet.lists was written. Import it again, or wait for its refresh."
        )
        return
      }
      try await give(list, giving, head, told, stamp)
      await giving.end()
      say("give \(list.system)", nil)
    } catch { say("give \(list.system)", error.description) }
  }

  private func give(
    _ list: List, _ giving: SharedListGiving, _ head: SharedListHead, _ told: ListAge, _ stamp: [Int64]
  ) async throws(TicketListFault) {
    let before = given.removeValue(forKey: list.name)
    let isKnown = before.map { clock().monotonic - $0.since < Self.anew && $0.digests.count == head.pieces } ?? false
    var digests: [[UInt8]] = []
    for number in 0..<head.pieces {
      let piece = try await giving.piece(number)
      let digest = ListManifest.digest(of: piece)
      digests.append(digest)
      if isKnown, before?.digests[number] == digest { continue }
      let place = ListPlace(station: settings.station, list: list.name, .piece(number))
      guard let value = settings.seal.seal(piece, in: place), await calls.put(value, place) else { return }
    }
    guard let age = told.at(clock()) else { return }
    let place = ListPlace(station: settings.station, list: list.name, .manifest)
    let manifest = ListManifest(head: head, age: max(.zero, age), digests: digests)
    guard let value = settings.seal.seal(manifest, in: place), await calls.put(value, place) else { return }
    given[list.name] = Given(
      stamp: stamp, digests: digests, since: isKnown ? before?.since ?? clock().monotonic : clock().monotonic)
    if before == nil {
      words.tell(false, "The list of tickets of \(list.system) is given to the fleet: \(head.count) tickets.")
    }
  }

  // MARK: Taking

  private typealias Offer = SpreadOffer<ListManifest>

  private func offer(of station: StationID, _ list: List) async throws(ClaimFault) -> Offer? {
    let offer = try await calls.offer(of: station, list.name) { [settings] value, place throws(ListSeal.Fault) in
      try settings.seal.manifest(value, in: place)
    }
    return words.told(offer, "list", of: list.system, from: station)
  }

  private func take(_ list: List) async throws(ClaimFault) {
    var offers: [Offer] = []
    for station in settings.from where station != settings.station {
      if let offer = try await offer(of: station, list) { offers.append(offer) }
    }
    guard !offers.isEmpty, let origin = list.sharing.origin else { return }
    let servers = try await calls.store.now(until: calls.end)
    guard let offer = offers.min(by: { $0.age(at: servers) < $1.age(at: servers) }) else { return }
    let age = offer.age(at: servers)
    let now = clock()
    // One that cannot be read is for staff, and decides nothing: another would hide that.
    guard let states = try? await list.list.bothStates() else { return }
    if let own = states.own?.told.at(now), own <= age + Self.slack { return }
    var place = list.place
    place = TicketListPlace(state: place.state, system: place.system, server: place.server, origin: origin)
    let former = taken[list.name].flatMap { $0.stamp != nil && $0.stamp == place.stamp() ? $0 : nil }
    if former?.station == offer.station, former?.manifest == offer.manifest { return }
    // After a restart, or from another station: what is on board may be the newer one.
    if let there = states.taken?.told.at(now), there <= age { return }
    // By a clock that nobody keeps right it is not to look younger, once that clock is set.
    await fetch(list, offer, age, at: now.isTrusted ? now.wall : min(now.wall, servers), place, former)
  }

  private func fetch(
    _ list: List, _ offer: Offer, _ age: Duration, at now: WallTime, _ place: TicketListPlace, _ former: Taken?
  ) async {
    let subject = "take \(list.system)"
    let known =
      former?.station == offer.station && former?.manifest.head.bits == offer.manifest.head.bits ? former : nil
    do throws(TicketListFault) {
      let taking = try SharedListTaking(offer.manifest.head, age: age, at: now, into: place, key: settings.key)
      for (number, digest) in offer.manifest.digests.enumerated() {
        if known?.manifest.digests[number] == digest {
          try await taking.keep(number)
          continue
        }
        guard let piece = await piece(number, digest, list, offer) else { return }
        try await taking.take(piece, number: number)
      }
      try await taking.finish()
      taken[list.name] = Taken(
        station: offer.station, manifest: offer.manifest, stamp: place.stamp())
      say(subject, nil)
      if former == nil {
        words.tell(
          false,
          "The list of tickets of \(list.system) came over the fleet, from the station \(offer.station): \(offer.manifest.head.count) tickets, \(age.asAge) old."
        )
      }
    } catch {
      taken[list.name] = nil
      say(
        subject,
        "The list of \(list.system) that the station \(offer.station) gives is not taken. \(error.description)")
    }
  }

  /// A piece as its manifest has it; `nil` where another one lies there, as while it is given anew.
  private func piece(_ number: Int, _ digest: [UInt8], _ list: List, _ offer: Offer) async -> [UInt8]? {
    let place = ListPlace(station: offer.station, list: list.name, .piece(number))
    switch await calls.piece(place, digest, settings.seal) {
    case .there(let piece): return piece
    case .another: return nil
    case .unproven:
      say("piece \(list.system)", ToldOnce.unprovenPiece("list", of: list.system, from: offer.station))
      return nil
    }
  }

  private func say(_ subject: String, _ problem: String?) { words.say(subject, problem) }
}
