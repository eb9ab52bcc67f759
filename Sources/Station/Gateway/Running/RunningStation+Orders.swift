internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
package import StationProtocol

extension RunningStation: OrderedStation {
  /// Does an order, once for each number.
  package func perform(_ order: StationOrder, by giver: OrderGiver) async -> OrderOutcome {
    // As everything enters the gates' thread that must find there what it has just asked.
    await Task(executorPreference: memory.loop.tasks) { await self.orders.perform(order, by: giver, on: self) }.value
  }

  /// Told of an order of somebody who may not give it; from any thread, returns at once.
  package func refused(_ order: StationOrder, by giver: OrderGiver, _ words: String) {
    guard let outcome = orders.counted(order, by: giver, words) else { return }
    Task(executorPreference: memory.loop.tasks) { await self.orders.writeDown(order, by: giver, outcome, on: self) }
  }

  /// Takes up what an earlier process was ordered; to be called before the first station is attached.
  package func recall() async { await orders.recall() }

  func isExit(_ gate: GateID) -> Bool {
    configuration?.gates.first { $0.id == gate }?.direction == .out
  }

  func ledger(of gate: GateID) -> LedgerKeeper? {
    guard let configuration, let system = configuration.gates.first(where: { $0.id == gate })?.ticketSystem,
      let address = configuration.ticketSystems.first(where: { $0.id == system })?.address
    else { return nil }
    return memory.keeper(of: address)
  }
}
