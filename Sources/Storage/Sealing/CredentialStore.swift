internal import Glibc

/// The station's credentials: API keys and tokens, each in a file of its own, sealed by the station's key and bound to its
/// name. A credential that systemd gives under the same name comes before it.
package struct CredentialStore: Sendable {
  /// What there is to tell of a credential; nothing of the secret.
  package struct Entry: Sendable, Equatable {
    /// Where it is kept.
    package enum Place: String, Sendable {
      /// In the state folder, sealed.
      case sealed
      /// Given by systemd.
      case systemd
    }

    /// The name.
    package let name: String
    /// Where it is kept.
    package let place: Place
    /// When it was set, in seconds since 1970; `nil` where systemd gives it.
    package let set: Int64?
    /// Whether it opens with the station's key; `nil` where that could not be had.
    package let opens: Bool?
    /// Whether the station uses it: a sealed one is not used beside one that systemd gives.
    package let isUsed: Bool
  }

  /// How credentials are kept.
  static let kind = SealedFolder.Kind(
    folder: StateFile.credentials, header: [UInt8]("scangate credential 1\n".utf8), purpose: .credentials,
    longest: PastedSecret.longest, isName: isName)

  /// Where the station's key comes from.
  package let keys: SealKeySource

  /// Makes the store of a station; opens nothing.
  package init(keys: SealKeySource) { self.keys = keys }

  /// Whether `text` can be a credential's name: `[A-Za-z0-9][A-Za-z0-9_-]{0,31}`, not that of the key, and from 20 characters
  /// on with - or _ in it: what has none is a secret in the wrong place.
  package static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= 32, first.isLetterOrDigit else { return false }
    guard bytes.count < 20 || text.contains("-") || text.contains("_") else { return false }
    return bytes.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
      && !text.hasPrefix(SealKeySource.credential)
  }

  /// Keeps a credential: after a kill or a cut of power it is wholly the old one or wholly this one.
  /// - Returns: the key that it is sealed by.
  @discardableResult package func set(_ name: String, _ secret: PastedSecret) throws(SealFault) -> StationKey {
    try Self.check(name)
    let station = try keys.open()
    let sealed = Self.kind.seal([UInt8](secret.text.utf8), name, by: station.key)
    let folder = try files.make()
    try folder.locked { folder throws(SealFault) in try folder.replace(SealedFolder.file(name), with: sealed) }
    return station
  }

  /// A credential; `nil` where there is none of that name.
  /// - Throws: why it cannot be read or opened.
  package func get(_ name: String) throws(SealFault) -> PastedSecret? {
    try Self.check(name)
    if let given = keys.given, let bytes = try GivenCredential.read(name, in: given) {
      return try Result { () throws(PastedSecret.Fault) in try PastedSecret(bytes) }
        .mapError { SealFault(.refused, "The systemd credential \(name) is none: \($0.description)") }.get()
    }
    guard let file = try files.read(name) else { return nil }
    guard let plain = Self.kind.open(file, name, by: try keys.open(making: false).key) else {
      throw SealFault(
        .wrongKey,
        "The credential \(name) does not open: \(path(of: name)) is damaged, or was sealed by another key. Set it again with: "
          + "scangate credential set \(name)")
    }
    do throws(PastedSecret.Fault) {
      return try PastedSecret(plain)
    } catch {
      throw SealFault(
        .refused,
        "The credential \(name) cannot be used: \(error.description) Set it again with: scangate credential set \(name)"
      )
    }
  }

  /// Whether there is a credential of that name; opens nothing.
  package func contains(_ name: String) throws(SealFault) -> Bool {
    try Self.check(name)
    if try isGiven(name) { return true }
    return try files.read(name) != nil
  }

  /// Whether systemd gives a credential of that name: then a sealed one is not used.
  package func isGiven(_ name: String) throws(SealFault) -> Bool {
    try Self.check(name)
    guard let given = keys.given else { return false }
    return try GivenCredential.read(name, in: given) != nil
  }

  /// All credentials, by name; one that systemd gives comes right before a sealed one that it hides.
  /// - Parameter key: the station's, where it could be had: each is then tried.
  package func entries(openingWith key: SealKey?) throws(SealFault) -> [Entry] {
    var entries: [Entry] = []
    var given: Set<String> = []
    if let path = keys.given, let folder = try PrivateFolder.open(path) {
      for name in try folder.names() where Self.isName(name) {
        entries.append(Entry(name: name, place: .systemd, set: nil, opens: nil, isUsed: true))
        given.insert(name)
      }
    }
    for name in try files.names() {
      guard let content = try files.read(name) else { continue }
      let opens = key.map { Self.kind.open(content, name, by: $0) != nil }
      entries.append(
        Entry(name: name, place: .sealed, set: content.written, opens: opens, isUsed: !given.contains(name)))
    }
    return entries.sorted { ($0.name, $0.isUsed ? 0 : 1) < ($1.name, $1.isUsed ? 0 : 1) }
  }

  /// Forgets a sealed credential: its bytes are overwritten, then deleted. Flash may keep the old ones, sealed.
  /// - Returns: whether there was one.
  @discardableResult package func remove(_ name: String) throws(SealFault) -> Bool {
    try Self.check(name)
    return try files.remove(name)
  }

  /// Where a credential is kept, for words.
  package func path(of name: String) -> String { files.path(of: name) }

  private var files: SealedFolder { SealedFolder(kind: Self.kind, state: keys.state) }

  private static func check(_ name: String) throws(SealFault) {
    guard !isName(name) else { return }
    if name.hasPrefix(SealKeySource.credential) {
      throw SealFault(
        .refused, "\(SealKeySource.credential) is the station's key and no credential: choose another name.")
    }
    // Somebody may have typed the secret itself: it is not repeated.
    throw SealFault(
      .refused,
      "A credential's name has 1 to 32 letters (a to z), digits, - and _, no - or _ first (from 20 on with - or _ in it); this "
        + "is none. The secret itself is asked for, and never an argument.")
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    let character = Character(Unicode.Scalar(self))
    return character.isASCII && (character.isLetter || character.isWholeNumber)
  }
}
