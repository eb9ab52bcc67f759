import Console
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import TicketSystemKit

/// The files by which people see the console's pages: who may read and change them. A user whom somebody else could add would open gates.
struct PageFiles {
  let files: FaceFiles

  /// Everything that is wrong with them; nothing where there are no pages, or where the console was never started.
  func problems(of configuration: StationConfiguration) -> [CredentialProblem] {
    guard configuration.console?.hasPages == true else { return [] }
    let position = SourcePosition(file: configuration.file, line: 0, column: 0)
    return people(position) + state(position)
  }

  /// Users and door screens: root writes them, the console's group reads them, and nobody else.
  private func people(_ position: SourcePosition) -> [CredentialProblem] {
    guard !files.isHidden(files.people) else { return [] }
    let paths = [files.people, AccessFile.users(in: files.people), AccessFile.devices(in: files.people)]
    return paths.compactMap { path -> CredentialProblem? in
      guard let node = NodeAccess(node: path) else { return nil }
      let isFolder = path == files.people
      let cure =
        "sudo chown root:\(AccessFile.group) \(path) && sudo chmod \(isFolder ? "750" : "640") \(path)"
      func problem(_ words: String) -> CredentialProblem { CredentialProblem(path, at: position, words, cure: cure) }
      if node.owner != files.owner || node.mode & 0o022 != 0 {
        return problem("Others than root can change who may see pages (\(node.title)).")
      }
      if node.mode & 0o007 != 0 {
        return problem(
          isFolder
            ? "Others than the console can look into it (\(node.title))."
            : "Others than the console can read it (\(node.title)): hashes of passwords and codes lie there.")
      }
      guard let group = files.group else { return nil }
      let needed: UInt32 = isFolder ? 0o050 : 0o040
      if node.group != group {
        return problem(
          node.mode & 0o070 == 0
            ? "The console cannot read it (\(node.title)): nobody can sign in."
            : "Its group is not the console's (\(node.title)): that group can read it, and the console cannot.")
      }
      return node.mode & needed == needed
        ? nil : problem("The console cannot read it (\(node.title)): nobody can sign in.")
    }
  }

  /// The key that the console has made itself, and the screens that have signed in: the console's own alone.
  private func state(_ position: SourcePosition) -> [CredentialProblem] {
    guard let user = files.user, !files.isHidden(files.state) else { return [] }
    let inside = [KeptCertificate.path(in: files.state), "\(files.state)/screens"]
    return ([files.state] + inside).compactMap { path -> CredentialProblem? in
      guard let node = NodeAccess(node: path), node.owner != user || node.mode & 0o077 != 0 else { return nil }
      let mode = path == files.state ? "700" : "600"
      return CredentialProblem(
        path, at: position,
        "Others than the console can get at it (\(node.title)): its key and its screens' cookies lie there.",
        cure: "sudo chown \(AccessFile.group): \(path) && sudo chmod \(mode) \(path)")
    }
  }
}
