import Expectations
import Glibc
import LibCrypto
import Testing

@Suite struct SymmetricKeyTests {
  @Test(arguments: [0, 1, 31, 32, 131]) func lendsTheBytesThatItWasMadeOf(length: Int) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    let key = SymmetricKey(data: bytes)
    expectEqual(key.count, length)
    expectEqual(key.withUnsafeBytes { [UInt8]($0) }, bytes)
    expectEqual(SymmetricKey(data: ([9] + bytes)[1...]).withUnsafeBytes { [UInt8]($0) }, bytes)
  }

  @Test func aNewKeyIsAnother() {
    let keys = (0..<500).map { _ in SymmetricKey(size: .bits256).withUnsafeBytes { [UInt8]($0) } }
    expectEqual(Set(keys).count, keys.count)
    for place in 0..<32 { expect(Set(keys.map { $0[place] }).count > 150) }
  }

  @Test func showsNothing() {
    let key = SymmetricKey(data: [1, 2, 3])
    var dumped = ""
    dump([key], to: &dumped)
    expectEqual("\(key) \(String(reflecting: key)) \(Mirror(reflecting: key).children.count)", "(key) (key) 0")
    expect(!dumped.contains("1, 2") && dumped.contains("(key)"))
  }
}

/// Nothing of the machine's configuration reaches the algorithms: with this one no other program's libcrypto has any.
@Suite struct ConfigurationTests {
  @Test func theMachinesConfigurationTakesNoAlgorithmAway() async {
    await #expect(processExitsWith: .success) {
      let path = "/tmp/scangate-openssl-\(getpid()).cnf"
      let text = "openssl_conf = a\n[a]\nproviders = b\n[b]\nnull = c\n[c]\nactivate = 1\n"
      let file = try #require(fopen(path, "w"))
      expect(fputs(text, file) >= 0 && fclose(file) == 0)
      defer { unlink(path) }
      setenv("OPENSSL_CONF", path, 1)
      expectEqual(SHA256.hash(data: []).prefix(4), [0xe3, 0xb0, 0xc4, 0x42])
      let key = SymmetricKey(size: .bits256)
      let sealed = try #require(AES.GCM.seal([1], using: key, authenticating: []))
      expectEqual(AES.GCM.open(sealed, using: key, authenticating: []), [1])
      expectEqual(HMACSHA256(key: key).authenticationCode(for: []).count, 32)
      let half = Ed25519.PrivateKey()
      let signature = try #require(half.signature(for: []))
      expectEqual(half.publicKey?.isValidSignature(signature, for: []), true)
    }
  }
}
