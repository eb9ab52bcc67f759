/// Where the station's key comes from, and how it is made at the first start.
///
/// ```
///  systemd credential scangate-seal-key?      in the state folder                 the station's key
///   yes ──────────────────────────────────▶  seal-key.sealed (opened by it) ────▶ .credential
///                                             seal-key only: sealed, wiped ─────▶ .credential
///   no  ──────────────────────────────────▶  seal-key (0600) ───────────────────▶ .file
///                                             seal-key.sealed only ─────────────▶ refused: the credential is missing
///   either, and neither file is there ─────▶  nothing is kept: made anew;  something is kept: refused, the key is lost
/// ```
/// The credential seals the station's key and is not the key itself: a station can be bound to a TPM, or get another outside
/// key, without losing what was sealed before.
package struct SealKeySource: Sendable {
  /// The systemd credential by which the station's key is sealed: 32 random bytes, as they are, as 64 hexadecimal digits or
  /// as base64.
  package static let credential = "scangate-seal-key"
  /// The credential that came before: what was sealed by it is sealed anew by `credential`.
  package static let formerCredential = "scangate-seal-key-old"

  /// The station's state folder.
  package let state: String
  /// The folder in which systemd gives credentials (`$CREDENTIALS_DIRECTORY`), where there is one.
  package let given: String?

  /// Names the folders; reads nothing.
  package init(state: String, given: String?) {
    self.state = state
    self.given = given
  }

  /// Opens the station's key; makes it where nothing was ever sealed.
  /// - Parameter making: whether anything may be written; without it a station that has no key yet is `.absent`.
  /// - Throws: why there is no key. A lost key is never replaced.
  package func open(making: Bool = true) throws(SealFault) -> StationKey {
    let outer = try outerKey(Self.credential)
    let former = try outerKey(Self.formerCredential)
    if making {
      return try PrivateFolder.make(state).locked { folder throws(SealFault) in
        try open(folder, outer, former, making: true)
      }
    }
    guard let folder = try PrivateFolder.open(state) else {
      throw SealFault(.absent, "There is no folder \(state): nothing was kept there yet.")
    }
    return try folder.locked { folder throws(SealFault) in try open(folder, outer, former, making: false) }
  }

  private func open(
    _ folder: borrowing PrivateFolder, _ outer: SealKey?, _ former: SealKey?, making: Bool
  ) throws(SealFault) -> StationKey {
    var notices: [String] = []
    let plain = try plainKey(in: folder)
    let sealed = try folder.read(StateFile.sealedKey, upTo: 1_024)?.bytes
    let bytes: [UInt8]
    var isSealed = outer != nil
    if let outer, let sealed {
      if let opened = outer.openKey(sealed) {
        bytes = opened
      } else if let former, let opened = former.openKey(sealed) {
        bytes = opened
        if making {
          try folder.replace(StateFile.sealedKey, with: outer.sealKey(opened))
          notices.append("The station's key is sealed by the new credential now: take \(Self.formerCredential) away.")
        }
      } else {
        throw SealFault(
          .wrongKey,
          "The credential \(Self.credential) does not open \(folder.path)/\(StateFile.sealedKey): it is another one than "
            + "before. Give the former one too, as \(Self.formerCredential), or begin anew by: scangate factory-reset")
      }
      if let plain {
        if plain != bytes {
          notices.append("\(folder.path)/\(StateFile.plainKey) holds another key, which nothing here was sealed with.")
        } else if making {
          // The move below was cut short.
          try folder.remove(StateFile.plainKey, overwriting: true)
        }
      }
    } else if let plain {
      bytes = plain
      isSealed = false
    } else if sealed != nil {
      throw SealFault(
        .wrongKey,
        "The station's key is sealed by the systemd credential \(Self.credential), which is not given here. "
          + "The service has it while it runs; for a command by hand see docs/security.md.")
    } else {
      if try hasKept(in: folder) {
        throw SealFault(
          .wrongKey,
          "The station's key is gone: things in \(folder.path) are sealed, but there is no \(StateFile.plainKey). Put it back "
            + "from a copy, or begin anew by: scangate factory-reset")
      }
      guard making else { throw SealFault(.absent, "There is no key in \(folder.path): nothing was kept there yet.") }
      bytes = SealKey.random().bytes
      if let outer {
        try folder.replace(StateFile.sealedKey, with: outer.sealKey(bytes))
      } else {
        try folder.replace(StateFile.plainKey, with: [UInt8](KeyText.hexadecimal(bytes).utf8) + [0x0A])
      }
    }
    guard let key = SealKey(bytes: bytes) else {
      throw SealFault(.wrongKey, "What \(folder.path)/\(StateFile.sealedKey) holds is no key.")
    }
    try check(key, in: folder, making: making)
    if let outer, !isSealed, making {
      try folder.replace(StateFile.sealedKey, with: outer.sealKey(bytes))
      try folder.remove(StateFile.plainKey, overwriting: true)
      isSealed = true
      notices.append(
        "The station's key lay open in \(folder.path) and is sealed by the credential \(Self.credential) now. Flash may keep "
          + "the open one for a while: where that matters, scangate factory-reset makes a new one.")
    }
    let place = isSealed ? StationKey.Place.credential : .file(path: "\(folder.path)/\(StateFile.plainKey)")
    return StationKey(key: key, place: place, notices: notices)
  }

  /// Compares the key with the one that sealed what is there; remembers the first one.
  private func check(_ key: SealKey, in folder: borrowing PrivateFolder, making: Bool) throws(SealFault) {
    let words = [UInt8]("scangate".utf8)
    let binding = [UInt8]("check".utf8)
    let sealer = key.sealer(for: .key)
    if let check = try folder.read(StateFile.keyCheck, upTo: 1_024) {
      guard sealer.open(check.bytes, binding: binding) == words else {
        throw SealFault(
          .wrongKey,
          "The key in \(folder.path) is not the one by which things there were sealed. Put that one back from a copy, or "
            + "begin anew by: scangate factory-reset")
      }
      return
    }
    // Without the check, what is sealed tells whose key this is.
    let credentials = try CredentialStore.kind.opensAny(in: folder, by: key)
    let records = try SealedRecordStore.kind.opensAny(in: folder, by: key)
    if [credentials, records].contains(false), credentials != true, records != true {
      throw SealFault(
        .wrongKey,
        "The key in \(folder.path) opens nothing that is sealed there, and \(StateFile.keyCheck) is gone: it is another key. "
          + "Put the former one back from a copy, or begin anew by: scangate factory-reset")
    }
    if making {
      try folder.replace(StateFile.keyCheck, with: sealer.seal(words, binding: binding))
    }
  }

  /// Whether something is there that only the lost key opens.
  private func hasKept(in folder: borrowing PrivateFolder) throws(SealFault) -> Bool {
    if try folder.has(StateFile.keyCheck) { return true }
    if try folder.has(StateFile.journal) { return true }
    for name in [StateFile.credentials, StateFile.records] {
      guard let sealed = try folder.subfolder(name) else { continue }
      if try sealed.names().contains(where: { $0.hasSuffix(StateFile.sealed) }) { return true }
    }
    return false
  }

  private func plainKey(in folder: borrowing PrivateFolder) throws(SealFault) -> [UInt8]? {
    guard let file = try folder.read(StateFile.plainKey, upTo: 1_024) else { return nil }
    guard let bytes = KeyText.bytes(hexadecimal: KeyText.trimmed(file.bytes)), bytes.count == SealKey.length else {
      throw SealFault(
        .refused,
        "\(folder.path)/\(StateFile.plainKey) is damaged: it has to hold 64 hexadecimal digits. Put it back from a copy."
      )
    }
    return bytes
  }

  private func outerKey(_ name: String) throws(SealFault) -> SealKey? {
    guard let given, let bytes = try GivenCredential.read(name, in: given) else { return nil }
    guard let key = KeyText.key(bytes), let outer = SealKey(bytes: key) else {
      throw SealFault(
        .refused,
        "The systemd credential \(name) is no key: it has to be 32 random bytes, as 64 hexadecimal digits or base64. "
          + "Make one by: openssl rand -hex 32")
    }
    return outer
  }
}

