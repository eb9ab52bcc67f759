package import FleetBook
internal import Glibc
package import JetStreamClaims
internal import LibCrypto
internal import LinuxIO
internal import ScanModel

/// The folder that a fleet is made in and kept in. Its owner alone may look into it.
package struct FleetFolder: Sendable {
  /// What one of its files has at most, in bytes.
  private static let longest = 262_144

  /// Where.
  package let path: String

  package init(_ path: String) {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = String(path)
  }

  // MARK: Writing

  /// Makes it with a new fleet in it, wholly or not at all. Nothing is overwritten.
  package func make(_ change: FleetChange) throws(FleetFault) {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw taken }
    let draft = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
    do throws(SystemError) {
      guard mkdir(draft, 0o700) == 0 else { throw SystemError(errno: errno, call: "mkdir") }
      for file in change.files + [layoutFile(change.layout)] { try write(file, in: draft) }
      try SmallFile.syncFolder(of: draft + "/")
      // A folder that has come meanwhile with something in it is not replaced.
      guard rename(draft, path) == 0 else { throw SystemError(errno: errno, call: "rename") }
      try SmallFile.syncFolder(of: path)
    } catch {
      Self.remove(draft, change.files + [layoutFile(change.layout)])
      throw error.errno == EEXIST || error.errno == ENOTEMPTY ? taken : fault(error)
    }
  }

  /// Puts a change into it: the layout last, so that one that is cut off can be asked for again.
  package func apply(_ change: FleetChange) throws(FleetFault) {
    do throws(SystemError) {
      for file in change.files { try write(file, in: path) }
      try write(layoutFile(change.layout), in: path)
      for name in change.removed where unlink("\(path)/\(name)") != 0 && errno != ENOENT {
        throw SystemError(errno: errno, call: "unlink")
      }
    } catch { throw fault(error) }
  }

  /// Writes the servers' files as this version of the program does, where an earlier one has written others.
  /// - Returns: whether any was another.
  package func renewServers(_ layout: FleetLayout) throws(FleetFault) -> Bool {
    var files: [FleetFile] = []
    for file in FleetChange.servers(layout) where try read(file.path) != file.bytes { files.append(file) }
    guard !files.isEmpty else { return false }
    try apply(FleetChange(layout: layout, files: files, removed: [], steps: []))
    return true
  }

  /// Notes that the event's book was made.
  package func noteOpened(_ layout: FleetLayout) throws(FleetFault) {
    guard !layout.wasOpened else { return }
    var layout = layout
    layout.wasOpened = true
    try apply(FleetChange(layout: layout, files: [], removed: [], steps: []))
  }

  private func layoutFile(_ layout: FleetLayout) -> FleetFile { FleetFile(FleetPath.layout, layout.text) }

  private func write(_ file: FleetFile, in folder: String) throws(SystemError) {
    var made = folder
    for part in file.path.split(separator: "/").dropLast() {
      made += "/\(part)"
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw SystemError(errno: errno, call: "mkdir") }
    }
    var new = try FileReplacement(of: "\(folder)/\(file.path)", mode: FleetFile.secret)
    try SmallFile.write(new.file.number, file.bytes)
    // Whatever the process's mask is. A medium that keeps no modes is none for keys.
    var status = stat()
    guard fchmod(new.file.number, file.mode) == 0, fstat(new.file.number, &status) == 0 else {
      throw SystemError(errno: errno, call: "chmod")
    }
    guard status.st_mode & 0o777 == file.mode else { throw SystemError(errno: EPERM, call: "chmod") }
    try new.finish()
  }

  private static func remove(_ folder: String, _ files: [FleetFile]) {
    for file in files { unlink("\(folder)/\(file.path)") }
    let folders = Set(
      files.flatMap { file in
        let parts = file.path.split(separator: "/").dropLast()
        return parts.indices.map { parts[...$0].joined(separator: "/") }
      })
    for name in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) { rmdir("\(folder)/\(name)") }
    rmdir(folder)
  }

  private var shown: String { TerminalText.clean(path) }

  private var taken: FleetFault {
    FleetFault(
      .output,
      "\(shown) is there, and is not overwritten: name another folder, or change the fleet by scangate fleet rotate.")
  }

  private func fault(_ error: SystemError) -> FleetFault {
    let words =
      error.call == "chmod"
      ? "Its medium does not keep who may read a file, as a stick for Windows: take a folder on this machine's own disk."
      : "\(error.words)."
    return FleetFault(.output, "\(shown) is not written. \(words)")
  }

  // MARK: Reading

  /// The fleet.
  package func layout() throws(FleetFault) -> FleetLayout {
    try FleetLayout(read(FleetPath.layout), file: TerminalText.clean("\(path)/\(FleetPath.layout)"))
  }

  /// What it keeps besides.
  package func secrets(_ layout: FleetLayout) throws(FleetFault) -> FleetSecrets {
    var authorities: [Int: CertificateAuthority] = [:]
    for number in layout.believed {
      let (certificate, key) = (FleetPath.authority(number), FleetPath.authorityKey(number))
      authorities[number] = try known(
        CertificateAuthority(certificate: read(certificate), privateKey: secret(key)), key,
        "the key of \(certificate)")
    }
    var stations: [StationID: FleetCredential] = [:]
    for station in layout.stations where !station.isRevoked {
      let file = FleetPath.station(station, FleetPath.credential)
      // What was taken away on purpose is missed where it is needed.
      guard access("\(path)/\(file)", F_OK) == 0 else { continue }
      let credential = try known(FleetCredential(line(file)), file, "a station's credential")
      guard credential.signing.publicKey == station.signs else {
        throw other(file, "the credential of this fleet's station \(station.name)")
      }
      stations[station.name] = credential
    }
    return FleetSecrets(
      authorities: authorities, administrator: try administrator(),
      key: try key(), stations: stations)
  }

  /// How whoever administers connects to the servers, for the event's book.
  package func settings(_ layout: FleetLayout) throws(FleetFault) -> JetStreamSettings {
    let key = try known(FleetKey(bytes: FleetKeyText.bytes(key()) ?? []), FleetPath.key, "a fleet's key")
    return JetStreamSettings(
      servers: layout.servers, authority: try authority(layout), credential: try administrator(), name: "administrator",
      bucket: layout.event, mark: key.mark, replicas: layout.nodes.count)
  }

  /// Signs an order for all stations that go by an event's book.
  package func signed(_ order: FleetOrder, for event: String, _ layout: FleetLayout) throws(FleetFault) -> [UInt8] {
    let key = try administrator()
    let seal = FleetOrderSeal(event: event, administrators: layout.administratorKeys)
    guard let bytes = seal.seal(order, by: { key.signature(ofOwn: $0) }) else {
      throw FleetFault(.asked, "This cannot be ordered: \(order.flaw ?? "there is no memory").")
    }
    // Stations would not believe it.
    guard seal.open(bytes) == .known(order) else {
      throw other(FleetPath.administrator, "the key of whoever administers this fleet")
    }
    return bytes
  }

  private func key() throws(FleetFault) -> String {
    let text = try line(FleetPath.key)
    return try known(FleetKeyText.bytes(text) == nil ? nil : text, FleetPath.key, "a fleet's key")
  }

  private func administrator() throws(FleetFault) -> NKey {
    try known(
      FleetAdministrator.key(line(FleetPath.administrator)), FleetPath.administrator, "an administrator's key")
  }

  private func authority(_ layout: FleetLayout) throws(FleetFault) -> String {
    var text = ""
    for number in layout.believed { text += String(decoding: try read(FleetPath.authority(number)), as: UTF8.self) }
    return text
  }

  private func known<Value>(_ value: Value?, _ file: String, _ what: String) throws(FleetFault) -> Value {
    guard let value else { throw other(file, what) }
    return value
  }

  private func other(_ file: String, _ what: String) -> FleetFault {
    FleetFault(.data, "\(TerminalText.clean("\(path)/\(file)")) is not \(what) as scangate fleet has written it.")
  }

  private func line(_ file: String) throws(FleetFault) -> String {
    let text = String(decoding: try secret(file), as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  private func secret(_ file: String) throws(FleetFault) -> [UInt8] { try read(file, isSecret: true) }

  private func read(_ file: String, isSecret: Bool = false) throws(FleetFault) -> [UInt8] {
    let shown = TerminalText.clean("\(path)/\(file)")
    var status = stat()
    let bytes: [UInt8]
    do throws(SystemError) {
      let opened = try OwnedDescriptor.open("\(path)/\(file)", O_RDONLY | O_NONBLOCK)
      guard fstat(opened.number, &status) == 0 else { throw SystemError(errno: errno, call: "fstat") }
      bytes = try SmallFile.read(opened.number, upTo: Self.longest)
    } catch { throw FleetFault(.data, "\(shown) cannot be read: \(error.words).") }
    guard bytes.count <= Self.longest else { throw FleetFault(.data, "\(shown) is too long: the wrong file?") }
    guard !isSecret || status.st_mode & 0o077 == 0 else {
      throw FleetFault(
        .data, "\(shown) can be read by others. If nobody has: chmod 600 \(shown). Else rotate what it is.")
    }
    return bytes
  }
}
