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
          if !need.fillsItself { problem(need.missing) }
          continue
        }
        if let age = state.told.at(now), age > system.list.maxAge { problem(need.tooOld) }
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
