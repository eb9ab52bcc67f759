import Expectations
import Foundation
import Glibc
import Testing

@testable import Sealing

/// Records in real files.
@Suite struct SealedRecordStoreTests {
  private let folder: StateFolder
  private let store: SealedRecordStore

  init() throws {
    folder = try StateFolder()
    store = SealedRecordStore(keys: folder.byFile)
  }

  private func bytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

  @Test func whatIsSetIsThereAgainAndNowhereReadable() throws {
    expect(try store.get("control") == nil)
    try store.set("control", bytes("hunter2"))
    try store.set("enrolment.main", [])
    try expectEqual(store.get("control"), bytes("hunter2"))
    try expectEqual(store.get("enrolment.main"), [])
    try expectEqual(store.names(), ["control", "enrolment.main"])
    try expectEqual(folder.mode("records/control.sealed"), 0o600)
    try expectEqual(folder.mode("records"), 0o700)
    for name in folder.files { expect(!String(decoding: try folder.bytes(name), as: UTF8.self).contains("hunter2")) }
    expect(try store.remove("control"))
    expect(try !store.remove("control"))
    expect(try store.get("control") == nil)
  }

  @Test(arguments: [
    "", ".a", "-a", "A", "a/b", "..", "a b", "a_b", "ä", "a\u{0}", String(repeating: "a", count: 65),
  ]) func aNameThatIsNoneIsRefused(name: String) throws {
    for call in [
      { () throws in try store.set(name, []) }, { () throws in _ = try store.get(name) },
      { () throws in _ = try store.remove(name) }, { () throws in _ = try store.stamp(name) },
    ] {
      expectEqual(fault(call)?.kind, .refused)
    }
    expectEqual(folder.files, [])
  }

  @Test func theLongestFitsAndOneByteMoreDoesNot() throws {
    let longest = [UInt8](repeating: 7, count: SealedRecordStore.longest)
    try store.set("a", longest)
    try expectEqual(store.get("a"), longest)
    expectEqual(fault { try store.set("a", longest + [1]) }?.kind, .refused)
    try expectEqual(store.get("a"), longest)
  }

  @Test func aChangedOrMovedFileDoesNotOpenAndIsReplacedOnlyWhereThatIsMeant() throws {
    try store.set("a", bytes("hunter2"))
    let whole = try folder.bytes("records/a.sealed")
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 1
      try folder.write("records/a.sealed", changed)
      expectEqual(fault { _ = try store.get("a") }?.kind, .damaged)
    }
    expectEqual(fault { try store.update("a") { $0 } }?.kind, .damaged)
    try folder.write("records/b.sealed", whole)
    expectEqual(fault { _ = try store.get("b") }?.kind, .damaged)
    try store.update("a", replacingDamaged: true) { old in
      expect(old == nil)
      return [1]
    }
    try expectEqual(store.get("a"), [1])
  }

  /// What one kind seals is none of the other, under the same name and key.
  @Test func aCredentialIsNoRecord() throws {
    try CredentialStore(keys: folder.byFile).set("main", try PastedSecret(bytes("hunter2")))
    try store.set("other", [])
    let sealed = Array(try folder.bytes("credentials/main.sealed").dropFirst("scangate credential 1\n".utf8.count))
    try folder.write("records/main.sealed", bytes("scangate record 1\n") + sealed)
    expectEqual(fault { _ = try store.get("main") }?.kind, .damaged)
  }

  @Test func aStampChangesWithEachWriteAndOnlyThen() throws {
    expect(try store.stamp("a") == nil)
    var stamps: [RecordStamp?] = [nil]
    for number in 0..<20 {
      try store.set("a", [UInt8(number)])
      let stamp = try store.stamp("a")
      expect(stamp != stamps.last)
      try expectEqual(store.stamp("a"), stamp)
      // Nothing changes, nothing is written.
      try store.set("a", [UInt8(number)])
      try expectEqual(store.stamp("a"), stamp)
      stamps.append(stamp)
    }
    try store.remove("a")
    expect(try store.stamp("a") == nil)
  }

  @Test func changesOfManyAtOnceAreAllThere() async throws {
    let store = store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10 { try store.update("count") { [UInt8](repeating: 1, count: ($0?.count ?? 0) + 1) } }
        }
      }
      try await group.waitForAll()
    }
    try expectEqual(store.get("count")?.count, 80)
    expect(!folder.files.contains { $0.hasSuffix(".new") })
  }

  @Test func withoutItsKeyNothingIsMadeAnew() throws {
    try store.set("a", [1])
    expectEqual(unlink("\(folder.state)/seal-key"), 0)
    expectEqual(fault { try store.set("a", [2]) }?.kind, .wrongKey)
    expectEqual(unlink("\(folder.state)/seal-key.check"), 0)
    expectEqual(fault { try store.set("a", [2]) }?.kind, .wrongKey)
    let other = try StateFolder()
    try SealedRecordStore(keys: other.byFile).set("x", [])
    try folder.write("seal-key", try other.bytes("seal-key"))
    expectEqual(fault { try store.set("a", [2]) }?.kind, .wrongKey)
  }

  @Test func aFactoryResetWipesThemAndTheOrders() throws {
    try store.set("control", bytes("hunter2"))
    // What a former version took orders by.
    try folder.write("setup.arm", [1])
    try folder.write("outbox.hold", [])
    try folder.write("records/note.txt", [1])
    let result = try FactoryReset(state: folder.state).run()
    expectEqual(result.wiped, ["seal-key", "records/control.sealed", "outbox.hold", "setup.arm", "seal-key.check"])
    expectEqual(result.left, ["records/note.txt"])
  }

  @Test func ordersOfAFormerVersionAreTakenAway() throws {
    let former = FormerOrders(state: folder.state)
    expect(try !former.isOutboxHeld())
    try former.forget()
    for name in ["outbox.hold", "outbox.retry", "journal.accept", "setup.arm"] { try folder.write(name, []) }
    expect(try former.isOutboxHeld())
    try former.forget()
    expect(try !former.isOutboxHeld())
    try expectEqual(FactoryReset(state: folder.state).preview()?.wiped.contains("setup.arm"), false)
    // Without a folder nobody has ordered anything.
    expect(try !FormerOrders(state: "/nonexistent/x").isOutboxHeld())
  }

  /// A command that was stopped while it held the folder.
  @Test func aFolderThatIsHeldStopsNobodyForLong() throws {
    try store.set("a", [1])
    let held = open(folder.state + "/records", O_RDONLY | O_DIRECTORY)
    defer { close(held) }
    expectEqual(flock(held, LOCK_EX), 0)
    let words = fault { try store.set("a", [2]) }
    expect(words?.kind == .disk && words?.description.contains("held by another") == true)
    expectEqual(flock(held, LOCK_UN), 0)
    try store.set("a", [2])
    try expectEqual(store.get("a"), [2])
  }

  /// What a cut of power leaves of a record that was being wiped is no damaged record.
  @Test func aRecordIsOutOfItsPlaceBeforeItIsWiped() throws {
    try store.set("a", [1])
    let left = folder.state + "/records/a.sealed.new"
    expectEqual(rename(folder.state + "/records/a.sealed", left), 0)
    expect(try store.get("a") == nil && !store.remove("a"))
    expect(access(left, F_OK) != 0)
    try store.set("a", [1])
    expect(try store.remove("a") && store.get("a") == nil)
  }
}
