internal import FleetLists
internal import ScanConfiguration
internal import ScanModel
internal import Sealing
internal import Synchronization
internal import TicketLists

/// The lists on board, each opened when it is first asked for.
final class TicketListCache: Sendable {
  private let folder: String
  private let key: SealKey
  private let lists = Mutex<[String: StoredTicketList]>([:])
  /// The lists that keep holders and seats, as the configuration says.
  private let detailed = Mutex<Set<String>>([])
  /// What was told last of each that cannot be written.
  private let told = Mutex<[String: String]>([:])
  private let problem: @Sendable (String) -> Void
  private let fleet: SharedLists?
  /// The lists that are spread, as the configuration has them, by their names here.
  private let spread = Mutex<[String: SharedLists.Shared]>([:])

  /// - Parameter fleet: how lists are spread; `nil` where they are not.
  init(folder: String, key: SealKey, fleet: SharedLists?, problem: @escaping @Sendable (String) -> Void) {
    self.folder = folder
    self.key = key
    self.fleet = fleet
    self.problem = problem
  }

  /// The lists that are spread over the fleet now.
  var spreadLists: [ListSpreader.List] {
    let lists = lists.withLock { $0 }
    return spread.withLock { $0 }.compactMap { name, shared in
      lists[name].map {
        ListSpreader.List(
          system: shared.place.system, place: shared.place, name: shared.name, sharing: shared.sharing, list: $0)
      }
    }
  }

  /// Takes what a configuration says of the lists, and says which are missing or too old that a gate would decide by: before the network
  /// goes.
  func look(for configuration: StationConfiguration, at now: JournalTime) async {
    take(configuration)
    for need in ListNeed.all(of: configuration) {
      let system = need.system
      guard let list = list(of: system.id, at: system.address) else { continue }
      do throws(TicketListFault) {
        guard let state = try await list.state() else {
          if !need.fillsItself { problem(need.missing) }
          continue
        }
        if let age = state.told.at(now), age > system.list.maxAge { problem(need.tooOld) }
      } catch {
        problem(need.unusable(error))
      }
    }
  }

  /// Has lists written anew that have holders and seats which are over.
  func tidy() async {
    for (name, list) in lists.withLock({ $0 }) {
      do throws(TicketListFault) {
        try await list.tidy()
        told.withLock { $0[name] = nil }
      } catch {
        // The same trouble is told once.
        let words = error.description
        if told.withLock({ $0.updateValue(words, forKey: name) }) != words { problem(words) }
      }
    }
  }

  private func take(_ configuration: StationConfiguration) {
    // What came from stations that nobody believes any more.
    if configuration.fleet?.takesLists(configuration.name) != true {
      for system in configuration.ticketSystems { TicketListPlace(of: system, in: folder).removeTaken() }
    }
    if let fleet {
      let shared = configuration.ticketSystems.map { fleet.shared($0, in: folder) }
      spread.withLock {
        $0 = Dictionary(shared.map { (Self.name($0.place), $0) }, uniquingKeysWith: { first, _ in first })
      }
    }
    for system in configuration.ticketSystems {
      let name = Self.name(TicketListPlace(of: system, in: folder))
      let keepsDetails = system.list.keepsDetails
      detailed.withLock { if keepsDetails { $0.insert(name) } else { $0.remove(name) } }
      lists.withLock { $0[name] }?.keepDetails(keepsDetails)
      // Those that no gate goes by have something to tidy, too.
      _ = list(of: system.id, at: system.address)
    }
  }

  private static func name(_ place: TicketListPlace) -> String { "\(place.path) \(place.server)" }

  func list(of system: TicketSystemID, at server: String) -> (any TicketList)? {
    let place = TicketListPlace(state: folder, system: system, server: server)
    return lists.withLock { lists in
      let name = Self.name(place)
      if let list = lists[name] { return list }
      do throws(TicketListFault) {
        let list = try StoredTicketList(
          place, key: key, keepsDetails: detailed.withLock { $0.contains(name) },
          sharing: spread.withLock { $0[name]?.sharing })
        lists[name] = list
        return list
      } catch {
        problem(error.description)
        return nil
      }
    }
  }
}
