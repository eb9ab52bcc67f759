import Expectations
import Glibc
import LinuxIO
import Testing

@Suite struct FileReplacementTests {
  private let folder: String
  private var path: String { "\(folder)/file" }
  private var unfinished: String { path + FileReplacement.ending }

  init() throws {
    var template = [UInt8]("/tmp/scangate-replacement-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
    try #require(mkdtemp(&template) != nil)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try SmallFile.replace(path, with: Array("old".utf8))
  }

  private func content(_ path: String) throws -> String {
    String(decoding: try SmallFile.read(path, limit: 100), as: UTF8.self)
  }

  private func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  @Test func theOldFileStaysUntilTheNewOneIsWhole() throws {
    var new = try FileReplacement(of: path)
    try SmallFile.write(new.file.number, Array("new".utf8))
    expectEqual(try content(path), "old")
    expect(isThere(unfinished))
    try new.finish()
    expectEqual(try content(path), "new")
    expect(!isThere(unfinished))
    var status = stat()
    expectEqual(lstat(path, &status), 0)
    expectEqual(status.st_mode & 0o777, 0o600)
  }

  @Test func whatIsNotFinishedLeavesNothing() throws {
    for isInFolder in [false, true] {
      let open = try OwnedDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
      do {
        let new = try isInFolder ? FileReplacement(of: "file", in: open.number) : FileReplacement(of: path)
        try SmallFile.write(new.file.number, Array("half".utf8))
        expect(isThere(unfinished))
      }
      expect(!isThere(unfinished))
      expectEqual(try content(path), "old")
    }
  }

  /// Whoever may write to the folder does not lead the writer elsewhere.
  @Test func aLinkInTheUnfinishedFilesPlaceIsNotFollowed() throws {
    let other = "\(folder)/other"
    for link in [symlink, Glibc.link] {
      try SmallFile.replace(other, with: Array("another's".utf8))
      try #require(link(other, unfinished) == 0)
      try SmallFile.replace(path, with: Array("new".utf8))
      expectEqual(try content(other), "another's")
      expectEqual(try content(path), "new")
    }
  }

  @Test func aFileThatCannotTakeItsPlaceGoes() throws {
    let place = "\(folder)/taken"
    try #require(mkdir(place, 0o700) == 0)
    #expect(throws: SystemError(errno: EISDIR, call: "rename")) {
      var new = try FileReplacement(of: place)
      try new.finish()
    }
    expect(!isThere(place + FileReplacement.ending))
  }

  @Test func withoutAFolderThereIsNone() throws {
    #expect(throws: SystemError(errno: ENOENT, call: "open")) { _ = try FileReplacement(of: "\(folder)/none/file") }
  }
}
