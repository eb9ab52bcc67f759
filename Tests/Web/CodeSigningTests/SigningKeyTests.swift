import CodeSigning
import Expectations
import Foundation
import Glibc
import LibCrypto
import Testing
import WireText

private enum Purpose: SigningPurpose {
  static let head = "test-key-1 "
  static let words = "test's key"
  static let danger = "test"
  static let maker = "make test"
}

private enum OtherPurpose: SigningPurpose {
  static let head = "other-key-1 "
  static let words = "other key"
  static let danger = "do something else"
  static let maker = "make other"
}

private typealias TestKey = SigningKey<Purpose>

@Suite struct SigningKeyTests {
  /// The first test vector of RFC 8032, 7.1.
  private static let seed = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
  private static let text = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

  @Test func aKeyOfOnePurposeIsNoneOfAnother() throws {
    let file = [UInt8]("test-key-1 \(Self.seed)\n".utf8)
    let key = try TestKey(file: file)
    expectEqual(key.publicKey?.text, Self.text)
    expectEqual(key.fileText.utf8.map(\.self), file)
    expectEqual(
      "\(key) \(String(reflecting: key)) \(Mirror(reflecting: key).children.count)", "(test's key) (test's key) 0")
    #expect {
      _ = try SigningKey<OtherPurpose>(file: file)
    } throws: {
      "\($0)" == "It is no other key: one line that begins with other-key-1 and is made by make other."
    }
  }

  @Test func whatOneHalfSignsTheOtherVerifies() throws {
    let key = TestKey.make()
    let publicKey = try #require(key.publicKey)
    let message = [UInt8]("abc".utf8)
    let signature = try #require(key.signature(of: message))
    expect(publicKey.verifies(signature, of: message))
    expect(!publicKey.verifies(signature, of: message + [0]))
    expectEqual(publicKey.id, [UInt8](SHA256.hash(data: publicKey.bytes).prefix(4)))
  }

  @Test func aFileThatOthersReadIsNoKey() throws {
    let folder = temporaryRoot + "/signing-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/key"
    let made = try TestKey.make(in: path)
    try expectEqual(TestKey.read(path).publicKey, made.publicKey)
    #expect {
      _ = try TestKey.make(in: path)
    } throws: {
      "\($0)".contains("something of that name is there") && ($0 as? TestKey.FileFault)?.isOutput == true
    }
    chmod(path, 0o644)
    #expect {
      _ = try TestKey.read(path)
    } throws: {
      "\($0)".contains("can be read by others, who can then test.") && ($0 as? TestKey.FileFault)?.isOutput == false
    }
    #expect {
      _ = try TestKey.read(folder + "/none")
    } throws: {
      "\($0)".contains("cannot be read")
    }
  }

  @Test func keysOfAListAreNamed() throws {
    let list = try EditedList(
      [UInt8]("# a list\r\nKEY one \(Self.text) # ours\rkey one \(Self.text)\nkey two QUJD\nkey".utf8),
      mostBytes: 1_000,
      mostLines: 10)
    var keys = NamedKeys()
    let problems = list.lines.map { keys.take($0, printedBy: "make test") }
    expectEqual(keys.keys.map(\.text), [Self.text])
    expectEqual(
      problems.map { $0.map { "\($0.line):\($0.column): \($0.what)" } },
      [
        nil, "3:9: this key is in line 2 already", "4:9: this is no public key: 44 characters as make test prints them",
        "5:4: a key is written as: key NAME BASE64, as make test prints it",
      ])
  }
}
