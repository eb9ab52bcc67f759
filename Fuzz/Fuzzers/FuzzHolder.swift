import ScanModel
import HolderProtocol
import SignalOutputs

/// Packets between gateway and output holder, and the plan that the holder keeps.
///
/// The input: a byte that says what the rest is read as.
func fuzzHolder(_ input: inout FuzzInput) {
  let kind = input.byte() % 3
  let bytes = input.remainder()
  switch kind {
  case 0:
    guard let message = try? GatewayMessage(bytes: bytes) else { return }
    let again = message.bytes
    property(try GatewayMessage(bytes: again) == message, "what is written again reads the same")
    property(again.count <= bytes.count, "a message is not longer than its packet")
    if case .plan(let plan) = message { look(at: plan) }
  case 1:
    guard let message = try? HolderMessage(bytes: bytes) else { return }
    let again = message.bytes
    property(try HolderMessage(bytes: again) == message, "what is written again reads the same")
    property(again.count <= bytes.count, "a message is not longer than its packet")
  default:
    guard let plan = try? OutputPlan(bytes: bytes) else { return }
    property(try OutputPlan(bytes: plan.bytes) == plan, "what is written again reads the same")
    look(at: plan)
  }
}

/// A plan without a problem can be driven.
private func look(at plan: OutputPlan) {
  guard plan.problem == nil else { return }
  property(plan.gates.count <= HolderLimits.maximumGates, "gates are bounded")
  property(Set(plan.gates.map(\.id)).count == plan.gates.count, "names of gates are unique")
  let targets = plan.gates.flatMap(\.outputs).map(\.target)
  property(Set(targets).count == targets.count, "nothing is driven twice")
  for gate in plan.gates {
    property(gate.outputs.count { $0.kind == .relay } <= 1, "a gate has one relay at most")
    property(Set(gate.outputs.map(\.name)).count == gate.outputs.count, "names of outputs are unique")
    property(Set(gate.inputs.map(\.name)).count == gate.inputs.count, "names of inputs are unique")
  }
}
