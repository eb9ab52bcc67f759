import Expectations
import Foundation
import Glibc
import LinuxIO
import Testing

/// What is known of a file that is not there.
@Suite struct FileAbsenceTests {
  private let folder: String

  init() throws {
    var template = Array("/tmp/absence-XXXXXX".utf8CString)
    folder = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  private func make(_ path: String) { close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)) }

  private func look(_ absence: FileAbsence, for path: String) -> Bool { absence.look { access(path, F_OK) == 0 } }

  private func done() { try? FileManager.default.removeItem(atPath: folder) }

  @Test func itIsKnownOnceItWasLookedForUntilTheFileComes() throws {
    defer { done() }
    let path = folder + "/list"
    let absence = try FileAbsence(of: "list", in: folder)
    expect(!absence.isKnown, "nobody has looked")
    expect(!look(absence, for: path) && absence.isKnown)
    // What comes beside it is something else, its whole name counts, and what goes is none.
    for name in ["list.new", "lis", "other"] { make(folder + "/" + name) }
    unlink(folder + "/lis")
    expect(absence.isKnown)
    rename(folder + "/other", folder + "/another")
    expect(absence.isKnown)
    // At once, by whomever it comes.
    rename(folder + "/list.new", path)
    expect(!absence.isKnown && look(absence, for: path) && !absence.isKnown)
    unlink(path)
    expect(!absence.isKnown && !look(absence, for: path) && absence.isKnown)
    make(path)
    expect(!absence.isKnown)
  }

  /// Gates may ask while it is looked for, and the news goes to whoever asks first.
  @Test(arguments: [false, true]) func whatComesWhileItIsLookedForIsNotMissed(isAskedMeanwhile: Bool) throws {
    defer { done() }
    let path = folder + "/list"
    let absence = try FileAbsence(of: "list", in: folder)
    let isFound = absence.look {
      let isFound = access(path, F_OK) == 0
      make(path)
      if isAskedMeanwhile { expect(!absence.isKnown) }
      return isFound
    }
    expect(!isFound && !absence.isKnown)
  }

  /// A folder that is another one by now tells nothing of the file.
  @Test func aFolderThatIsGoneOrMovedTellsNothing() throws {
    defer { done() }
    let (inner, path) = (folder + "/inner", folder + "/inner/list")
    let absence = try FileAbsence(of: "list", in: inner)
    expect(!look(absence, for: path) && !absence.isKnown, "there is no folder")
    for end in [{ rename(inner, inner + "-old") }, { rmdir(inner) }] {
      mkdir(inner, 0o700)
      expect(!look(absence, for: path) && absence.isKnown)
      expectEqual(end(), 0)
      expect(!absence.isKnown)
    }
    mkdir(inner, 0o700)
    expect(!look(absence, for: path) && absence.isKnown)
    make(path)
    expect(!absence.isKnown && look(absence, for: path))
  }

  /// More than the kernel keeps is lost, and that is told.
  @Test func whatIsLostIsNotTakenForNothing() throws {
    defer { done() }
    let absence = try FileAbsence(of: "list", in: folder)
    expect(!look(absence, for: folder + "/list") && absence.isKnown)
    let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let most = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    guard most <= 65_536 else { return }
    for number in 0...most {
      make(folder + "/\(number % 2)")
      unlink(folder + "/\(number % 2)")
    }
    expect(!absence.isKnown)
    expect(!look(absence, for: folder + "/list") && absence.isKnown)
  }
}
