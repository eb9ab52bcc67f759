package import Foundation
internal import LinuxIO
internal import ScanModel
internal import Synchronization

/// Starts programs that end with this one, whatever ends it: with the thread that has started them, so that it is one that stays.
package enum ProcessStarter {
  private static let loop = try? DeviceLoop(name: "starter")

  /// Starts one; what it prints is not kept.
  package static func run(_ program: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/setpriv")
    process.arguments = ["--pdeathsig", "KILL", program] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let started = DispatchSemaphore(value: 0)
    let fault = Mutex<(any Error)?>(nil)
    guard let loop else { throw POSIXError(.EAGAIN) }
    _ = loop.at(SystemTime().now()) {
      do { try process.run() } catch { fault.withLock { $0 = error } }
      started.signal()
    }
    started.wait()
    if let fault = fault.withLock({ $0 }) { throw fault }
    return process
  }
}
