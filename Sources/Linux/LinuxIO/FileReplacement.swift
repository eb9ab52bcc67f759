package import Glibc

/// A file that gets its place wholly or not at all, after a kill or a cut of power too: it is written beside it, synced, and then given
/// its name. What is not finished is thrown away.
package struct FileReplacement: ~Copyable {
  /// The end of the name of a file that is not wholly written.
  package static let ending = ".new"

  /// Open to be read and written.
  package let file: OwnedDescriptor
  private let path: String
  private let temporary: String
  private let folder: Int32
  private var isInPlace = false

  /// Begins the file; what a former try left beside its place goes.
  /// - Parameters:
  ///   - path: where it will be; from `folder` where that is one.
  ///   - folder: an open folder, to be closed after this; else the process's own.
  ///   - ending: of its name until then.
  ///   - mode: who may do what with it, before the process's mask.
  /// - Throws: the system's error.
  package init(
    of path: String, in folder: Int32 = AT_FDCWD, ending: String = ending, mode: mode_t = 0o600
  ) throws(SystemError) {
    let temporary = path + ending
    try self.init(of: path, in: folder, ending: ending) { () throws(SystemError) in
      unlinkat(folder, temporary, 0)
      // No link of that name is followed: whoever may write to the folder cannot lead root elsewhere.
      let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
      return try OwnedDescriptor(openat(folder, temporary, flags, mode), by: "open")
    }
  }

  /// Begins the file that `make` makes beside its place.
  package init(
    of path: String, in folder: Int32 = AT_FDCWD, ending: String = ending,
    by make: () throws(SystemError) -> OwnedDescriptor
  ) throws(SystemError) {
    let temporary = path + ending
    // Made before anything is assigned: Swift 6.2 miscompiles a throw half-way through the initialiser of what is not copied.
    let file = try folder == AT_FDCWD ? UnfinishedFiles.begin(temporary, make) : make()
    self.path = path
    self.folder = folder
    self.temporary = temporary
    self.file = file
  }

  /// Has the file in its place for good. It stays open.
  /// - Throws: the system's error; by the call "rename", where it could not be put there, or "sync", where it is there and may not
  ///   outlive a cut of power.
  package mutating func finish() throws(SystemError) {
    try SmallFile.sync(file.number)
    let (folder, temporary, path) = (folder, temporary, path)
    let fault = UnfinishedFiles.finish(temporary) { renameat(folder, temporary, folder, path) == 0 ? 0 : errno }
    guard fault == 0 else { throw SystemError(errno: fault, call: "rename") }
    isInPlace = true
    do throws(SystemError) {
      if folder == AT_FDCWD { try SmallFile.syncFolder(of: path) } else { try SmallFile.sync(folder) }
    } catch {
      // Some file systems cannot sync a folder; the file itself is safe.
      guard error.errno == EINVAL else { throw SystemError(errno: error.errno, call: "sync") }
    }
  }

  deinit {
    guard !isInPlace else { return }
    if folder == AT_FDCWD { UnfinishedFiles.discard(temporary) } else { unlinkat(folder, temporary, 0) }
  }
}
