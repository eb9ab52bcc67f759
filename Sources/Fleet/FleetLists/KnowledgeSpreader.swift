package import FleetBook
package import ScanModel
internal import LinuxIO

/// Spreads what ticket systems tell besides their tickets, such as which events are on: gives what this station was told, and takes what others
/// were, where that is newer and somebody here wants it. What it is, only the ticket system knows; it is held in memory, here as there.
///
/// ```
/// each look ─┬─ something was told since
///            │      ─▶ pieces that have changed ─▶ manifest
///            └─ somebody gives what is wanted here ─▶ pieces, newest first ─▶ all of it is there, and can be read ─▶ taken
/// ```
package actor KnowledgeSpreader {
  /// What one ticket system shares, and with whom.
  package struct Knowledge: Sendable {
    package var system: TicketSystemID
    /// What the fleet calls it.
    package var name: [UInt8]
    /// Whether this station gives it to others, and takes theirs.
    package var gives: Bool, takes: Bool
    package var shared: SharedKnowledge

    package init(system: TicketSystemID, name: [UInt8], gives: Bool, takes: Bool, shared: SharedKnowledge) {
      self.system = system
      self.name = name
      self.gives = gives
      self.takes = takes
      self.shared = shared
    }
  }

  private struct Given {
    var system: TicketSystemID
    var at: MonotonicTime
    var digests: [[UInt8]]
    /// When all pieces were given.
    var since: MonotonicTime
  }

  private struct Taken {
    /// The pieces that were there last, by their digests.
    var pieces: [[UInt8]: [UInt8]] = [:]
    /// What could not be read, and is not fetched again.
    var refused: [StationID: KnowledgeManifest] = [:]
    /// Whether it was told that something came.
    var isTold = false
    /// What was taken last: how old it was when, with the civil time then.
    var last: (bytes: [UInt8], age: Duration, civil: WallTime, at: BootTime)?
  }

  private let settings: ListSpreader.Settings
  private let calls: SpreadCalls
  private let knowledge: @Sendable () -> [Knowledge]
  private let clock: @Sendable () -> JournalTime
  private var words: ToldOnce
  private var given: [[UInt8]: Given] = [:]
  private var taken: [[UInt8]: Taken] = [:]
  private var refusedUntil: MonotonicTime?

  package init(
    _ settings: ListSpreader.Settings, store: any ListStore, knowledge: @escaping @Sendable () -> [Knowledge],
    clock: @escaping @Sendable () -> JournalTime, tell: @escaping @Sendable (_ isProblem: Bool, String) -> Void
  ) {
    self.settings = settings
    calls = SpreadCalls(store: store, clock: clock, rest: settings.rest)
    self.knowledge = knowledge
    self.clock = clock
    words = ToldOnce(tell: tell)
  }

  /// Spreads until it is cancelled.
  package func run() async {
    while !Task.isCancelled {
      await look()
      let next = clock().monotonic + settings.pause
      // Whoever begins meanwhile, as with each reload, does not wait for the next look.
      while !Task.isCancelled, clock().monotonic < next {
        try? await Task.sleep(for: min(settings.pause, settings.retry))
        await lookAgain()
      }
    }
  }

  /// Gives and takes what there is now. What servers refuse is told with lists.
  package func look() async {
    await lookAgain()
    if let refusedUntil, clock().monotonic < refusedUntil { return }
    refusedUntil = nil
    var names: Set<[UInt8]> = []
    for known in knowledge() where !Task.isCancelled {
      do throws(ClaimFault) {
        // One server under two names is one.
        if known.gives, !names.contains(known.name), try await give(known) { names.insert(known.name) }
        if known.takes { try await take(known) }
      } catch {
        switch error {
        case .otherVersion, .refused: refusedUntil = clock().monotonic + ListSpreader.refused
        default: break
        }
        return
      }
    }
  }

  // MARK: Giving

  /// - Returns: whether it is the one that is given under its name.
  private func give(_ known: Knowledge) async throws(ClaimFault) -> Bool {
    let place = ListPlace(station: settings.station, list: known.name, .manifest)
    if try await calls.store.get(place, until: calls.end) == nil { given[known.name] = nil }
    guard let told = known.shared.give(given[known.name]?.at) else {
      if let problem = known.shared.problem() {
        words.say(
          "give \(known.system)", "The \(known.shared.what) of \(known.system) is not given to the fleet. \(problem)")
        return false
      }
      return given[known.name]?.system == known.system
    }
    guard let pieces = KnowledgeManifest.pieces(of: told.bytes()) else {
      words.say(
        "give \(known.system)", "The \(known.shared.what) of \(known.system) is not given to the fleet: it is too long."
      )
      return false
    }
    words.say("give \(known.system)", nil)
    let before = given.removeValue(forKey: known.name)
    let began = clock().monotonic
    let kept = before.flatMap { began - $0.since < ListSpreader.anew ? $0 : nil }
    let digests = pieces.map { ListManifest.digest(of: $0) }
    for (number, piece) in pieces.enumerated() {
      if let kept, kept.digests.count > number, kept.digests[number] == digests[number] { continue }
      let place = ListPlace(station: settings.station, list: known.name, .piece(number))
      guard let value = settings.seal.seal(piece, in: place), await calls.put(value, place) else { return true }
    }
    let manifest = KnowledgeManifest(age: max(.zero, told.age + (clock().monotonic - began)), digests: digests)
    guard let value = settings.seal.seal(manifest.bytes, in: place), await calls.put(value, place) else { return true }
    given[known.name] = Given(
      system: known.system, at: told.at, digests: digests, since: kept?.since ?? began)
    if before == nil { words.tell(false, "The \(known.shared.what) of \(known.system) is given to the fleet.") }
    return true
  }

  // MARK: Taking

  private typealias Offer = SpreadOffer<KnowledgeManifest>

  private func offer(of station: StationID, _ known: Knowledge) async throws(ClaimFault) -> Offer? {
    let offer = try await calls.offer(of: station, known.name) { [settings] value, place throws(ListSeal.Fault) in
      try KnowledgeManifest(try settings.seal.open(value, in: place))
    }
    return words.told(offer, known.shared.what, of: known.system, from: station)
  }

  private func take(_ known: Knowledge) async throws(ClaimFault) {
    guard known.shared.wants(.zero) else { return }
    var offers: [Offer] = []
    for station in settings.from where station != settings.station {
      if let offer = try await offer(of: station, known) { offers.append(offer) }
    }
    guard !offers.isEmpty else { return }
    let servers = try await calls.store.now(until: calls.end)
    for offer in offers.sorted(by: { $0.age(at: servers) < $1.age(at: servers) }) {
      guard known.shared.wants(offer.age(at: servers)) else { return }
      if taken[known.name]?.refused[offer.station] == offer.manifest { continue }
      if await take(known, offer, servers) { return }
    }
  }

  /// - Returns: whether it was taken.
  private func take(_ known: Knowledge, _ offer: Offer, _ servers: WallTime) async -> Bool {
    let began = clock().monotonic
    var pieces: [[UInt8]: [UInt8]] = [:]
    var bytes: [UInt8] = []
    let subject = "take \(known.system) of \(offer.station)"
    for (number, digest) in offer.manifest.digests.enumerated() {
      var piece = taken[known.name]?.pieces[digest]
      if piece == nil {
        let place = ListPlace(station: offer.station, list: known.name, .piece(number))
        switch await calls.piece(place, digest, settings.seal) {
        case .there(let found): piece = found
        case .another: return false
        case .unproven:
          words.say(subject, ToldOnce.unprovenPiece(known.shared.what, of: known.system, from: offer.station))
          return false
        }
      }
      guard let piece else { return false }
      pieces[digest] = piece
      bytes += piece
    }
    // What the fetch took has made it older.
    let took = clock().monotonic - began
    let age = offer.age(at: servers) + took
    // A clock that somebody keeps right is believed before that of one server.
    let now = clock()
    let civil = now.isTrusted ? now.wall : servers + took
    if let fault = await known.shared.take(bytes, age, civil) {
      words.say(
        subject, ListSeal.Fault(fault).words(known.shared.what, of: known.system, from: offer.station))
      taken[known.name, default: Taken()].refused[offer.station] = offer.manifest
      return false
    }
    words.say(subject, nil)
    if taken[known.name]?.isTold != true {
      words.tell(
        false,
        "The \(known.shared.what) of \(known.system) came over the fleet, from the station \(offer.station): \(age.asAge) old."
      )
    }
    taken[known.name, default: Taken()].pieces = pieces
    taken[known.name, default: Taken()].isTold = true
    taken[known.name, default: Taken()].last = (bytes, age, civil, BootTime(of: SystemTime()))
    return true
  }

  /// Gives what was taken to those that have begun since: nobody forgets it by a reload, whether or not the fleet answers.
  func lookAgain() async {
    for known in knowledge() where known.takes && !Task.isCancelled {
      guard let last = taken[known.name]?.last else { continue }
      let passed = max(.zero, BootTime(of: SystemTime()) - last.at)
      guard known.shared.wants(last.age + passed) else { continue }
      if await known.shared.take(last.bytes, last.age + passed, last.civil + passed) != nil {
        taken[known.name]?.last = nil
      }
    }
  }
}

extension ListSeal.Fault {
  /// Why a ticket system does not take what was in a seal.
  fileprivate init(_ fault: SharedKnowledge.Fault) {
    self =
      switch fault {
      case .laterVersion: .laterVersion
      case .unreadable(let words): .garbage(words)
      }
  }
}
