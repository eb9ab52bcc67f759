internal import FleetKeeping
internal import FleetLists
package import Gateway
internal import Journal
internal import LinuxIO
package import Logging
package import ScanConfiguration
package import ScanModel
package import Sealing
internal import StationProtocol
package import TicketSystemKit

/// The station's key and journal, open for the service.
package struct StationStorage {
  package let memory: StationMemory
  /// Says what is wrong with the lists that gates of a configuration are to decide by.
  package let lookForLists: @Sendable (StationConfiguration) async -> Void
  private let journal: Journal
  /// The stations that share a book with this one; `nil` where it shares none.
  private let fleet: StationFleet?
  private let path: String
  /// Facts up to it are of earlier starts.
  private let last: Int64
  /// Rids lists on board of what is over.
  private let upkeep: Task<Void, Never>
  /// Spreads them over the fleet; `nil` where that is not wanted.
  private let spreading: Task<Void, Never>?
  /// How often.
  private static let upkeepInterval = Duration.seconds(3_600)

  private init(
    _ journal: Journal, _ path: String, _ last: Int64, _ memory: StationMemory, _ fleet: StationFleet?,
    _ upkeep: Task<Void, Never>, _ spreading: Task<Void, Never>?,
    lookForLists: @escaping @Sendable (StationConfiguration) async -> Void
  ) {
    self.upkeep = upkeep
    self.spreading = spreading
    self.journal = journal
    self.fleet = fleet
    self.path = path
    self.last = last
    self.memory = memory
    self.lookForLists = lookForLists
  }

  /// Has everything on the disk, and closes the journal.
  package func close() async {
    upkeep.cancel()
    spreading?.cancel()
    await fleet?.close()
    let mark = journal.enqueue(JournalBatch())
    _ = try? await journal.durable(mark, until: SystemTime().now() + .seconds(5))
    await journal.close()
  }

  /// Opens them; says what the operator should know of them.
  /// - Parameter program: the program's version.
  /// - Throws: why there is no journal, or no key to it; or why the station cannot be one of its fleet.
  package static func open(
    _ configuration: StationConfiguration, program: String, folder: String, keys: SealKeySource,
    credentials: CredentialResolver, logger: Logger
  ) async throws(StationVaultError) -> StationStorage {
    let time = SystemTime()
    let path = "\(folder)/journal.sqlite"
    let trust = JournalTrust(of: path)
    let machine = BootID.current()
    let clock = ClockTrust(time: time)
    let key = try Result { () throws(SealFault) in try keys.open() }
      .mapError { $0.kind == .disk ? StationVaultError.disk($0.description) : .key($0.description) }.get()
    for notice in key.notices + [key.place.words] { logger.notice("\(TerminalText.clean(notice, limit: 1_000))") }
    if !clock.now().isTrusted {
      logger.warning("This machine's clock is not synchronised: times in the journal are marked as not trusted.")
    }
    let gates: DeviceLoop
    do throws(SystemError) {
      gates = try DeviceLoop(name: "gates", runsTasks: true)
    } catch {
      throw .journal("No thread can be had for it (\(error.words)).")
    }
    do {
      let journal = try Journal.open(
        Journal.Settings(
          path: path,
          keepScans: .seconds(configuration.journal.keepDays * 86_400),
          keepBytes: Int64(configuration.journal.keepMegabytes) * 1_000_000,
          keepNames: .seconds(configuration.journal.keepNamesHours * 3_600)),
        key: key.key, boot: BootID("\(machine) \(trust.generation)"), time: time, trust: trust, alarms: gates)
      // Only now is it known whether what was found in it hangs together with what is remembered.
      let boot = BootID("\(machine) \(trust.generation)")
      if let doubt = trust.doubt {
        logger.error(
          """
          \(doubt) Tickets that were being decided are for staff now (interrupted); who was admitted meanwhile may not be \
          known. See scangate journal conflicts.
          """)
      }
      let known = try await journal.servers().filter { !$0.hasPrefix(ClaimKeeper.serverPrefix) }
      for system in configuration.ticketSystems {
        let server = system.address
        if known.isEmpty || known.contains(server) { continue }
        logger.warning(
          """
          ticketSystems.\(system.id): nothing is known of \(server). If it is the server that was called \
          \(known.joined(separator: ", ")) before, who is in can come in again: write its address as it was.
          """)
      }
      let fleet = try Self.fleet(configuration, program, credentials, journal, trust, gates, time, logger)
      let isHeld = try await isOutboxHeld(journal, folder, clock, logger)
      let interrupted = try await journal.unconcluded()
      let owed = try await journal.owed()
      let configured = Set(configuration.ticketSystems.map(\.address))
      for (server, theirs) in Dictionary(grouping: owed, by: \.server) {
        guard configured.contains(server) else {
          logger.error(
            """
            \(theirs.count) admissions have still to be told to \(server), which no ticket system of the configuration is: \
            they are told to nobody. Write its address as it was, or see scangate outbox export.
            """)
          continue
        }
        logger.notice("Admissions that have still to be told to \(server): \(theirs.count).")
      }
      let lists = TicketListCache(folder: folder, key: key.key, fleet: fleet?.lists) {
        logger.error("\(TerminalText.clean($0, limit: 1_000))")
      }
      await lists.look(for: configuration, at: clock.now())
      let memory = StationMemory(
        dependencies: LedgerDependencies(
          journal: journal, key: key.key, boot: boot, clock: clock, loop: gates, formerServers: known,
          fleet: fleet?.keeper, fleetOrders: fleet?.orders,
          list: { lists.list(of: $0, at: $1) }, markIncomplete: { await trust.markIncomplete() },
          isAccepted: { trust.isAccepted }),
        whenFailing: configuration.journal.whenFailing == .stop ? .stop : .continue, interrupted: interrupted,
        owed: owed, isHeld: isHeld,
        orders: OutboxControl(
          retriable: { () throws(JournalFault) in try await journal.retriable() }, accept: { trust.accept() },
          presented: { await Self.presented($0, path, key.key) }))
      let spreader = fleet.flatMap { fleet in
        fleet.lists.map { shared in
          fleet.spreader(
            key: key.key, lists: { lists.spreadLists }, knowledge: { memory.shared.map { shared.knowledge($0) } },
            clock: { clock.now() }
          ) { isProblem, words in
            logger.log(level: isProblem ? .error : .notice, "\(TerminalText.clean(words, limit: 1_000))")
          }
        }
      }
      return StationStorage(
        journal, path, try await journal.end().fact, memory, fleet,
        Task {
          repeat { await lists.tidy() } while (try? await Task.sleep(for: Self.upkeepInterval)) != nil
        },
        spreader.map { spreader in Task { await spreader.run() } },
        lookForLists: { await lists.look(for: $0, at: clock.now()) })
    } catch let fault as JournalFault {
      throw fault.kind == .newer ? .newer(fault.description) : .journal(fault.description)
    } catch {
      throw .fleet("\(error)")
    }
  }

  /// What the station has of its fleet; `nil` where the configuration has none.
  private static func fleet(
    _ configuration: StationConfiguration, _ program: String, _ credentials: CredentialResolver, _ journal: Journal,
    _ trust: JournalTrust, _ gates: DeviceLoop, _ time: SystemTime, _ logger: Logger
  ) throws(SetupError) -> StationFleet? {
    guard let fleet = configuration.fleet else { return nil }
    // One that is accepted later may have forgotten somebody all the same.
    let isWhole = trust.doubt == nil
    let memory = ClaimKeeper.Memory(
      wasAdmitted: { scan in
        do throws(JournalFault) {
          guard let found = try await journal.admission(of: scan) else { return false }
          return !found.isAnnulled
        } catch { return nil }
      }, isReliable: { isWhole && trust.isAccepted })
    return try StationFleet.open(
      fleet, of: configuration, program: program, credentials: credentials, book: journal, memory: memory, loop: gates,
      time: time, logger: logger)
  }
}

