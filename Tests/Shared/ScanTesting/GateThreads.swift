package import LinuxIO
internal import Synchronization

/// The threads of the tests' gates: a few for all, as long as the process lives.
package enum GateThreads {
  private static let made = Mutex<[DeviceLoop]>([])
  private static let turn = Atomic(0)

  /// One of them.
  package static func next() throws(SystemError) -> DeviceLoop {
    let number = turn.add(1, ordering: .relaxed).newValue % 4
    return try made.withLock { made throws(SystemError) in
      while made.count <= number { made.append(try DeviceLoop(name: "gates", runsTasks: true)) }
      return made[number]
    }
  }
}
