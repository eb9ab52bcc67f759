extension StationConfiguration {
  /// What is wrong with the files that a configuration names.
  public struct FileFindings: Sendable, Equatable {
    /// Files without which the service cannot work, sorted by position.
    public var errors: [ConfigurationError]
    /// Files that others can read, sorted by position.
    public var warnings: [ConfigurationError]
  }

  /// Looks at the files that the configuration names, as the user that this process runs as. Apart from parsing, so that
  /// a configuration can be checked on another machine. Never shows what a file holds.
  public func checkFiles() -> FileFindings {
    var errors: Set<ConfigurationError> = []
    var warnings: Set<ConfigurationError> = []
    for file in files {
      let name = quoted(file.path)
      do throws(FileFault) {
        let limit = file.role == .secret ? 4096 : 4 << 20
        let content = try FileContent.read(file.path, upTo: limit)
        if content.bytes.allSatisfy({ $0 <= 0x20 }) {
          errors.insert(ConfigurationError(at: file.position, "the file \(name) is empty", file.role.emptyRemedy))
        } else if content.bytes.count > limit {
          errors.insert(ConfigurationError(at: file.position, "the file \(name) is too large", file.role.emptyRemedy))
        } else if file.role == .certificates && !content.holdsCertificate {
          errors.insert(
            ConfigurationError(at: file.position, "the file \(name) holds no certificate", file.role.emptyRemedy))
        }
        if file.role == .secret && content.mode & 0o077 != 0 {
          warnings.insert(
            ConfigurationError(
              at: file.position, "the key file \(name) is open to other users",
              "let the service's user own it and run \"chmod 600\""))
        }
      } catch {
        errors.insert(ConfigurationError(at: file.position, "the file \(name) \(error.problem)", error.remedy))
      }
    }
    return FileFindings(errors: errors.sorted(), warnings: warnings.sorted())
  }
}

extension FileReference.Role {
  fileprivate var emptyRemedy: String {
    switch self {
    case .secret: "write the key into it, alone on one line"
    case .certificates: "write certificates in PEM into it (-----BEGIN CERTIFICATE-----)"
    }
  }
}

extension FileContent {
  fileprivate var holdsCertificate: Bool {
    String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----")
  }
}
