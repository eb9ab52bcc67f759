import ScanModel
import Sealing

/// What seals the journal's secrets, each bound to the place where it stands.
struct JournalSeals: Sendable {
  private let codes: Sealer
  private let names: Sealer
  private let ledger: Sealer

  init(_ key: SealKey) {
    codes = key.sealer(for: .codes)
    names = key.sealer(for: .names)
    ledger = key.sealer(for: .ledger)
  }

  func code(_ code: Code, of scan: ScanID) -> [UInt8] { codes.seal(code.bytes, binding: scan.bytes) }
  func openCode(_ sealed: [UInt8], of scan: ScanID) -> Code? {
    codes.open(sealed, binding: scan.bytes).map { Code(bytes: $0) }
  }

  func holder(_ name: String, of scan: ScanID) -> [UInt8] { names.seal([UInt8](name.utf8), binding: scan.bytes) }
  func openHolder(_ sealed: [UInt8], of scan: ScanID) -> String? {
    names.open(sealed, binding: scan.bytes).map { String(decoding: $0, as: UTF8.self) }
  }

  func memory(_ state: [UInt8], of key: LedgerKey) -> [UInt8] { ledger.seal(state, binding: Self.place(of: key)) }
  func openMemory(_ sealed: [UInt8], of key: LedgerKey) -> [UInt8]? {
    ledger.open(sealed, binding: Self.place(of: key))
  }

  /// Proves later that the key is the same.
  var proof: [UInt8] { ledger.seal([], binding: Self.proofPlace) }
  func proves(_ proof: [UInt8]) -> Bool { ledger.open(proof, binding: Self.proofPlace) != nil }

  private static let proofPlace = [UInt8]("journal key".utf8)

  /// The kind stands between two parts of any length, and the server's length before it: no two keys share a place.
  private static func place(of key: LedgerKey) -> [UInt8] {
    let server = [UInt8](key.server.utf8)
    return withUnsafeBytes(of: UInt64(server.count).bigEndian) { [UInt8]($0) } + server + [key.kind.rawValue]
      + key.bytes
  }
}
