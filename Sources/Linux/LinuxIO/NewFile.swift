internal import Glibc

/// A file that was not there before: nothing is ever overwritten.
package enum NewFile {
  /// Writes a file that its owner alone can read, and has it on disk for good.
  /// - Throws: why there is none; `EEXIST` where something of that name was there.
  package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let file = try UnfinishedFiles.begin(path) { () throws(SystemError) in
      try OwnedDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    }
    do throws(SystemError) {
      try SmallFile.write(file.number, bytes)
      let fault = UnfinishedFiles.finish(path) { fsync(file.number) == 0 ? 0 : errno }
      guard fault == 0 else { throw SystemError(errno: fault, call: "fsync") }
    } catch {
      UnfinishedFiles.discard(path)
      throw error
    }
  }
}
