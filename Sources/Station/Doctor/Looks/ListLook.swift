internal import ScanConfiguration
internal import ScanModel
internal import Sealing
internal import Service
internal import TicketLists
internal import TicketSystemKit

/// Looks at the lists of tickets on board: how old they are.
struct ListLook {
  /// A list as it lies there.
  struct List: Sendable, Equatable {
    var system: TicketSystemID
    /// Gates that decide by it while the ticket system is offline.
    var gates: [GateID]
    /// How old it may be to decide.
    var maxAge: Duration
    /// When it was true, and how many codes it names; `nil` where there is none.
    var asOf: WallTime?, count = 0
    /// Why it cannot be read.
    var fault: String?
    /// Whether none need be imported: it fills itself.
    var fillsItself = false
  }

  let keys: SealKeySource

  func findings(_ configuration: StationConfiguration) -> [Finding] {
    // That is told where the folder is.
    guard !PermissionLook.isHidden(keys.state) else { return [] }
    let key = try? keys.open(making: false).key
    let lists = configuration.ticketSystems.compactMap { system -> List? in
      var list = List(
        system: system.id,
        gates: configuration.gates.filter { $0.ticketSystem == system.id && $0.offline.rule == .list }.map(\.id),
        maxAge: system.list.maxAge, fillsItself: system.list.freshFor != nil)
      let place = TicketListPlace(of: system, in: keys.state)
      do throws(TicketListFault) {
        guard try place.isPresent() else { return list.gates.isEmpty ? nil : list }
        // What depends on the key is told where the key is.
        guard let key else { return nil }
        let state = try TicketListReader(place, key: key).state
        (list.asOf, list.count) = (state.told.asOf, state.count)
      } catch {
        list.fault = error.description
      }
      return list
    }
    return Self.judge(lists, at: SystemTime().wall())
  }

  static func judge(_ lists: [List], at now: WallTime) -> [Finding] {
    lists.map { list in
      let place = "ticketSystems.\(list.system).list"
      let again = "sudo scangate tickets import FILE --system \(list.system)"
      let gates = list.gates.map(\.name).joined(separator: ", ")
      let effect = list.gates.isEmpty ? "" : " While \(list.system) is offline, nobody passes by it at \(gates)."
      func finding(_ severity: Finding.Severity, _ words: String, _ cure: String? = nil) -> Finding {
        Finding(severity, .lists, place, words, cure: cure)
      }
      if let fault = list.fault { return finding(.warning, "\(fault)\(effect)", again) }
      guard let asOf = list.asOf else {
        if list.fillsItself { return finding(.good, "It fills itself with what single tickets are asked about.") }
        return finding(.warning, "There is no list on board.\(effect)", again)
      }
      let age = now - asOf
      if age < .seconds(-120) {
        return finding(.warning, "It is from the future (\(asOf.iso8601Seconds)): the clock is wrong.", "timedatectl")
      }
      if age > list.maxAge {
        return finding(.warning, "It is \(age.asAge) old, and may be \(list.maxAge.asAge).\(effect)", again)
      }
      if age > list.maxAge * 4 / 5 {
        return finding(.warning, "It is \(age.asAge) old, and counts for nothing after \(list.maxAge.asAge).", again)
      }
      return finding(.good, "\(list.count) tickets, \(age.asAge) old.")
    }
  }
}
