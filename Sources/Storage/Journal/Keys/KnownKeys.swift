import ScanModel

/// The keys that the journal may have stored: those of the file, read by and by, and all that were queued since the start.
struct KnownKeys {
  private var filter = KeyFilter()
  /// Whether all keys of the file are in.
  private(set) var isWhole = false
  /// Counts files: what was read of an earlier one says nothing of this one.
  private(set) var file: UInt64 = 0
  /// Nothing is answered any more.
  private(set) var isClosed = false

  /// Notes a key of the file, or one that was queued.
  mutating func note(_ key: LedgerKey) { filter.insert(key) }

  /// All keys of that file were noted.
  mutating func finish(_ file: UInt64) { if file == self.file { isWhole = true } }

  /// Another file may hold other keys. Those that are known already do no harm.
  mutating func begin() {
    file &+= 1
    isWhole = false
  }

  mutating func close() { isClosed = true }

  /// Whether none of the keys was ever stored; false where that is not sure.
  func areNew(_ keys: [LedgerKey]) -> Bool { isWhole && !isClosed && !keys.contains(where: filter.mayContain) }
}
