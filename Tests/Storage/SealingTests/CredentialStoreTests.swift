import Expectations
import Foundation
import Glibc
import Testing

@testable import Sealing

/// Credentials in real files.
@Suite struct CredentialStoreTests {
  private let folder: StateFolder
  private let store: CredentialStore

  init() throws {
    folder = try StateFolder()
    store = CredentialStore(keys: folder.byFile)
  }

  private func secret(_ text: String) throws -> PastedSecret { try PastedSecret([UInt8](text.utf8)) }

  @Test func whatIsSetIsThereAgainAndNowhereReadable() throws {
    try store.set("main", secret("hunter2-very-secret"))
    try expectEqual(store.get("main")?.text, "hunter2-very-secret")
    expect(try store.get("other") == nil)
    expect(try store.contains("main") && !store.contains("other"))
    try expectEqual(folder.mode("credentials/main.sealed"), 0o600)
    try expectEqual(folder.mode("credentials"), 0o700)
    for name in folder.files { expect(!String(decoding: try folder.bytes(name), as: UTF8.self).contains("hunter2")) }
    try store.set("main", secret("another"))
    try expectEqual(store.get("main")?.text, "another")
    expectEqual(folder.files, ["credentials/main.sealed", "seal-key", "seal-key.check"])
  }

  @Test func theListTellsNamesAndTimesAndWhatOpens() throws {
    let before = Int64(time(nil))
    try expectEqual(store.entries(openingWith: nil), [])
    for name in ["second", "main"] { try store.set(name, secret("hunter2-\(name)")) }
    let key = try folder.byFile.open().key
    let entries = try store.entries(openingWith: key)
    expectEqual(entries.map(\.name), ["main", "second"])
    expect(entries.allSatisfy { $0.place == .sealed && $0.opens == true && ($0.set ?? 0) >= before })
    try expectEqual(store.entries(openingWith: SealKey.random().key).map(\.opens), [false, false])
    try expectEqual(store.entries(openingWith: nil).map(\.opens), [nil, nil])
    expect(!"\(entries)".contains("hunter2"))
  }

  @Test func oneThatIsRemovedIsGone() throws {
    try store.set("main", secret("x"))
    // What a kill left behind goes too.
    try folder.write("credentials/main.sealed.new", [1])
    expect(try store.remove("main"))
    expect(try store.get("main") == nil)
    expect(try !store.remove("main"))
    expectEqual(folder.files, ["seal-key", "seal-key.check"])
  }

  @Test(arguments: [
    "", "a/b", "../seal-key", ".", "..", ".hidden", "-rf", "_x", "a b", "a.b", "ä", "a\n", "scangate-seal-key",
    "scangate-seal-key-old", String(repeating: "a", count: 33), "main\u{0}",
  ]) func aNameThatIsNoneIsRefusedAndNotRepeated(name: String) throws {
    let value = try secret("x")
    for call in [
      { () throws in _ = try store.set(name, value) }, { () throws in _ = try store.get(name) },
      { () throws in _ = try store.remove(name) }, { () throws in _ = try store.contains(name) },
    ] {
      let refused = fault(call)
      expectEqual(refused?.kind, .refused)
    }
    expectEqual(folder.files, [])
  }