extension StationStorage {
  /// Whether staff hold the outbox: by the journal, or by the file of a former version, which the journal takes the place of.
  private static func isOutboxHeld(
    _ journal: Journal, _ folder: String, _ clock: ClockTrust, _ logger: Logger
  ) async throws(JournalFault) -> Bool {
    let former = FormerOrders(state: folder)
    // What cannot be told may be a hold.
    let isFormer = (try? former.isOutboxHeld()) ?? true
    if isFormer {
      let hold = JournaledOrder(
        id: OrderID(), kind: "outboxHold", gate: nil, subject: "on", who: "a former version", user: 0, why: "",
        outcome: "done", at: clock.now())
      let mark = journal.enqueue(JournalBatch(facts: [.order(hold)], isUrgent: true))
      guard try await journal.durable(mark, until: SystemTime().now() + .seconds(5)) else { return true }
    }
    do throws(SealFault) {
      try former.forget()
    } catch {
      logger.warning("\(TerminalText.clean(error.description, limit: 1_000))")
    }
    let isHeld = try await journal.orders().holdsOutbox
    if isHeld { logger.notice("The outbox is held: nothing is told to ticket systems, until: scangate outbox retry") }
    return isHeld
  }
}

extension StationStorage {
  /// Codes that were presented lately, by how they are shown; looked for beside the journal's own threads, which gates wait for.
  private static func presented(_ shortened: String, _ path: String, _ key: SealKey) async -> [Code] {
    await SystemThread.run("search") {
      guard let reader = try? Journal.Reader(path: path, key: key) else { return [] }
      let filter = Journal.Reader.Filter(
        from: SystemTime().wall() - StationLimits.searchTime, limit: 4 * StationLimits.maximumFound,
        code: { $0.shortened == shortened })
      var codes: [Code] = []
      try? reader.scans(matching: filter) { row in
        if let code = row.code, !codes.contains(code) { codes.append(code) }
      }
      return codes.reversed().prefix(StationLimits.maximumFound).map(\.self)
    }
  }
}

