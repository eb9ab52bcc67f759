internal import COpenSSL

/// The Advanced Encryption Standard (FIPS 197).
package enum AES {
  /// AES-256 in Galois/counter mode (NIST SP 800-38D). What is sealed is a nonce of 12 bytes, the text, and a tag of 16.
  package enum GCM {
    /// How much longer the sealed form is, in bytes.
    package static let overhead = nonceLength + tagLength
    /// The length of a key in bytes.
    package static let keyLength = 32

    static let nonceLength = 12
    private static let tagLength = 16
    /// A text's longest part that libcrypto takes at a time; it counts in Int32.
    private static let stride = 1 << 30

    /// Seals `plain` with a random nonce, and binds it to `authenticating`; `nil` where the key has not 32 bytes, and
    /// where libcrypto has no memory.
    package static func seal(_ plain: [UInt8], using key: SymmetricKey, authenticating: [UInt8]) -> [UInt8]? {
      var nonce = [UInt8](repeating: 0, count: nonceLength)
      nonce.withUnsafeMutableBytes { fillWithRandom($0) }
      return seal(plain, using: key, nonce: nonce, authenticating: authenticating)
    }

    /// For vectors: a nonce that is used twice with one key gives both texts away, and the means to forge more.
    static func seal(_ plain: [UInt8], using key: SymmetricKey, nonce: [UInt8], authenticating: [UInt8]) -> [UInt8]? {
      guard nonce.count == nonceLength, let cipher = Cipher(.seals, key: key, nonce: nonce[...]) else { return nil }
      var isDone = cipher.binds(authenticating)
      let sealed = [UInt8](unsafeUninitializedCapacity: plain.count + overhead) { sealed, count in
        let sealed = UnsafeMutableRawBufferPointer(sealed)
        sealed.copyBytes(from: nonce)
        let end = nonceLength + plain.count
        let text = UnsafeMutableRawBufferPointer(rebasing: sealed[nonceLength..<end])
        let tag = UnsafeMutableRawBufferPointer(rebasing: sealed[end..<(end + tagLength)])
        isDone = isDone && plain.withUnsafeBytes { cipher.turns($0, into: text) } && cipher.ends() && cipher.gives(tag)
        count = isDone ? plain.count + overhead : 0
      }
      return isDone ? sealed : nil
    }

    /// What was sealed with that key, bound to `authenticating`; `nil` where it was not, or was changed since.
    package static func open(_ sealed: [UInt8], using key: SymmetricKey, authenticating: [UInt8]) -> [UInt8]? {
      guard sealed.count >= overhead,
        let cipher = Cipher(.opens, key: key, nonce: sealed.prefix(nonceLength)),
        cipher.takes(tag: [UInt8](sealed.suffix(tagLength))), cipher.binds(authenticating)
      else { return nil }
      let length = sealed.count - overhead
      var isRight = false
      let plain = [UInt8](unsafeUninitializedCapacity: length) { plain, count in
        let plain = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(plain)[..<length])
        isRight =
          sealed.withUnsafeBytes {
            cipher.turns(UnsafeRawBufferPointer(rebasing: $0[nonceLength..<(nonceLength + length)]), into: plain)
          } && cipher.ends()
        // What is not proved right is seen by nobody.
        if !isRight { OPENSSL_cleanse(plain.baseAddress, plain.count) }
        count = isRight ? length : 0
      }
      return isRight ? plain : nil
    }

    /// One text on its way; its functions are called in the order in which they stand here, and each says whether it was done.
    private struct Cipher: ~Copyable {
      enum Direction: Int32 {
        case opens = 0
        case seals = 1
      }

      private let context: OpaquePointer

      init?(_ direction: Direction, key: SymmetricKey, nonce: ArraySlice<UInt8>) {
        guard key.count == keyLength, nonce.count == nonceLength, let context = EVP_CIPHER_CTX_new() else { return nil }
        let isReady = key.withUnsafeBytes { key in
          nonce.withUnsafeBytes { nonce in
            EVP_CipherInit_ex2(
              context, Library.shared.aes256GCM, key.octets, nonce.octets, direction.rawValue, nil) == 1
          }
        }
        guard isReady else {
          EVP_CIPHER_CTX_free(context)
          return nil
        }
        self.context = context
      }

      deinit { EVP_CIPHER_CTX_free(context) }

      func takes(tag: [UInt8]) -> Bool {
        var tag = tag
        return tag.withUnsafeMutableBytes {
          EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32($0.count), $0.baseAddress) == 1
        }
      }

      func binds(_ authenticating: [UInt8]) -> Bool { authenticating.withUnsafeBytes { updates($0, into: nil) } }

      func turns(_ text: UnsafeRawBufferPointer, into other: UnsafeMutableRawBufferPointer) -> Bool {
        guard text.count == other.count else { return false }
        return updates(text, into: other)
      }

      func ends() -> Bool {
        var (rest, length) = (UInt8(0), Int32(0))
        return EVP_CipherFinal_ex(context, &rest, &length) == 1 && length == 0
      }

      func gives(_ tag: UnsafeMutableRawBufferPointer) -> Bool {
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1
      }

      private func updates(_ text: UnsafeRawBufferPointer, into other: UnsafeMutableRawBufferPointer?) -> Bool {
        for start in Swift.stride(from: 0, to: text.count, by: GCM.stride) {
          let part = UnsafeRawBufferPointer(rebasing: text[start..<min(text.count, start + GCM.stride)])
          let place = other?.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self)
          var length: Int32 = 0
          guard EVP_CipherUpdate(context, place, &length, part.octets, Int32(part.count)) == 1, length == part.count
          else { return false }
        }
        return true
      }
    }
  }
}