  @Test func aChangedOrMovedFileDoesNotOpen() throws {
    try store.set("main", secret("hunter2"))
    let whole = try folder.bytes("credentials/main.sealed")
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 1
      try folder.write("credentials/main.sealed", changed)
      expectEqual(fault { _ = try store.get("main") }?.kind, .wrongKey)
      try folder.write("credentials/main.sealed", Array(whole.prefix(index)))
      expectEqual(fault { _ = try store.get("main") }?.kind, .wrongKey)
    }
    try folder.write("credentials/other.sealed", whole)
    let moved = fault { _ = try store.get("other") }
    expectEqual(moved?.description.contains("scangate credential set other"), true)
    try folder.write("credentials/main.sealed", whole)
    try expectEqual(store.get("main")?.text, "hunter2")
  }

  @Test func oneOfAnotherKeyIsToldAndSetAnew() throws {
    try store.set("main", secret("hunter2"))
    let file = try folder.bytes("credentials/main.sealed")
    let other = try StateFolder()
    let second = CredentialStore(keys: other.byFile)
    try second.set("spare", secret("x"))
    try other.write("credentials/main.sealed", file)
    expectEqual(fault { _ = try second.get("main") }?.kind, .wrongKey)
    try second.set("main", secret("new"))
    try expectEqual(second.get("main")?.text, "new")
  }

  @Test func withoutItsKeyItSaysSo() throws {
    try store.set("main", secret("hunter2"))
    expectEqual(unlink("\(folder.state)/seal-key"), 0)
    expectEqual(fault { _ = try store.get("main") }?.kind, .wrongKey)
    let value = try secret("x")
    expectEqual(fault { _ = try store.set("main", value) }?.kind, .wrongKey)
    try expectEqual(store.entries(openingWith: nil).map(\.name), ["main"])
  }

  @Test(arguments: [0o644, 0o640] as [mode_t]) func aFileThatOthersMayReadIsRefused(mode: mode_t) throws {
    try store.set("main", secret("hunter2"))
    expectEqual(chmod("\(folder.state)/credentials/main.sealed", mode), 0)
    expectEqual(fault { _ = try store.get("main") }?.kind, .refused)
  }

  @Test func aFolderBehindALinkIsRefused() throws {
    expectEqual(symlink(folder.given, "\(folder.state)/credentials"), 0)
    let value = try secret("x")
    expectEqual(fault { _ = try store.set("main", value) }?.kind, .system)
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.given), [])
  }

  @Test func oneThatSystemdGivesComesFirst() throws {
    let both = CredentialStore(keys: folder.byCredential)
    try both.set("main", secret("sealed"))
    try both.set("spare", secret("spare"))
    try folder.give([UInt8]("\u{feff} given\n".utf8), as: "main")
    try folder.give([1], as: "other.key")
    try expectEqual(both.get("main")?.text, "given")
    try expectEqual(both.get("spare")?.text, "spare")
    expect(try both.contains("main"))
    expect(try both.isGiven("main") && !both.isGiven("spare"))
    let entries = try both.entries(openingWith: nil)
    expectEqual(entries.map(\.name), ["main", "main", "spare"])
    expectEqual(entries.map(\.place), [.systemd, .sealed, .sealed])
    expectEqual(entries.map(\.isUsed), [true, false, true])
    try folder.give([0xFF], as: "main")
    expectEqual(fault { _ = try both.get("main") }?.kind, .refused)
    try folder.take("main")
    try expectEqual(both.get("main")?.text, "sealed")
  }

  /// Somebody replaced the key and took its check away: nothing is sealed by it beside what it does not open.
  @Test func aForeignKeyWithoutItsCheckSealsNothing() throws {
    try store.set("main", secret("hunter2"))
    let own = try folder.bytes("seal-key")
    let other = try StateFolder()
    try CredentialStore(keys: other.byFile).set("x", secret("x"))
    try folder.write("seal-key", try other.bytes("seal-key"))
    expectEqual(unlink("\(folder.state)/seal-key.check"), 0)
    let value = try secret("new")
    let refused = fault { _ = try store.set("spare", value) }
    expectEqual(refused?.kind, .wrongKey)
    expectEqual(refused?.description.contains("factory-reset"), true)
    expectEqual(fault { _ = try folder.byFile.open(making: false) }?.kind, .wrongKey)
    expectEqual(folder.files, ["credentials/main.sealed", "seal-key"])
    // Its own one is remembered anew, even where one of two is damaged.
    try folder.write("seal-key", own)
    try folder.write("credentials/damaged.sealed", [1])
    try store.set("spare", value)
    expect(folder.files.contains("seal-key.check"))
    try expectEqual(store.get("main")?.text, "hunter2")
  }

  /// Kept by a version that took more than the service does.
  @Test func oneThatTheServiceCannotUseIsToldSo() throws {
    let key = try folder.byFile.open().key
    let sealed = key.sealer(for: .credentials).seal([UInt8]("two words".utf8), binding: [UInt8]("main".utf8))
    try store.set("main", secret("x"))
    try folder.write("credentials/main.sealed", [UInt8]("scangate credential 1\n".utf8) + sealed)
    let refused = fault { _ = try store.get("main") }
    expectEqual(refused?.kind, .refused)
    expectEqual(refused?.description.contains("a blank at position 4"), true)
    expectEqual(refused?.description.contains("scangate credential set main"), true)
  }

  /// Whoever reads while others write sees one of the values, whole.
  @Test func manyAtOnceLeaveOneOfTheValues() async throws {
    let store = store
    try store.set("main", secret("value-0"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for _ in 0..<10 { _ = try store.set("main", try PastedSecret([UInt8]("value-\(number)".utf8))) }
        }
        group.addTask {
          for _ in 0..<10 {
            let read = try store.get("main")
            expectEqual(read?.text.hasPrefix("value-"), true)
          }
        }
      }
      try await group.waitForAll()
    }
    expectEqual(folder.files, ["credentials/main.sealed", "seal-key", "seal-key.check"])
  }

  /// A process that is killed between writing and renaming leaves a file that nobody takes for a credential.
  @Test(arguments: [0, 1, 30, 69]) func aKillBetweenWritingAndRenamingLeavesTheOldOne(length: Int) throws {
    try store.set("main", secret("old"))
    let bytes = try folder.bytes("credentials/main.sealed")
    try folder.write("credentials/main.sealed.new", Array(bytes.prefix(length)))
    try folder.write("credentials/fresh.sealed.new", Array(bytes.prefix(length)))
    try folder.write("seal-key.new", Array("00".utf8))
    try expectEqual(store.get("main")?.text, "old")
    expect(try store.get("fresh") == nil)
    try expectEqual(store.entries(openingWith: nil).map(\.name), ["main"])
    for name in ["main", "fresh"] {
      try store.set(name, secret("new"))
      try expectEqual(store.get(name)?.text, "new")
    }
    expect(!folder.files.contains { $0.hasPrefix("credentials/") && $0.hasSuffix(".new") })
  }
}
