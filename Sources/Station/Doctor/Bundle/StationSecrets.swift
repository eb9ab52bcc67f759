internal import FoundationEssentials
internal import Glibc
internal import Journal
internal import LinuxIO
package import ScanConfiguration
internal import ScanModel
package import Sealing
internal import TicketSystemKit

/// All that the station knows and a bundle may not show.
package struct StationSecrets: Sendable {
  /// Why they cannot be had: then nothing can be searched for them, and no bundle is written.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// The secrets.
  package private(set) var all: [KnownSecret] = []
  /// The names of credentials, which may be shown.
  package private(set) var credentials: Set<String> = []

  /// Of how many scans codes and holders are looked for: more than a bundle's log can tell of.
  private static let mostScans = 5_000
  private static let keyFolder = "/etc/scangate/keys"
  /// The longest file of secrets, in bytes: a chain of certificates may lie beside them.
  private static let longestFile = 65_536

  /// Gathers them.
  /// - Parameter folders: where others than the gateway have theirs.
  /// - Throws: that one lies there and cannot be read.
  package init(keys: SealKeySource, _ configuration: StationConfiguration?, folders: [String] = []) throws(Fault) {
    guard access(keys.state, F_OK) != 0 && errno == ENOENT || access(keys.state, R_OK | X_OK) == 0 else {
      throw Fault(
        description:
          "You may not look into \(keys.state), and what lies there has to be searched for: run this as root.")
    }
    do throws(SealFault) {
      try take(keysOf: keys)
    } catch {
      throw Fault(description: "What the station knows cannot be read: \(error.description)")
    }
    for file in configuration?.files ?? [] where file.role == .secret { try take(file: file.path) }
    for folder in [Self.keyFolder] + folders {
      guard access(folder, R_OK | X_OK) == 0 || errno != EACCES else {
        throw Fault(
          description: "You may not look into \(folder), and what lies there has to be searched for: run this as root.")
      }
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        try take(file: "\(folder)/\(name)")
      }
    }
    do throws(JournalFault) {
      try take(journalOf: keys)
    } catch {
      throw Fault(description: "Codes and holders cannot be searched for. \(error.description)")
    }
  }

  /// Adds codes.
  package mutating func add(_ codes: OpeningCodes) {
    for line in codes.lines { add(.code, line.code.bytes) }
  }

  private mutating func add(_ kind: KnownSecret.Kind, _ bytes: [UInt8]) {
    if let secret = KnownSecret(kind, bytes) { all.append(secret) }
  }

  private mutating func take(keysOf keys: SealKeySource) throws(SealFault) {
    for path in ["\(keys.state)/seal-key", keys.given.map { "\($0)/\(SealKeySource.credential)" }].compactMap(\.self) {
      guard let bytes = try? SmallFile.read(path, limit: 4_096) else { continue }
      let line = Array(bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed())
      add(.key, line)
      // The same bytes may stand somewhere in another form than the file's.
      if let plain = Self.hexadecimal(line) { add(.key, plain) }
    }
    let store = CredentialStore(keys: keys)
    for entry in try store.entries(openingWith: nil) {
      credentials.insert(entry.name)
      // One that does not open is nobody's to show.
      guard let secret = try? store.get(entry.name) else { continue }
      add(.key, [UInt8](secret.text.utf8))
    }
    let records = SealedRecordStore(keys: keys)
    for name in try records.names() {
      guard let bytes = try? records.get(name) else { continue }
      guard let document = RecordStrings.secrets(in: bytes) else {
        add(.key, bytes)
        continue
      }
      for text in document { add(.key, [UInt8](text.utf8)) }
    }
  }

  private mutating func take(file path: String) throws(Fault) {
    do throws(SystemError) {
      let bytes = try SmallFile.read(path, limit: Self.longestFile)
      for line in bytes.split(separator: 0x0A) where line.count >= 4 {
        add(.key, Array(line.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()))
      }
    } catch {
      if error.errno == ENOENT || error.errno == EISDIR { return }
      throw Fault(description: "\(path) cannot be read (\(error.words)), and has to be searched for: run this as root.")
    }
  }

  private mutating func take(journalOf keys: SealKeySource) throws(JournalFault) {
    let path = "\(keys.state)/journal.sqlite"
    // Without its key nobody reads a code in it, and the log has none but shortened ones.
    guard access(path, F_OK) == 0, let key = try? keys.open(making: false).key else { return }
    let reader = try Journal.Reader(path: path, key: key)
    var found: [(KnownSecret.Kind, [UInt8])] = []
    do {
      try reader.scans(matching: Journal.Reader.Filter(limit: Self.mostScans)) { row in
        if let code = row.code { found.append((.code, code.bytes)) }
        if let holder = row.holder { found.append((.name, [UInt8](holder.utf8))) }
      }
    } catch {
      throw (error as? JournalFault) ?? JournalFault(.unavailable, "\(path) cannot be read.")
    }
    for owed in try reader.outbox(.all) { if let code = owed.code { found.append((.code, code.bytes)) } }
    for (kind, bytes) in found { add(kind, bytes) }
  }

  private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
    guard text.count == 2 * SealKey.length else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let byte = UInt8(String(decoding: text[index...(index + 1)], as: UTF8.self), radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
