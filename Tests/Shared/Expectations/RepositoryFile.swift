package import FoundationEssentials

/// A file of this repository: a document or an example that tests hold to its word.
/// - Parameters:
///   - path: from the top of the repository.
///   - source: a source file in it.
package func repositoryFile(_ path: String, near source: String = #filePath) -> URL {
  var folder = URL(filePath: source).deletingLastPathComponent()
  while folder.pathComponents.count > 1,
    !FileManager.default.fileExists(atPath: folder.appending(path: "systemd").path)
  {
    folder.deleteLastPathComponent()
  }
  return folder.appending(path: path)
}
