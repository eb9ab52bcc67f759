internal import LinuxIO

/// A folder of sealed files in the state folder: each is bound to its name, so that one cannot be put into another's place.
struct SealedFolder {
  /// What lies in one of them.
  struct Kind: Sendable {
    /// The folder's name in the state folder.
    let folder: String
    /// The line at the beginning of each file.
    let header: [UInt8]
    /// What the key is for.
    let purpose: SealKey.Purpose
    /// The longest content, in bytes.
    let longest: Int
    /// Whether a text can be the name of one.
    let isName: @Sendable (String) -> Bool

    /// The longest file.
    var limit: Int { header.count + Sealer.overhead + longest }

    /// What a file of that name holds, sealed.
    func seal(_ bytes: [UInt8], _ name: String, by key: SealKey) -> [UInt8] {
      header + key.sealer(for: purpose).seal(bytes, binding: [UInt8](name.utf8))
    }

    /// What a file of that name holds; `nil` where it does not open.
    func open(_ file: PrivateFolder.Content, _ name: String, by key: SealKey) -> [UInt8]? {
      guard file.bytes.starts(with: header) else { return nil }
      return key.sealer(for: purpose).open(file.bytes.dropFirst(header.count), binding: [UInt8](name.utf8))
    }

    /// The names of those that are there.
    func names(in folder: borrowing PrivateFolder) throws(SealFault) -> [String] {
      try folder.names().filter { $0.hasSuffix(StateFile.sealed) }.map { String($0.dropLast(StateFile.sealed.count)) }
        .filter(isName)
    }

    /// Whether the key opens one of them; `nil` where there is none.
    func opensAny(in state: borrowing PrivateFolder, by key: SealKey) throws(SealFault) -> Bool? {
      guard let folder = try state.subfolder(folder) else { return nil }
      var opens: Bool?
      for name in try names(in: folder) {
        guard let content = try folder.read(SealedFolder.file(name), upTo: limit) else { continue }
        if open(content, name, by: key) != nil { return true }
        opens = false
      }
      return opens
    }
  }

  let kind: Kind
  let state: String

  static func file(_ name: String) -> String { name + StateFile.sealed }

  /// Where it is kept, for words.
  func path(of name: String) -> String { "\(state)/\(kind.folder)/\(Self.file(name))" }

  /// Opens the folder; made where there is none.
  func make() throws(SealFault) -> PrivateFolder { try PrivateFolder.make(state).makeSubfolder(kind.folder) }

  /// Opens the folder; `nil` where there is none.
  func open() throws(SealFault) -> PrivateFolder? {
    guard let state = try PrivateFolder.open(state) else { return nil }
    return try state.subfolder(kind.folder)
  }

  /// A file's content, sealed; `nil` where there is none.
  func read(_ name: String) throws(SealFault) -> PrivateFolder.Content? {
    guard let folder = try open() else { return nil }
    return try folder.read(Self.file(name), upTo: kind.limit)
  }

  /// The names of those that are there.
  func names() throws(SealFault) -> [String] {
    guard let folder = try open() else { return [] }
    return try kind.names(in: folder)
  }

  /// Overwrites and deletes one, and what a kill may have left beside it.
  /// - Returns: whether there was one.
  func remove(_ name: String) throws(SealFault) -> Bool {
    guard let folder = try open() else { return false }
    return try folder.locked { folder throws(SealFault) in try Self.remove(name, in: folder) }
  }

  /// The same in a folder that is locked already.
  @discardableResult static func remove(_ name: String, in folder: borrowing PrivateFolder) throws(SealFault) -> Bool {
    let unfinished = file(name) + FileReplacement.ending
    try folder.remove(unfinished, overwriting: true)
    // Out of its place first: cut in between, half of it must not look like a damaged one.
    guard try folder.rename(file(name), to: unfinished) else { return false }
    return try folder.remove(unfinished, overwriting: true)
  }
}
