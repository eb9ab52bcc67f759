package import LinuxIO
package import ScanModel
import Synchronization

/// The GPIO lines that this process holds, whichever driver uses them: a line outlives the driver that requested it, so that
/// a gate whose plan changes, or a process that is started anew, takes it over without a glitch.
///
/// A driver of its own has lines of its own, which go with it.
package final class GPIOLines: Sendable {
  private struct State {
    var lines: [GPIOLineConfiguration: GPIOLine] = [:]
    var passed: [String: [Int32]]
  }

  private let state: Mutex<State>
  private let keeper: ServiceManager?

  /// Makes the lines.
  /// - Parameters:
  ///   - keeper: keeps copies of the descriptors over a crash; `nil` where nobody does.
  ///   - passed: what the keeper passed to this process. They belong to the lines from now on; what none of them is
  ///     wanted for is closed by `keepOnly`.
  package init(keeper: ServiceManager? = nil, passed: [ServiceManager.PassedDescriptor] = []) {
    self.keeper = keeper
    state = Mutex(State(passed: Dictionary(grouping: passed, by: \.name).mapValues { $0.map(\.number) }))
  }

  deinit { for number in state.withLock({ $0.passed.values.flatMap(\.self) }) { _ = OwnedDescriptor(owning: number) } }

  /// The name that a line is kept under: the same for the same request, and for no other.
  package static func name(of line: GPIOLineConfiguration) -> String {
    let selector =
      switch line.line {
      case .name(let name): "name \(name)"
      case .offset(let offset): "offset \(offset)"
      }
    return "line-" + StableHash.digits("\(line.chip)\u{0}\(selector)\u{0}\(GPIOLine.flags(line))")
  }

  /// The line: the one that is held already, else the one that was passed, else requested anew.
  /// - Parameter isActive: the first value of one that is requested; one that is held keeps its value.
  func take(
    _ line: GPIOLineConfiguration, output: String, initially isActive: Bool
  ) throws(DeviceError) -> GPIOLine {
    if let held = state.withLock({ $0.lines[line] }) { return held }
    let name = Self.name(of: line)
    for number in state.withLock({ $0.passed.removeValue(forKey: name) }) ?? [] {
      // A chip that went away meanwhile left a descriptor of nothing; of two with one name the first that works is taken.
      if state.withLock({ $0.lines[line] }) != nil {
        _ = OwnedDescriptor(owning: number)
      } else if let adopted = GPIOLine(line, output: output, adopting: number) {
        state.withLock { $0.lines[line] = adopted }
      }
    }
    if let adopted = state.withLock({ $0.lines[line] }) { return adopted }
    let requested = try GPIOLine(line, output: output, initially: isActive)
    state.withLock { $0.lines[line] = requested }
    // What is kept under the name from before is a line that is gone.
    keeper?.removeStored(name: name)
    keeper?.store(requested.descriptor.number, name: name)
    return requested
  }

  /// Closes a line that failed.
  func letGo(_ line: GPIOLineConfiguration) {
    if state.withLock({ $0.lines.removeValue(forKey: line) }) != nil { keeper?.removeStored(name: Self.name(of: line)) }
  }

  /// Closes the lines that are not among `wanted`, and what was passed for any other.
  package func keepOnly(_ wanted: Set<GPIOLineConfiguration>) {
    let names = Set(wanted.map { Self.name(of: $0) })
    let (lines, passed) = state.withLock { state in
      let lines = state.lines.filter { !wanted.contains($0.key) }
      for line in lines.keys { state.lines[line] = nil }
      let passed = state.passed.filter { !names.contains($0.key) }
      for name in passed.keys { state.passed[name] = nil }
      return (lines, passed)
    }
    for line in lines.keys { keeper?.removeStored(name: Self.name(of: line)) }
    for (name, numbers) in passed {
      keeper?.removeStored(name: name)
      for number in numbers { _ = OwnedDescriptor(owning: number) }
    }
  }
}
