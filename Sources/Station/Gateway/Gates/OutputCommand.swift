internal import HolderClient
internal import HolderProtocol
internal import LinuxIO
internal import Synchronization

/// The command of the outputs, which outlives a reload of the configuration: they would go to their safe state if it were
/// given up in between.
package final class OutputCommand: Sendable {
  private let held = Mutex<HeldOutputs?>(nil)

  /// Makes the command of outputs that nobody holds yet.
  package init() {}

  /// The outputs that the holder at `path` holds for this process, made when first asked for.
  func holder(at path: String, plan: OutputPlan) throws(SystemError) -> HeldOutputs {
    if let known = held.withLock({ $0 }) { return known }
    let made = try HeldOutputs(path: path, plan: plan, watching: HeldOutputs.Watching())
    held.withLock { $0 = made }
    return made
  }

  /// Takes leave of the output holder; to be called when no station follows.
  package func end() async {
    let last = held.withLock { held in
      defer { held = nil }
      return held
    }
    await last?.stop()
  }
}
