internal import COpenSSL

/// A key that both sides have. Printing, reflecting and interpolating it show no part; its memory is overwritten when the
/// last owner lets it go.
package struct SymmetricKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// How long a new key is.
  package struct Size: Sendable {
    let bytes: Int
    /// 32 bytes, as AES-256 takes them.
    package static let bits256 = Size(bytes: 32)
  }

  private let memory: Memory

  /// Copies a key of its bytes.
  package init(data: some Collection<UInt8>) { self.init(count: data.count) { $0.copyBytes(from: data) } }

  /// Makes a new key from the system's random source.
  package init(size: Size) { self.init(count: size.bytes, filledBy: fillWithRandom) }

  /// A key of `count` bytes, which are zeros before they are filled.
  init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
    memory = Memory(count: count)
    fill(memory.bytes)
  }

  /// Its length in bytes.
  package var count: Int { memory.bytes.count }

  /// Lends its bytes.
  package func withUnsafeBytes<Result, Fault>(_ body: (UnsafeRawBufferPointer) throws(Fault) -> Result) throws(Fault)
    -> Result
  {
    defer { withExtendedLifetime(memory) {} }
    return try body(UnsafeRawBufferPointer(memory.bytes))
  }

  package var description: String { "(key)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// Bytes that are overwritten before they are given back.
  private final class Memory: @unchecked Sendable {
    // The bytes are written by the initialiser of the key that made it, before anybody else has it, and only read after that.
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
      bytes = .allocate(byteCount: count, alignment: 16)
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
      OPENSSL_cleanse(bytes.baseAddress, bytes.count)
      bytes.deallocate()
    }
  }
}

/// Fills memory from the system's random source (getrandom).
func fillWithRandom(_ bytes: UnsafeMutableRawBufferPointer) {
  var random = SystemRandomNumberGenerator()
  for start in stride(from: 0, to: bytes.count, by: 8) {
    withUnsafeBytes(of: random.next()) {
      UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: $0.prefix(bytes.count - start)))
    }
  }
}