extension StationStorage {
  /// So many scans of earlier starts are counted at most, the newest, and so many are read at a time.
  private static let (mostEarlier, piece) = (100_000, 5_000)

  /// Has the scans counted that earlier starts decided in the last twelve hours: what is shown of tonight does not begin anew. On a thread of
  /// its own that gives way to all else; nobody waits for it, and a journal that cannot be read is told of by whoever needs it.
  package func countEarlier(at gates: Set<GateID>, in view: StationView) async {
    let (path, last) = (path, last)
    await SystemThread.run("throughput") {
      SystemThread.giveWay()
      guard let reader = try? Journal.Reader(path: path, key: nil) else { return }
      let time = StationThroughput.bin * StationThroughput.bins
      let filter = Journal.Reader.Filter(from: SystemTime().wall() - time)
      var (place, left): (Int64?, Int) = (last + 1, Self.mostEarlier)
      while let before = place, left > 0 {
        guard let page = try? reader.briefs(matching: filter, before: before, limit: min(left, Self.piece)) else {
          return
        }
        view.recall(
          page.rows.filter { gates.contains($0.gate) }.map {
            EarlierScan(gate: $0.gate, verdict: $0.verdict, reason: $0.reason, at: $0.at.wall - $0.decidedIn)
          })
        left -= max(page.rows.count, 1)
        place = page.next
      }
    }
  }
}

/// Why there is no journal.
package enum StationVaultError: Error {
  /// The station's key: somebody must act.
  case key(String)
  /// The disk on which the key lies: worth another try.
  case disk(String)
  /// The journal's disk or its lock: worth another try.
  case journal(String)
  /// What the station is to its fleet: somebody must act.
  case fleet(String)
  /// A newer program's journal: somebody must act.
  case newer(String)
}
