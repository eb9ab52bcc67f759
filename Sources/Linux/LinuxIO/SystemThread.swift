import CLinux
import Glibc

/// Threads of our own, for work that may block.
package enum SystemThread {
  /// Starts a thread that runs `body` and ends with it.
  /// - Parameter name: as `ps -L` shows it, at most 15 characters.
  /// - Throws: the system's error where no thread can be had.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let context = Unmanaged.passRetained(Start(name: name, body: body))
    var id = pthread_t()
    let result = pthread_create(
      &id, nil,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        pthread_setname_np(pthread_self(), String(start.name.prefix(15)))
        start.body()
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      throw SystemError(errno: result, call: "pthread_create")
    }
    pthread_detach(id)
  }

  /// Runs `body`, which may block, on a thread of its own, and returns what it made: what else runs on the caller's threads goes on.
  /// Where no thread can be had it runs on the caller's.
  /// - Parameter name: as `ps -L` shows it, at most 15 characters.
  package static func run<Value: Sendable>(_ name: String, _ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try start(name) { continuation.resume(returning: body()) }
      } catch {
        continuation.resume(returning: body())
      }
    }
  }

  /// Has the calling thread give way to all others of this machine: for work that nobody waits for.
  package static func giveWay() {
    // Of Linux a thread's own, not the process's.
    _ = nice(10)
  }

  /// A thread's first and only argument.
  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
