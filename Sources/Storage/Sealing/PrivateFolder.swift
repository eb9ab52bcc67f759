internal import Glibc
internal import LinuxIO

/// A folder of small files that are its owner's alone. Held by its descriptor, and no link in it is followed: whoever may
/// write to it cannot lead root elsewhere.
struct PrivateFolder: ~Copyable {
  /// A file's content.
  struct Content {
    var bytes: [UInt8]
    /// When it was last written, in seconds since 1970.
    var written: Int64
  }

  /// Where it is, for words.
  let path: String
  private let folder: OwnedDescriptor
  private let owner: (user: uid_t, group: gid_t)

  /// Opens a folder; `nil` where there is none.
  /// - Throws: why it cannot be opened, or that others may write to it.
  static func open(_ path: String) throws(SealFault) -> PrivateFolder? {
    try open(path, at: AT_FDCWD, path, flags: 0)
  }

  /// Opens a folder, made for its owner alone where there is none.
  static func make(_ path: String) throws(SealFault) -> PrivateFolder {
    if let folder = try open(path) { return folder }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw fault("The folder \(path) cannot be made", errno)
    }
    guard let folder = try open(path) else { throw fault("The folder \(path) cannot be opened", ENOENT) }
    return folder
  }

  /// Opens a folder in this one; `nil` where there is none.
  func subfolder(_ name: String) throws(SealFault) -> PrivateFolder? {
    try Self.open(name, at: folder.number, "\(path)/\(name)", flags: O_NOFOLLOW)
  }

  /// Opens a folder in this one, made where there is none.
  func makeSubfolder(_ name: String) throws(SealFault) -> PrivateFolder {
    if let folder = try subfolder(name) { return folder }
    let isNew = mkdirat(folder.number, name, 0o700) == 0
    guard isNew || errno == EEXIST else { throw Self.fault("The folder \(path)/\(name) cannot be made", errno) }
    if isNew { try give(name) }
    guard let made = try subfolder(name) else {
      throw Self.fault("The folder \(path)/\(name) cannot be opened", ENOENT)
    }
    _ = fsync(folder.number)
    return made
  }

  /// Gives a folder in this one to this one's owner; a link of that name is not followed.
  private func give(_ name: String) throws(SealFault) {
    let number = openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard number >= 0 else { throw Self.fault("The folder \(path)/\(name) cannot be opened", errno) }
    let made = OwnedDescriptor(owning: number)
    try writing(name) { () throws(SystemError) in try give(made.number) }
  }

  private static func open(
    _ name: String, at place: Int32, _ path: String, flags: Int32
  ) throws(SealFault) -> PrivateFolder? {
    let number = openat(place, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
    if number < 0 {
      if errno == ENOENT { return nil }
      throw fault("The folder \(path) cannot be opened", errno)
    }
    let folder = OwnedDescriptor(owning: number)
    var status = stat()
    guard fstat(number, &status) == 0 else { throw fault("The folder \(path) cannot be looked at", errno) }
    guard status.st_mode & 0o022 == 0 else {
      throw SealFault(
        .refused, "Others may write to the folder \(path), and so replace what is kept there: run chmod go-w \(path).")
    }
    return PrivateFolder(path: path, folder: folder, owner: (status.st_uid, status.st_gid))
  }

  private init(path: String, folder: consuming OwnedDescriptor, owner: (user: uid_t, group: gid_t)) {
    self.path = path
    self.folder = folder
    self.owner = owner
  }

  /// The names in it, sorted.
  func names() throws(SealFault) -> [String] {
    let number = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw Self.fault("The folder \(path) cannot be listed", errno) }
    guard let stream = fdopendir(number) else {
      close(number)
      throw Self.fault("The folder \(path) cannot be listed", errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    // The name is read in place: an entry can be shorter than the type that describes it.
    let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
      if name != "." && name != ".." { names.append(name) }
    }
    // Half a list would hide what is kept.
    guard errno == 0 else { throw Self.fault("The folder \(path) cannot be listed", errno) }
    return names.sorted()
  }

  /// Whether there is something of that name.
  /// - Throws: that this cannot be told: a disk that gives errors is no empty one.
  func has(_ name: String) throws(SealFault) -> Bool {
    var status = stat()
    if fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
    guard errno == ENOENT else { throw Self.fault("\(path)/\(name) cannot be looked at", errno) }
    return false
  }

  /// What changes with each time that a file is replaced: its number, when that was, and its size; `nil` where there is none.
  func stamp(_ name: String) throws(SealFault) -> RecordStamp? {
    var status = stat()
    if fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
      return RecordStamp(
        number: UInt64(status.st_ino), seconds: Int64(status.st_ctim.tv_sec),
        nanoseconds: Int64(status.st_ctim.tv_nsec), size: Int64(status.st_size))
    }
    guard errno == ENOENT else { throw Self.fault("\(path)/\(name) cannot be looked at", errno) }
    return nil
  }

  /// A file's content; `nil` where there is none.
  /// - Throws: why it cannot be read, that it has more than `limit` bytes, or that it is not the folder's owner's alone.
  func read(_ name: String, upTo limit: Int) throws(SealFault) -> Content? {
    let path = "\(path)/\(name)"
    // O_NONBLOCK: a pipe of that name must not be waited for.
    let number = openat(folder.number, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if number < 0 {
      if errno == ENOENT { return nil }
      throw Self.fault("\(path) cannot be opened", errno)
    }
    let file = OwnedDescriptor(owning: number)
    var status = stat()
    guard fstat(number, &status) == 0 else { throw Self.fault("\(path) cannot be looked at", errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SealFault(.refused, "\(path) is no regular file.") }
    guard status.st_uid == owner.user else {
      throw SealFault(
        .refused, "\(path) belongs to another user than its folder (\(status.st_uid), not \(owner.user)): run chown.")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw SealFault(
        .refused, "\(path) is open to other users: run chmod 600 \(path), and take what it holds as known.")
    }
    let bytes = try Result { () throws(SystemError) in try SmallFile.read(file.number, upTo: limit) }
      .mapError { Self.fault("\(path) cannot be read", $0.errno) }.get()
    guard bytes.count <= limit else { throw SealFault(.refused, "\(path) is too large: it is none of scangate's.") }
    return Content(bytes: bytes, written: Int64(status.st_mtim.tv_sec))
  }

  /// Replaces a file, or makes it: after a kill or a cut of power it is wholly the old one or wholly the new one.
  func replace(_ name: String, with bytes: [UInt8]) throws(SealFault) {
    try writing(name) { () throws(SystemError) in
      var new = try FileReplacement(of: name, in: folder.number)
      try give(new.file.number)
      try SmallFile.write(new.file.number, bytes)
      try new.finish()
    }
  }

  /// Deletes a file.
  /// - Parameter overwriting: whether its bytes are overwritten first. That helps on a disk that writes in place; flash may
  ///   keep the old ones.
  /// - Returns: whether there was one.
  @discardableResult func remove(_ name: String, overwriting: Bool) throws(SealFault) -> Bool {
    guard try has(name) else { return false }
    if overwriting { overwrite(name) }
    guard unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else {
      throw Self.fault("\(path)/\(name) cannot be deleted", errno)
    }
    guard fsync(folder.number) == 0 else {
      throw Self.fault("\(path)/\(name) may come back after a cut of power", errno)
    }
    return true
  }

  /// Gives a file another name, in the place of what has it.
  /// - Returns: whether there was one.
  func rename(_ name: String, to other: String) throws(SealFault) -> Bool {
    guard renameat(folder.number, name, folder.number, other) == 0 else {
      if errno == ENOENT { return false }
      throw Self.fault("\(path)/\(name) cannot be put away", errno)
    }
    guard fsync(folder.number) == 0 else {
      throw Self.fault("\(path)/\(name) may come back after a cut of power", errno)
    }
    return true
  }

  /// As far as that can be had: what cannot be overwritten is deleted all the same.
  private func overwrite(_ name: String) {
    let number = openat(folder.number, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard number >= 0 else { return }
    let file = OwnedDescriptor(owning: number)
    var status = stat()
    // A file with another name is somebody else's too.
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
      status.st_size <= 1 << 20
    else { return }
    try? SmallFile.write(file.number, [UInt8](repeating: 0, count: Int(status.st_size)))
    try? SmallFile.sync(file.number)
  }

  /// How long another process may hold a folder: they change a file or two in it.
  private static let longestHold = Duration.seconds(5)

  /// Runs `body` while no other process or thread changes the folder's files in it.
  /// - Throws: also where another one holds it for too long: a command that was stopped must not stop the service.
  func locked<Result>(_ body: (borrowing PrivateFolder) throws(SealFault) -> Result) throws(SealFault) -> Result {
    let begun = ContinuousClock.now
    while flock(folder.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR || errno == EWOULDBLOCK else {
        throw Self.fault("The folder \(path) cannot be locked", errno)
      }
      guard ContinuousClock.now - begun < Self.longestHold else {
        throw SealFault(
          .disk,
          "The folder \(path) is held by another scangate command. Look for one that was stopped: pgrep -a scangate")
      }
      usleep(10_000)
    }
    defer { _ = flock(folder.number, LOCK_UN) }
    return try body(self)
  }

  /// Opens a file to be locked; made where there is none.
  func lockFile(_ name: String) throws(SealFault) -> OwnedDescriptor {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    var number = openat(folder.number, name, flags)
    if number < 0, errno == ENOENT {
      number = openat(folder.number, name, flags | O_CREAT | O_EXCL, 0o600)
      if number >= 0 { try writing(name) { () throws(SystemError) in try give(number) } }
    }
    guard number >= 0 else { throw Self.fault("\(path)/\(name) cannot be opened", errno) }
    return OwnedDescriptor(owning: number)
  }

  /// Root's files here would be lost to the folder's owner.
  private func give(_ number: Int32) throws(SystemError) {
    guard geteuid() == 0, owner.user != 0 else { return }
    guard fchown(number, owner.user, owner.group) == 0 else { throw SystemError(errno: errno, call: "chown") }
  }

  private func writing(_ name: String, _ body: () throws(SystemError) -> Void) throws(SealFault) {
    do throws(SystemError) {
      try body()
    } catch {
      let words =
        switch error.call {
        case "chown": "cannot be given to the folder's owner"
        case "rename": "cannot be put into place"
        case "sync": "may not outlive a cut of power"
        default: "cannot be written"
        }
      throw Self.fault("\(path)/\(name) \(words)", error.errno)
    }
  }

  static func fault(_ words: String, _ number: Int32) -> SealFault {
    let error = SystemError(errno: number, call: "")
    let remedy =
      switch number {
      case EACCES, EPERM: " Run this as root, or as the user of the service."
      case ENOSPC, EDQUOT: " Make room on the disk."
      case EROFS: " The disk is read-only: see dmesg."
      case EIO: " The disk gives errors: see dmesg."
      default: ""
      }
    let kind: SealFault.Kind =
      switch number {
      case EACCES, EPERM, ENOSPC, EDQUOT, EROFS, EIO, ENODEV, ENOMEM, EMFILE, ENFILE, EBUSY, ESTALE, ETIMEDOUT:
        .disk
      default: .system
      }
    return SealFault(kind, "\(words) (\(error.words)).\(remedy)")
  }
}
