import Gateway
import Journal
import LinuxIO
import Logging
import ScanConfiguration
import ScanModel
import Sealing
import Synchronization
import TicketLists

/// The station's key and journal, open for the service.
struct StationStorage {
  let memory: StationMemory
  /// Says what is wrong with the lists that gates of a configuration are to decide by.
  let lookForLists: @Sendable (StationConfiguration) async -> Void
  private let journal: Journal

  private init(
    _ journal: Journal, _ memory: StationMemory, lookForLists: @escaping @Sendable (StationConfiguration) async -> Void
  ) {
    self.journal = journal
    self.memory = memory
    self.lookForLists = lookForLists
  }

  /// Has everything on the disk, and closes the journal.
  func close() async {
    let mark = journal.enqueue(JournalBatch())
    _ = try? await journal.durable(mark, until: SystemTime().now() + .seconds(5))
    await journal.close()
  }

  /// Opens them; says what the operator should know of them.
  /// - Throws: why there is no journal, or no key to it.
  static func open(
    _ configuration: StationConfiguration, folder: String, keys: SealKeySource, logger: Logger
  ) async throws(StationVaultError) -> StationStorage {
    let time = SystemTime()
    let path = "\(folder)/journal.sqlite"
    let trust = JournalTrust(of: path)
    let machine = BootID.current()
    let clock = ClockTrust(time: time)
    let key: StationKey
    do throws(SealFault) {
      key = try keys.open()
    } catch {
      throw error.kind == .disk ? .disk(error.description) : .key(error.description)
    }
    for notice in key.notices + [key.place.words] { logger.notice("\(TerminalText.clean(notice, limit: 1_000))") }
    if !clock.now().isTrusted {
      logger.warning("This machine's clock is not synchronised: times in the journal are marked as not trusted.")
    }
    let controller: OrderController
    do throws(SystemError) {
      controller = try OrderController(OutboxOrders(state: folder))
    } catch {
      throw .journal("No thread can be had for it (\(error.words)).")
    }
    do throws(JournalFault) {
      let journal = try Journal.open(
        Journal.Settings(
          path: path,
          keepScans: .seconds(configuration.journal.keepDays * 86_400),
          keepBytes: Int64(configuration.journal.keepMegabytes) * 1_000_000,
          keepNames: .seconds(configuration.journal.keepNamesHours * 3_600)),
        key: key.key, boot: BootID("\(machine) \(trust.generation)"), time: time, trust: trust)
      // Only now is it known whether what was found in it hangs together with what is remembered.
      let boot = BootID("\(machine) \(trust.generation)")
      // Of another doubt, which is over.
      if trust.isAccepted { await controller.dropAcceptance() }
      if let doubt = trust.doubt {
        logger.error(
          """
          \(doubt) Tickets that were being decided are for staff now (interrupted); who was admitted meanwhile may not be \
          known. See scangate journal conflicts.
          """)
      }
      let known = try await journal.servers()
      for system in configuration.ticketSystems {
        let server = system.address
        if known.isEmpty || known.contains(server) { continue }
        logger.warning(
          """
          ticketSystems.\(system.id): nothing is known of \(server). If it is the server that was called \
          \(known.joined(separator: ", ")) before, who is in can come in again: write its address as it was.
          """)
      }
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
      let lists = TicketListCache(folder: folder, key: key.key) {
        logger.error("\(TerminalText.clean($0, limit: 1_000))")
      }
      await lists.look(for: configuration, at: clock.now())
      return StationStorage(
        journal,
        StationMemory(
          dependencies: LedgerDependencies(
            journal: journal, key: key.key, boot: boot, clock: clock,
            list: { lists.list(of: $0, at: $1) }, markIncomplete: { await trust.markIncomplete() },
            isAccepted: { trust.isAccepted }),
          whenFailing: configuration.journal.whenFailing == .stop ? .stop : .continue, interrupted: interrupted,
          owed: owed, orders: Self.control(controller, journal, trust)),
        lookForLists: { await lists.look(for: $0, at: clock.now()) })
    } catch {
      throw error.kind == .newer ? .newer(error.description) : .journal(error.description)
    }
  }
}

extension StationStorage {
  /// What staff want of the outbox, as the gateway asks for it.
  private static func control(_ controller: OrderController, _ journal: Journal, _ trust: JournalTrust) -> OutboxControl
  {
    OutboxControl(
      isHeld: {
        // What may have been told is not told again before somebody has looked.
        if !trust.isAccepted { await controller.obeyAcceptance(trust) }
        let isHeld = await controller.isHeld
        return isHeld || !trust.isAccepted
      },
      retry: {
        guard await controller.isRetryAsked, let again = try? await journal.retriable() else { return nil }
        // Taken only once it can be obeyed.
        return await controller.takeRetry() ? again : nil
      })
  }
}

/// Looks for orders in the state folder, on a thread of its own: a disk can hold a system call for minutes.
private actor OrderController {
  private let orders: OutboxOrders
  private let thread: DeviceLoop

  init(_ orders: OutboxOrders) throws(SystemError) {
    self.orders = orders
    thread = try DeviceLoop(name: "outbox orders")
  }

  deinit { thread.stop() }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  var isHeld: Bool { (try? orders.isHeld()) ?? false }

  var isRetryAsked: Bool { (try? orders.isRetryAsked()) ?? false }

  func takeRetry() -> Bool { (try? orders.takeRetry()) ?? false }

  /// Looks whether somebody has accepted the journal.
  func obeyAcceptance(_ trust: JournalTrust) {
    if (try? orders.takeJournalAcceptance()) == true { trust.accept() }
  }

  func dropAcceptance() { _ = try? orders.takeJournalAcceptance() }
}

/// Why there is no journal.
enum StationVaultError: Error {
  /// The station's key: somebody must act.
  case key(String)
  /// The disk on which the key lies: worth another try.
  case disk(String)
  /// The journal's disk or its lock: worth another try.
  case journal(String)
  /// A newer program's journal: somebody must act.
  case newer(String)
}

/// The lists on board, each opened when it is first asked for.
private final class TicketListCache: Sendable {
  private let folder: String
  private let key: SealKey
  private let lists = Mutex<[String: StoredTicketList]>([:])
  private let problem: @Sendable (String) -> Void

  init(folder: String, key: SealKey, problem: @escaping @Sendable (String) -> Void) {
    self.folder = folder
    self.key = key
    self.problem = problem
  }

  /// Says which lists are missing or too old that a gate would decide by: before the network goes.
  func look(for configuration: StationConfiguration, at now: JournalTime) async {
    for need in ListNeed.all(of: configuration) {
      let system = need.system
      guard let list = list(of: system.id, at: system.address) else { continue }
      do throws(TicketListFault) {
        guard let state = try await list.state() else {
          problem(need.missing)
          continue
        }
        if let age = state.age(at: now), age > system.list.maxAge { problem(need.tooOld) }
      } catch {
        problem(need.unusable(error))
      }
    }
  }

  func list(of system: TicketSystemID, at server: String) -> (any TicketList)? {
    let place = TicketListPlace(state: folder, system: system, server: server)
    return lists.withLock { lists in
      let name = "\(place.path) \(server)"
      if let list = lists[name] { return list }
      do throws(TicketListFault) {
        let list = try StoredTicketList(place, key: key)
        lists[name] = list
        return list
      } catch {
        problem(error.description)
        return nil
      }
    }
  }
}
