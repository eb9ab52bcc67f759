import Expectations
import Foundation
import Glibc
import Testing

@testable import Sealing

/// Where the station's key comes from, over real files.
@Suite struct SealKeySourceTests {
  private let folder: StateFolder

  init() throws { folder = try StateFolder() }

  // MARK: By file

  @Test func theFirstStartMakesAFileThatTheNextOneReads() throws {
    let first = try folder.byFile.open()
    expectEqual(first.place, .file(path: "\(folder.state)/seal-key"))
    expect(first.place.words.contains("a thief of the disk or card has it too"))
    try expectEqual(folder.mode("seal-key"), 0o600)
    try expectEqual(folder.bytes("seal-key").count, 65)
    expectEqual(mark(try folder.byFile.open().key), mark(first.key))
    expectEqual(folder.files, ["seal-key", "seal-key.check"])
  }

  @Test func theStateFolderIsMadeForItsOwnerAlone() throws {
    let state = "\(folder.state)/new"
    _ = try SealKeySource(state: state, given: nil).open()
    var status = stat()
    expect(stat(state, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func withoutMakingNothingIsWritten() throws {
    expectEqual(fault { _ = try folder.byFile.open(making: false) }?.kind, .absent)
    expectEqual(fault { _ = try SealKeySource(state: "/nonexistent/x", given: nil).open(making: false) }?.kind, .absent)
    expectEqual(folder.files, [])
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o660] as [mode_t]) func aKeyThatOthersMayReadIsRefused(mode: mode_t) throws {
    _ = try folder.byFile.open()
    expectEqual(chmod("\(folder.state)/seal-key", mode), 0)
    let refused = fault { _ = try folder.byFile.open() }
    expectEqual(refused?.kind, .refused)
    expectEqual(refused?.description.contains("chmod 600 \(folder.state)/seal-key"), true)
  }

  @Test(arguments: [0o720, 0o702, 0o777] as [mode_t]) func aFolderThatOthersMayWriteToIsRefused(mode: mode_t) throws {
    expectEqual(chmod(folder.state, mode), 0)
    expectEqual(fault { _ = try folder.byFile.open() }?.kind, .refused)
    expectEqual(folder.files, [])
  }

  /// A caller can try again where the disk is in the way, and must not where the key is.
  @Test(
    arguments: [
      (ENOSPC, .disk), (EDQUOT, .disk), (EROFS, .disk), (EIO, .disk), (EACCES, .disk), (EPERM, .disk), (EMFILE, .disk),
      (ELOOP, .system), (ENOTDIR, .system),
    ] as [(Int32, SealFault.Kind)]) func troubleWithTheDiskIsToldFromTheRest(number: Int32, kind: SealFault.Kind)
  {
    expectEqual(PrivateFolder.fault("x", number).kind, kind)
  }

  /// A disk without room, as the kernel has it.
  @Test(.enabled(if: geteuid() == 0)) func aDiskWithoutRoomIsTroubleWithTheDisk() throws {
    let disk = "\(folder.url.path)/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    guard mount("none", disk, "tmpfs", 0, "size=4k,mode=700") == 0 else { return }
    defer { umount(disk) }
    try Data(count: 4_096).write(to: URL(filePath: "\(disk)/full"))
    let full = fault { _ = try SealKeySource(state: disk, given: nil).open() }
    expectEqual(full?.kind, .disk)
    expectEqual(full?.description.contains("Make room on the disk."), true)
  }

  @Test(.enabled(if: geteuid() == 0)) func aKeyOfAnotherUserIsRefused() throws {
    _ = try folder.byFile.open()
    expectEqual(chown("\(folder.state)/seal-key", 65_534, 65_534), 0)
    expectEqual(fault { _ = try folder.byFile.open() }?.description.contains("belongs to another user"), true)
  }

  @Test(.enabled(if: geteuid() == 0)) func whatRootMakesBelongsToTheFoldersOwner() throws {
    expectEqual(chown(folder.state, 65_534, 65_534), 0)
    try CredentialStore(keys: folder.byFile).set("main", try PastedSecret([UInt8]("x".utf8)))
    for name in folder.files + ["credentials"] {
      var status = stat()
      expect(stat("\(folder.state)/\(name)", &status) == 0 && status.st_uid == 65_534, "\(name)")
    }
    try expectEqual(CredentialStore(keys: folder.byFile).get("main")?.text, "x")
  }

  @Test(arguments: ["", "00", String(repeating: "0g", count: 32), String(repeating: "00", count: 33)])
  func aDamagedKeyIsRefusedAndLeftAlone(text: String) throws {
    _ = try folder.byFile.open()
    try folder.write("seal-key", [UInt8](text.utf8))
    expectEqual(fault { _ = try folder.byFile.open() }?.description.contains("is damaged"), true)
    try expectEqual(folder.bytes("seal-key"), [UInt8](text.utf8))
  }

  @Test func anotherKeyIsToldAndALostOneNotReplaced() throws {
    let first = try folder.byFile.open()
    let text = try folder.bytes("seal-key")
    try folder.write("seal-key", [UInt8](String(repeating: "0123456789abcdef", count: 4).utf8))
    expectEqual(fault { _ = try folder.byFile.open() }?.kind, .wrongKey)

    try FileManager.default.removeItem(atPath: "\(folder.state)/seal-key")
    let lost = fault { _ = try folder.byFile.open() }
    expectEqual(lost?.kind, .wrongKey)
    expectEqual(lost?.description.contains("scangate factory-reset"), true)
    expectEqual(folder.files, ["seal-key.check"])

    try folder.write("seal-key", text)
    expectEqual(mark(try folder.byFile.open().key), mark(first.key))
  }

  @Test(arguments: ["journal.sqlite", "credentials/main.sealed"])
  func noKeyIsMadeBesideWhatIsSealed(name: String) throws {
    expectEqual(mkdir("\(folder.state)/credentials", 0o700), 0)
    try folder.write(name, [1])
    expectEqual(fault { _ = try folder.byFile.open() }?.kind, .wrongKey)
    expectEqual(folder.files, [name])
  }

  @Test func manyStartsAtOnceMakeOneKey() async throws {
    let source = folder.byFile
    let marks = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<16 { group.addTask { mark(try source.open().key) } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    expectEqual(marks.count, 1)
  }

  @Test func aKeyBehindALinkIsRefused() throws {
    _ = try folder.byFile.open()
    expectEqual(rename("\(folder.state)/seal-key", "\(folder.state)/elsewhere"), 0)
    expectEqual(symlink("elsewhere", "\(folder.state)/seal-key"), 0)
    expectEqual(fault { _ = try folder.byFile.open() }?.kind, .system)
  }

  // MARK: By a credential

  @Test(arguments: [
    keyBytes(3), [UInt8](KeyText.hexadecimal(keyBytes(3)).utf8),
    [UInt8]("  \(KeyText.hexadecimal(keyBytes(3)).uppercased())\r\n".utf8),
    [UInt8](Data(keyBytes(3)).base64EncodedString().utf8), [UInt8]("\(Data(keyBytes(3)).base64EncodedString())\n".utf8),
  ]) func everyFormOfACredentialIsTheSameKey(form: [UInt8]) throws {
    try folder.give(keyBytes(3))
    let first = try folder.byCredential.open()
    expectEqual(first.place, .credential)
    expectEqual(folder.files, ["seal-key.check", "seal-key.sealed"])
    try expectEqual(folder.mode("seal-key.sealed"), 0o600)
    try folder.give(form)
    expectEqual(mark(try folder.byCredential.open().key), mark(first.key))
  }

  @Test(arguments: [
    [], [UInt8](repeating: 0, count: 32), Array(keyBytes(3).dropLast()),
    [UInt8]("a password of the operator's, long".utf8),
    [UInt8](KeyText.hexadecimal(Array(keyBytes(3).prefix(16))).utf8), [UInt8](repeating: 0x41, count: 9_000),
  ]) func whatIsNoKeyIsRefused(form: [UInt8]) throws {
    try folder.give(form)
    let refused = fault { _ = try folder.byCredential.open() }
    expect(refused != nil)
    expectEqual(refused?.description.contains("operator"), false)
    expectEqual(folder.files, [])
  }

  @Test func theDiskAloneOpensNothing() throws {
    try folder.give(keyBytes(3))
    let key = try folder.byCredential.open()
    let missing = fault { _ = try folder.byFile.open() }
    expectEqual(missing?.kind, .wrongKey)
    expectEqual(missing?.description.contains("scangate-seal-key, which is not given"), true)
    try folder.give(keyBytes(4))
    expectEqual(fault { _ = try folder.byCredential.open() }?.kind, .wrongKey)
    // No file holds the key, nor the credential.
    let sealed = key.key.sealer(for: .codes).seal([1], binding: [])
    for name in folder.files {
      let bytes = try folder.bytes(name)
      for start in bytes.indices.dropLast(31) {
        let window = Array(bytes[start..<start + 32])
        expect(SealKey(bytes: window)?.sealer(for: .codes).open(sealed, binding: []) == nil)
        expect(window != keyBytes(3))
      }
    }
  }

  @Test func anOpenKeyMovesUnderTheCredentialAndNothingIsLost() throws {
    let first = try folder.byFile.open()
    try folder.give(keyBytes(3))
    // Looking alone changes nothing.
    try expectEqual(folder.byCredential.open(making: false).place, .file(path: "\(folder.state)/seal-key"))
    let moved = try folder.byCredential.open()
    expectEqual(moved.place, .credential)
    expectEqual(moved.notices.count, 1)
    expectEqual(mark(moved.key), mark(first.key))
    expectEqual(folder.files, ["seal-key.check", "seal-key.sealed"])
    try expectEqual(folder.byCredential.open().notices, [])
  }

  @Test func aMoveThatWasCutShortIsFinished() throws {
    let first = try folder.byFile.open()
    let open = try folder.bytes("seal-key")
    try folder.give(keyBytes(3))
    _ = try folder.byCredential.open()
    try folder.write("seal-key", open)
    expectEqual(mark(try folder.byFile.open().key), mark(first.key))
    expectEqual(mark(try folder.byCredential.open().key), mark(first.key))
    expectEqual(folder.files, ["seal-key.check", "seal-key.sealed"])
  }

  @Test func anotherKeyBesideASealedOneIsToldAndKept() throws {
    try folder.give(keyBytes(3))
    let first = try folder.byCredential.open()
    try folder.write("seal-key", [UInt8](KeyText.hexadecimal(keyBytes(9)).utf8))
    let second = try folder.byCredential.open()
    expectEqual(mark(second.key), mark(first.key))
    expectEqual(second.notices.first?.contains("another key"), true)
    expect(folder.files.contains("seal-key"))
  }

  @Test func theOutsideKeyIsExchanged() throws {
    try folder.give(keyBytes(3))
    let first = try folder.byCredential.open()
    try folder.give(keyBytes(4))
    try folder.give(keyBytes(3), as: SealKeySource.formerCredential)
    let second = try folder.byCredential.open()
    expectEqual(mark(second.key), mark(first.key))
    expectEqual(second.notices.count, 1)
    try folder.take(SealKeySource.formerCredential)
    expectEqual(mark(try folder.byCredential.open().key), mark(first.key))
    try expectEqual(folder.byCredential.open().notices, [])
  }

  @Test func aChangedSealedKeyIsToldWhereverItWasChanged() throws {
    try folder.give(keyBytes(3))
    _ = try folder.byCredential.open()
    let whole = try folder.bytes("seal-key.sealed")
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0x10
      try folder.write("seal-key.sealed", changed)
      expectEqual(fault { _ = try folder.byCredential.open() }?.kind, .wrongKey)
      try folder.write("seal-key.sealed", Array(whole.prefix(index)))
      expectEqual(fault { _ = try folder.byCredential.open() }?.kind, .wrongKey)
    }
  }
}
