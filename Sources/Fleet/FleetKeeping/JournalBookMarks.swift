package import FleetBook
package import ScanModel
internal import WireCoding

/// What a station remembers of its fleet's book, in its journal.
package struct JournalBookMarks: BookMarks {
  private static let version: UInt8 = 1

  private let book: any AttemptBook
  private let key: LedgerKey

  /// - Parameter fleet: its name, which is its book's.
  package init(_ book: any AttemptBook, fleet: String) {
    self.book = book
    key = LedgerKey(server: ClaimRows.server(of: fleet), kind: .entry, bytes: [0] + Array("book".utf8))
  }

  package nonisolated(nonsending) func recall(until end: MonotonicTime) async throws(JournalFault) -> BookMark? {
    guard let bytes = try await book.recall([key], until: end)[key] else { return nil }
    do throws(WireError) {
      var reader = WireReader(bytes)
      let version: UInt8 = try reader.take()
      guard version == Self.version else { throw WireError("it is of version \(version)") }
      var mark = BookMark(made: try reader.takeText(), accepted: try reader.take())
      mark.key = try reader.takeOptional { (reader) throws(WireError) in try reader.takeClaimKey() }
      mark.revision = ClaimRevision(try reader.take())
      try reader.end()
      return mark
    } catch {
      throw JournalFault(
        .damaged,
        "What the journal has of the fleet's book cannot be read (\(error.description)). See: scangate journal verify")
    }
  }

  package func note(_ mark: BookMark) {
    var writer = WireWriter()
    writer.put(Self.version)
    writer.put(mark.made)
    writer.put(mark.accepted)
    writer.putOptional(mark.key) { $0.put($1.description) }
    writer.put(mark.revision.number)
    book.enqueue(JournalBatch(memory: [key: writer.bytes]))
  }
}
