import Foundation
import Glibc
import Testing

@testable import Sealing

/// A real state folder of a test's own, and one in which systemd could give credentials.
final class StateFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "sealing-\(UUID().uuidString)")
  let state: String
  let given: String

  init() throws {
    state = url.appending(path: "state").path
    given = url.appending(path: "given").path
    for path in [url.path, state, given] {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// A source of the key by file.
  var byFile: SealKeySource { SealKeySource(state: state, given: nil) }
  /// A source of the key by a credential, where `give` has given one.
  var byCredential: SealKeySource { SealKeySource(state: state, given: given) }

  func give(_ bytes: [UInt8], as name: String = SealKeySource.credential) throws {
    try Data(bytes).write(to: URL(filePath: "\(given)/\(name)"))
  }

  func take(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(given)/\(name)") }

  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: "\(state)/\(name)"))) }

  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws {
    try Data(bytes).write(to: URL(filePath: "\(state)/\(name)"))
    try #require(chmod("\(state)/\(name)", mode) == 0)
  }

  func mode(_ name: String) throws -> mode_t {
    var status = stat()
    try #require(stat("\(state)/\(name)", &status) == 0)
    return status.st_mode & 0o777
  }

  /// The files of the state, also those of its folders.
  var files: [String] {
    (FileManager.default.subpaths(atPath: state) ?? []).filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(state)/\($0)", isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }
}

/// The fault that a call throws; `nil` where it throws none.
func fault(_ body: () throws -> Void) -> SealFault? {
  do {
    try body()
    return nil
  } catch {
    return error as? SealFault
  }
}

/// 32 bytes that differ.
func keyBytes(_ seed: UInt8) -> [UInt8] { (0..<32).map { seed &+ $0 &* 7 } }

/// Sealed by a key, to tell it from others.
func mark(_ key: SealKey) -> [UInt8] { key.digester(for: .tickets).digest([1]) }
