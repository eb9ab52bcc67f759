/// The name of a reader, as the configuration gives it.
package struct ReaderID: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  package let name: String
  /// Makes the identifier of the reader called `name`.
  package init(_ name: String) { self.name = name }
  package var description: String { name }
}

/// The name of a gate, as the configuration gives it.
package struct GateID: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  package let name: String
  /// Makes the identifier of the gate called `name`.
  package init(_ name: String) { self.name = name }
  package var description: String { name }
}

/// The name of a configured ticket system; gates that share it share its ledger and its rate budget.
package struct TicketSystemID: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  package let name: String
  /// Makes the identifier of the ticket system called `name`.
  package init(_ name: String) { self.name = name }
  package var description: String { name }
}

/// One presentation of a code at a gate. Unique for ever: 128 random bits, which also serve as the nonce.
package struct ScanID: Hashable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  /// Makes a new identifier from the system's random source.
  package init() {
    high = .random(in: .min ... .max)
    low = .random(in: .min ... .max)
  }

  /// Makes the identifier of 16 bytes, as `bytes` gives them; `nil` of another number.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    func number(_ part: some Sequence<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    high = number(bytes.prefix(8))
    low = number(bytes.dropFirst(8))
  }

  /// The identifier in 16 bytes, the first digits first.
  package var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { [UInt8]($0) } }

  /// 32 lower-case hexadecimal digits.
  package var description: String { String(high, digits: 16, radix: 16) + String(low, digits: 16, radix: 16) }
}

/// One request that may redeem. A scan may cost several (a failed connect that was tried again is the same attempt).
package struct AttemptID: Hashable, Sendable, CustomStringConvertible {
  private let id: ScanID
  package init() { id = ScanID() }
  /// Makes the identifier of 16 bytes, as `bytes` gives them; `nil` of another number.
  package init?(bytes: some Collection<UInt8>) {
    guard let id = ScanID(bytes: bytes) else { return nil }
    self.id = id
  }
  /// Makes the identifier of its `description`; `nil` unless it is 32 hexadecimal digits.
  package init?(hexadecimal text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 32,
      digits.allSatisfy({ ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x66 || $0 >= 0x30 && $0 <= 0x39 })
    else { return nil }
    let bytes = stride(from: 0, to: 32, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    self.init(bytes: bytes)
  }
  /// The identifier in 16 bytes.
  package var bytes: [UInt8] { id.bytes }
  package var description: String { id.description }
}
