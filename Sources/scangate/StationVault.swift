import Gateway
import Journal
import LinuxIO
import Logging
import ScanConfiguration
import ScanModel
import Sealing

/// The station's key and journal, open for the service.
struct StationVault {
  let memory: StationMemory
  private let journal: Journal

  private init(_ journal: Journal, _ memory: StationMemory) {
    self.journal = journal
    self.memory = memory
  }

  /// Has everything on the disk, and closes the journal.
  func close() async { await journal.close() }

  /// Opens them; says what the operator should know of them.
  /// - Throws: why there is no journal, or no key to it.
  static func open(
    _ configuration: JournalConfiguration, folder: String, keys: SealKeySource, logger: Logger
  ) async throws(StationVaultError) -> StationVault {
    let time = SystemTime()
    let boot = BootID.current()
    let clock = ClockTrust(time: time)
    let key: StationKey
    do throws(SealFault) {
      key = try keys.open()
    } catch {
      throw error.kind == .disk ? .disk(error.description) : .key(error.description)
    }
    for notice in key.notices + [key.place.words] { logger.notice("\(TerminalText.clean(notice, limit: 1_000))") }
    if !clock.now().isTrusted {
      logger.warning("This machine's clock is not synchronised: times in the journal are marked as not trusted.")
    }
    do throws(JournalFault) {
      let journal = try Journal.open(
        Journal.Settings(
          path: configuration.file ?? "\(folder)/journal.sqlite",
          keepScans: .seconds(configuration.keepDays * 86_400),
          keepBytes: Int64(configuration.keepMegabytes) * 1_000_000,
          keepNames: .seconds(configuration.keepNamesHours * 3_600)),
        key: key.key, boot: boot, time: time)
      let interrupted = try await journal.unconcluded()
      return StationVault(
        journal,
        StationMemory(
          vault: LedgerVault(journal: journal, key: key.key, boot: boot, clock: clock),
          whenFailing: configuration.whenFailing == .stop ? .stop : .continue, interrupted: interrupted))
    } catch {
      throw .journal(error.description)
    }
  }
}

/// Why there is no journal.
enum StationVaultError: Error {
  /// The station's key: somebody must act.
  case key(String)
  /// The disk on which the key lies: worth another try.
  case disk(String)
  /// The journal's disk or its lock: worth another try.
  case journal(String)
}
