/// The station's records: what services have given it and what became of that, each in a file of its own, sealed by the
/// station's key and bound to its name.
///
/// The service and commands may use one store at once, each in its process. Calls block on the disk.
package struct SealedRecordStore: Sendable {
  /// The longest record, in bytes.
  package static let longest = 256 * 1_024

  /// How records are kept.
  static let kind = SealedFolder.Kind(
    folder: StateFile.records, header: [UInt8]("scangate record 1\n".utf8), purpose: .records, longest: longest,
    isName: isName)

  /// Where the station's key comes from.
  package let keys: SealKeySource

  /// Makes the store of a station; opens nothing.
  package init(keys: SealKeySource) { self.keys = keys }

  /// Whether `text` can be a record's name: `[a-z0-9][a-z0-9.-]{0,63}`.
  package static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= 64, first.isLowerOrDigit else { return false }
    return bytes.allSatisfy { $0.isLowerOrDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }

  /// A record; `nil` where there is none of that name.
  /// - Throws: why it cannot be had; `.damaged` where it does not open.
  package func get(_ name: String) throws(SealFault) -> [UInt8]? {
    try Self.check(name)
    guard let file = try files.read(name) else { return nil }
    return try open(file, name, by: try keys.open(making: false).key)
  }

  /// Keeps a record: after a kill or a cut of power it is wholly the old one or wholly this one.
  package func set(_ name: String, _ bytes: [UInt8]) throws(SealFault) {
    try update(name, replacingDamaged: true) { _ in bytes }
  }

  /// Forgets a record: its bytes are overwritten, then deleted. Flash may keep the old ones, sealed.
  /// - Returns: whether there was one.
  @discardableResult package func remove(_ name: String) throws(SealFault) -> Bool {
    try Self.check(name)
    return try files.remove(name)
  }

  /// Changes a record while nobody else does, in whichever process; nothing is written where nothing changes.
  /// - Parameters:
  ///   - replacingDamaged: whether one that does not open counts as absent, rather than being a fault.
  ///   - body: makes the new record of the old one; `nil` stands for none. Must not use the store.
  /// - Returns: what is kept now.
  @discardableResult package func update(
    _ name: String, replacingDamaged: Bool = false, _ body: ([UInt8]?) throws(SealFault) -> [UInt8]?
  ) throws(SealFault) -> [UInt8]? {
    try Self.check(name)
    let key = try keys.open().key
    return try files.make().locked { folder throws(SealFault) in
      let former = try folder.read(SealedFolder.file(name), upTo: Self.kind.limit)
      var old: [UInt8]?
      if let former {
        do throws(SealFault) {
          old = try open(former, name, by: key)
        } catch {
          if !replacingDamaged { throw error }
        }
      }
      guard let new = try body(old) else {
        try SealedFolder.remove(name, in: folder)
        return nil
      }
      guard new.count <= Self.longest else {
        throw SealFault(.refused, "The record \(name) would have more than \(Self.longest / 1_024) KB: it is not kept.")
      }
      if new != old { try folder.replace(SealedFolder.file(name), with: Self.kind.seal(new, name, by: key)) }
      return new
    }
  }

  /// What changes with each write of a record, for whoever waits for that; `nil` where there is none. Reads no content.
  package func stamp(_ name: String) throws(SealFault) -> RecordStamp? {
    try Self.check(name)
    return try files.open()?.stamp(SealedFolder.file(name))
  }

  /// The names of all records, sorted.
  package func names() throws(SealFault) -> [String] { try files.names() }

  /// Where a record is kept, for words.
  package func path(of name: String) -> String { files.path(of: name) }

  private var files: SealedFolder { SealedFolder(kind: Self.kind, state: keys.state) }

  private func open(_ file: PrivateFolder.Content, _ name: String, by key: SealKey) throws(SealFault) -> [UInt8] {
    if let plain = Self.kind.open(file, name, by: key) { return plain }
    // The key itself has been checked: it is not another one.
    throw SealFault(.damaged, "\(path(of: name)) is damaged, or was put there from elsewhere: it does not open.")
  }

  private static func check(_ name: String) throws(SealFault) {
    guard !isName(name) else { return }
    throw SealFault(.refused, "A record's name has 1 to 64 of a to z, 0 to 9, . and -, no . or - first; this is none.")
  }
}

/// What changes with each write of a record.
package struct RecordStamp: Sendable, Equatable {
  let number: UInt64
  let seconds: Int64
  let nanoseconds: Int64
  let size: Int64
}

extension UInt8 {
  fileprivate var isLowerOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}
