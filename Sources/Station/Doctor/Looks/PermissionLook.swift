internal import Glibc
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
internal import Sealing
internal import TicketSystemKit

/// Looks at whose the station's files are: what the service cannot read stops it at its next start, and what others can read is no secret.
struct PermissionLook {
  /// A file as it lies there.
  struct File: Sendable, Equatable {
    var path: String
    /// `nil` where it is not there.
    var access: NodeAccess?
    /// Whether it is a folder.
    var isFolder = false
  }

  let machine: Machine
  let keys: SealKeySource
  let file: String
  let isInstalled: Bool

  func findings(_ configuration: StationConfiguration?) -> [Finding] {
    let secrets = configuration?.files.filter { $0.role == .secret }.map { Self.look($0.path) } ?? []
    let others = configuration?.files.filter { $0.role != .secret }.map { Self.look($0.path) } ?? []
    var found = Self.judge(configuration: Self.look(file), secrets: secrets, others: others, service: reader)
    found += credentials(configuration)
    return found + Self.judge(state: Self.look(keys.state), within: inside, service: reader)
  }

  /// Whom the files are for: the service's user where the station is installed, else whoever asks.
  private var reader: UserAccount? { isInstalled ? machine.service : nil }

  /// What lies in the state folder, and one folder deeper.
  private var inside: [File] {
    let state = keys.state
    var files: [File] = []
    let plain = Machine(root: "", service: nil, holder: nil)
    for name in plain.names(in: state) {
      let entry = Self.look("\(state)/\(name)")
      files.append(entry)
      if entry.isFolder { files += plain.names(in: entry.path).map { Self.look("\(entry.path)/\($0)") } }
    }
    return files
  }

  static func look(_ path: String) -> File {
    var entry = stat()
    guard stat(path, &entry) == 0 else { return File(path: path) }
    return File(
      path: path, access: NodeAccess(owner: entry.st_uid, group: entry.st_gid, mode: entry.st_mode & 0o7777),
      isFolder: entry.st_mode & S_IFMT == S_IFDIR)
  }

  /// Judges the files that the service reads.
  /// - Parameter service: who must be able to; `nil` where that is whoever asks.
  static func judge(configuration: File, secrets: [File], others: [File], service: UserAccount?) -> [Finding] {
    guard let service else { return [] }
    func finding(_ file: File, _ cure: String) -> Finding? {
      guard let access = file.access, !access.mayRead(service) else { return nil }
      return Finding(
        .fault, .permissions, file.path, "The service's user \(service.name) may not read it (\(access.title)).",
        cure: cure)
    }
    return [finding(configuration, "sudo chmod 644 \(configuration.path)")].compactMap(\.self)
      + secrets.compactMap {
        finding($0, "sudo chown \(service.name): \($0.path) && sudo chmod 400 \($0.path)")
      } + others.compactMap { finding($0, "sudo chmod 644 \($0.path)") }
  }

  /// Judges the state folder and what lies in it.
  /// - Parameter service: whose it is to be; `nil` where that is whoever asks.
  static func judge(state: File, within files: [File], service: UserAccount?) -> [Finding] {
    guard let access = state.access else {
      return [
        Finding(
          .note, .permissions, state.path, "There is no state folder yet: the first start makes it.")
      ]
    }
    var findings: [Finding] = []
    if access.mode & 0o077 != 0 {
      findings.append(
        Finding(
          .warning, .permissions, state.path, "Others may look into it (\(access.title)): keys lie there.",
          cure: "sudo chmod 700 \(state.path)"))
    }
    if let service {
      let foreign = ([state] + files).filter { $0.access.map { $0.owner != service.id } ?? false }
      if let first = foreign.first, let access = first.access {
        let more = foreign.count == 1 ? "" : ", and \(foreign.count - 1) more"
        findings.append(
          Finding(
            .fault, .permissions, first.path,
            "It is not the service's (\(access.title))\(more): it cannot start with that.",
            cure: "sudo chown -R \(service.name):\(service.name) \(state.path)"))
      }
    }
    if findings.isEmpty {
      findings.append(Finding(.good, .permissions, state.path, "The state folder is its owner's alone."))
    }
    return findings
  }

  /// Whether whoever asks may not look into a state folder.
  static func isHidden(_ state: String) -> Bool { access(state, R_OK | X_OK) != 0 && errno != ENOENT }

  /// The station's key, where there is one that cannot be used: nothing starts with it.
  private var key: [Finding] {
    do throws(SealFault) {
      _ = try keys.open(making: false)
    } catch {
      guard error.kind != .absent else { return [] }
      return [
        Finding(
          .fault, .permissions, keys.state, error.description,
          cure: "Put the right key back: docs/backup.md, docs/security.md")
      ]
    }
    return []
  }

  /// Credentials that the configuration names and that are not here; nothing where that cannot be told.
  private func credentials(_ configuration: StationConfiguration?) -> [Finding] {
    guard !Self.isHidden(keys.state) else {
      return [
        Finding(
          .note, .permissions, keys.state, "You may not look into it: what depends on the station's key is not told.",
          cure: "sudo scangate doctor")
      ]
    }
    let store = CredentialStore(keys: keys)
    return key
      + (configuration?.credentials ?? []).compactMap { credential in
        guard (try? store.contains(credential.name)) == false else { return nil }
        return Finding(
          .fault, .permissions, "\(credential.position)", "There is no credential \(credential.name) in \(keys.state).",
          cure: "sudo scangate credential set \(credential.name) && sudo systemctl reload scangate")
      }
  }
}

extension NodeAccess {
  /// Whether the user may read: the first of owner, group and others that fits decides, as in the kernel.
  fileprivate func mayRead(_ user: UserAccount) -> Bool {
    if user.id == 0 { return true }
    if user.id == owner { return mode & 0o400 != 0 }
    if user.groups.contains(group) { return mode & 0o040 != 0 }
    return mode & 0o004 != 0
  }
}
