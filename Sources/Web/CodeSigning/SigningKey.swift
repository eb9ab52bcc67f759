internal import LibCrypto

/// What a key signs, and how its file and people call it.
package protocol SigningPurpose: Sendable {
  /// What its file begins with, a blank at the end.
  static var head: String { get }
  /// What people call it: `organiser's key`.
  static var words: String { get }
  /// What whoever has it can do: `set stations up`.
  static var danger: String { get }
  /// The command that makes one.
  static var maker: String { get }
}

/// A key that signs codes for one purpose: a file of it is a file of no other. Printing, reflecting and interpolating it show no part.
package struct SigningKey<Purpose: SigningPurpose>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Why bytes of a file are no such key. Never holds them.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String
  }

  private let key: Ed25519.PrivateKey

  /// Makes a new key from the system's random source.
  package static func make() -> SigningKey { SigningKey(key: Ed25519.PrivateKey()) }

  private init(key: Ed25519.PrivateKey) { self.key = key }

  /// Reads what `fileText` has written.
  package init(file bytes: [UInt8]) throws(Fault) {
    let text = String(decoding: bytes.prefix(200), as: UTF8.self)
    let line = text.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    guard bytes.count <= 100, line.hasPrefix(Purpose.head), text == line + "\n" || text == line,
      let seed = Base64.bytes(String(line.dropFirst(Purpose.head.count))),
      let key = Ed25519.PrivateKey(rawRepresentation: seed)
    else {
      throw Fault(
        description:
          "It is no \(Purpose.words): one line that begins with \(Purpose.head)and is made by \(Purpose.maker).")
    }
    self.key = key
  }

  /// The private key as a file's content: one line.
  package var fileText: String { Purpose.head + Base64.text(key.rawRepresentation) + "\n" }

  /// The half that stations have on their lists.
  package var publicKey: VerifyingKey? {
    key.publicKey.flatMap { VerifyingKey(bytes: $0.rawRepresentation) }
  }

  /// Signs `message`; the signature has 64 bytes. `nil` where the library cannot.
  package func signature(of message: [UInt8]) -> [UInt8]? { key.signature(for: message) }

  package var description: String { "(\(Purpose.words))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
