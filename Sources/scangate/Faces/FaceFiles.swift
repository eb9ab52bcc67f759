import Console
import Doctor
import Glibc
import LinuxIO
import MQTTBridge
import ScanConfiguration
import ScanModel
import TicketSystemKit

/// The files of secrets that console and bridge are handed by their units: looked at before either is started. No gate needs them.
struct FaceFiles {
  /// Where the console's lie.
  var console = ConsoleSecrets.usual
  /// Where the bridge's lie.
  var bridge = BridgeCredential.usual
  /// Where users and door screens of the console's pages stand, and the screens that have signed in and its own key.
  var people = AccessFile.usual
  var state = ConsolePlace.usualState
  /// Whose they are to be.
  var owner: UInt32 = 0
  /// The console's user and group; `nil` where it is not installed.
  var user = UserAccount(named: AccessFile.group)?.id
  var group = UserGroup(named: AccessFile.group)?.id

  /// Everything that is wrong with them.
  func problems(of configuration: StationConfiguration, at now: WallTime) -> [CredentialProblem] {
    var problems: [CredentialProblem] = []
    if let section = configuration.console, let first = section.credentials.first, !isHidden(console) {
      problems += ConsoleSecrets(folder: console).problems(of: section, at: now)
      problems += exposure(of: console, named: first.position)
      for secret in section.secrets { problems += exposure(of: "\(console)/\(secret.name)", named: secret.position) }
    }
    problems += PageFiles(files: self).problems(of: configuration)
    if let credential = configuration.mqtt?.credential, !isHidden(bridge) {
      let path = "\(bridge)/\(credential.name)"
      problems += passwordProblem(credential, path)
      problems += exposure(of: bridge, named: credential.position)
      problems += exposure(of: path, named: credential.position)
    }
    return problems
  }

  /// What a check-up says of them.
  func findings(on configuration: StationConfiguration, at now: WallTime) -> [Finding] {
    var findings = problems(of: configuration, at: now).map { problem in
      Finding(
        .warning, problem.kind == .life ? .certificates : .permissions, problem.path, problem.words, cure: problem.cure)
    }
    let hasPages = configuration.console?.hasPages == true
    let looked = [
      (console, configuration.console?.credentials.isEmpty == false), (people, hasPages), (state, hasPages),
      (bridge, configuration.mqtt?.credential != nil),
    ]
    for (folder, isNamed) in looked where isNamed {
      // What the console's start will make.
      if NodeAccess(node: folder) == nil, folder == people || folder == state { continue }
      if isHidden(folder) {
        findings.append(
          Finding(.note, .permissions, folder, "You may not look into it.", cure: "sudo scangate doctor"))
      } else if !findings.contains(where: { $0.place == folder || $0.place.hasPrefix("\(folder)/") }) {
        let words =
          folder == people
          ? "Root alone says who may see pages, and the console alone reads it."
          : folder == state
            ? "The console's own key and its door screens are its own alone."
            : "What the file names is there, will do, and is its owner's alone."
        findings.append(Finding(.good, .permissions, folder, words))
      }
    }
    return findings
  }

  /// Whether whoever asks may not look into a folder.
  func isHidden(_ folder: String) -> Bool { access(folder, R_OK | X_OK) != 0 && errno == EACCES }

  private func passwordProblem(_ credential: MQTTCredential, _ path: String) -> [CredentialProblem] {
    let cure = "sudo install -m 400 /dev/stdin \(path) && sudo systemctl restart scangate-mqtt"
    do throws(BrokerFault) {
      _ = try BridgeCredential.password(credential.name, in: bridge)
      return []
    } catch {
      let words =
        access(path, F_OK) == 0
        ? "It holds no password: one line of text."
        : "The broker's password, which the configuration names, is not there."
      return [CredentialProblem(path, at: credential.position, words, cure: cure)]
    }
  }

  /// That others can read it, or put another one in its place; nothing where it is not there.
  private func exposure(of path: String, named position: SourcePosition) -> [CredentialProblem] {
    guard let node = NodeAccess(node: path), node.owner != owner || node.mode & 0o077 != 0 else { return [] }
    let mode = path == console || path == bridge ? "700" : "400"
    return [
      CredentialProblem(
        path, at: position, "Others than root can get at it (\(node.title)): secrets lie there.",
        cure: "sudo chown root: \(path) && sudo chmod \(mode) \(path)")
    ]
  }
}

extension ConsoleConfiguration {
  /// All files that it names.
  fileprivate var credentials: [ConsoleCredential] {
    [certificate, alerts?.caFile].compactMap(\.self) + secrets
  }

  /// Those of them that nobody else may read.
  fileprivate var secrets: [ConsoleCredential] {
    [privateKey, alerts?.token].compactMap(\.self) + tokens.map(\.credential)
  }
}
