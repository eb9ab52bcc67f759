internal import LinuxIO
package import ScanConfiguration
internal import ScanModel
package import Sealing
package import TicketLists

/// A list of tickets that gates are to decide by while their ticket system is offline, and what to say where it is not there.
package struct ListNeed {
  package let system: TicketSystemConfiguration
  private let gates: [GateID]
  /// Whether one may come over the fleet.
  private let isTaken: Bool

  /// The lists that a configuration needs.
  package static func all(of configuration: StationConfiguration) -> [ListNeed] {
    configuration.ticketSystems.compactMap { system in
      let gates = configuration.gates.filter { $0.ticketSystem == system.id && $0.offline.rule == .list }.map(\.id)
      let isTaken = configuration.fleet?.takesLists(configuration.name) ?? false
      return gates.isEmpty ? nil : ListNeed(system: system, gates: gates, isTaken: isTaken)
    }
  }

  /// There is none.
  var missing: String { "There is no list of tickets of \(system.id) on board. \(effect) \(cure)" }

  /// There is one from long ago.
  var tooOld: String { "The list on board of \(system.id) is older than list.maxAge allows. \(effect) \(cure)" }

  /// There is one that cannot be used.
  func unusable(_ fault: TicketListFault) -> String { "\(fault.description) \(effect)" }

  /// What is wrong with what lies in a state folder, without the service; `nil` where gates can decide by it.
  package func problem(in folder: String, _ keys: SealKeySource) -> String? {
    let place = TicketListPlace(of: system, in: folder)
    do throws(TicketListFault) {
      guard try place.isPresent() else { return fillsItself ? nil : missing }
      // Without the key a list cannot be read, and its credentials' warnings say so.
      guard let key = try? keys.open(making: false) else { return nil }
      let list = try TicketListReader(place, key: key.key)
      return SystemTime().wall() - list.state.told.asOf > system.list.maxAge && !isTaken ? tooOld : nil
    } catch {
      return unusable(error)
    }
  }

  /// Whether none need be imported: it is fetched by itself, or gates have what was said of single tickets to decide by. What keeps it from
  /// being fetched is told by who fetches it. So is what comes over the fleet.
  var fillsItself: Bool { system.list.refresh != nil || system.list.freshFor != nil || isTaken }

  private var effect: String {
    "While \(system.id) is offline, nobody passes at \(gates.map(\.name).joined(separator: ", "))."
  }

  private var cure: String { "Import one with: scangate tickets import FILE --system \(system.id)" }
}

extension TicketListPlace {
  /// The list of a configured ticket system in a state folder.
  package init(of system: TicketSystemConfiguration, in state: String) {
    self.init(state: state, system: system.id, server: system.address)
  }
}