/// The station's key and where it was found.
package struct StationKey: Sendable {
  /// Who holds the key.
  package enum Place: Sendable, Equatable {
    /// It is sealed by a systemd credential.
    case credential
    /// It lies in a file beside what it seals.
    case file(path: String)

    /// What that means for whoever runs the station.
    package var words: String {
      switch self {
      case .credential:
        "The station's key is sealed by the systemd credential \(SealKeySource.credential): the disk alone opens nothing, "
          + "where that credential is bound to a TPM or kept off the disk."
      case .file(let path):
        "The station's key lies in \(path), beside what it seals: a thief of the disk or card has it too. "
          + "docs/security.md tells how to bind it to a TPM or an outside key."
      }
    }
  }

  /// The key.
  package let key: SealKey
  /// Where it was found.
  package let place: Place
  /// What the operator should know besides.
  package let notices: [String]
}

extension SealKey {
  /// Another key, sealed by this one.
  fileprivate func sealKey(_ bytes: [UInt8]) -> [UInt8] { sealer(for: .key).seal(bytes, binding: Self.keyBinding) }

  fileprivate func openKey(_ sealed: [UInt8]) -> [UInt8]? { sealer(for: .key).open(sealed, binding: Self.keyBinding) }

  private static var keyBinding: [UInt8] { [UInt8]("station key".utf8) }
}
