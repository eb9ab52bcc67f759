internal import Sealing
internal import Journal
internal import LinuxIO

/// Looks for orders in the state folder, on a thread of its own: a disk can hold a system call for minutes.
actor OrderController {
  private let orders: OutboxOrders
  private let thread: DeviceLoop

  init(_ orders: OutboxOrders) throws(SystemError) {
    self.orders = orders
    thread = try DeviceLoop(name: "outbox orders")
  }

  deinit { thread.stop() }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  var isHeld: Bool { (try? orders.isHeld()) ?? false }

  var isRetryAsked: Bool { (try? orders.isRetryAsked()) ?? false }

  func takeRetry() -> Bool { (try? orders.takeRetry()) ?? false }

  /// Looks whether somebody has accepted the journal.
  func obeyAcceptance(_ trust: JournalTrust) { if (try? orders.takeJournalAcceptance()) == true { trust.accept() } }

  /// - Returns: why it cannot be kept.
  func hold(_ isOn: Bool) -> String? {
    told { () throws(SealFault) in
      if isOn { try orders.hold() } else { try orders.release() }
    }
  }

  /// - Returns: why it cannot be kept.
  func retry() -> String? { told { () throws(SealFault) in try orders.retry() } }

  private func told(_ body: () throws(SealFault) -> Void) -> String? {
    do throws(SealFault) {
      try body()
      return nil
    } catch {
      return error.description
    }
  }

  func dropAcceptance() { _ = try? orders.takeJournalAcceptance() }
}
