import Gateway
import LinuxIO
import ScanModel
import ScanTesting
import Sealing

extension LedgerDependencies {
  /// Dependencies over a journal in memory, whose key every test has.
  static func inMemory(
    _ journal: MemoryJournal = MemoryJournal(), boot: String = "boot 1", time: any TimeSource = SystemTime()
  ) throws -> LedgerDependencies {
    guard let key = SealKey(bytes: [UInt8](repeating: 7, count: SealKey.length)) else {
      throw JournalFault(.unavailable, "no key")
    }
    return LedgerDependencies(
      journal: journal, key: key, boot: BootID(boot), clock: ClockTrust(time: time, isDisciplined: { true }),
      loop: try GateThreads.next())
  }
}
