package import TicketSystemKit

extension StationConfiguration {
  /// What is wrong with the files that a configuration names.
  package struct FileFindings: Sendable, Equatable {
    /// Files without which the service cannot work, sorted by position.
    package var errors: [ConfigurationError]
    /// Secrets that others can read, and lists that only setting up needs and that cannot be used; sorted by position.
    package var warnings: [ConfigurationError]
  }

  /// Looks at the files that the configuration names, as the user that this process runs as. Apart from parsing, so that
  /// a configuration can be checked on another machine. Never shows what a file holds.
  ///
  /// A key is one line of 1 to 4,096 printable ASCII characters without blanks, apart from white space around it.
  /// Certificates are PEM (RFC 7468): at least one block, and every block's body is base64.
  package func checkFiles() -> FileFindings {
    var errors: Set<ConfigurationError> = []
    var warnings: Set<ConfigurationError> = []
    let faultyLines = ticketSystems.flatMap { $0.type.fileProblems(of: $0.settings) }
    for file in files {
      let name = quoted(file.path)
      do throws(FileFault) {
        let content = try FileContent.read(file.path, upTo: file.role.limit)
        if let problem = file.role.problem(with: content.bytes) {
          let finding = ConfigurationError(at: file.position, "the file \(name) \(problem)", file.role.remedy)
          if file.role == .trustList { warnings.insert(finding) } else { errors.insert(finding) }
        }
        for problem in faultyLines where file.role == .lines && problem.path == file.path {
          errors.insert(
            ConfigurationError(
              at: file.position, "the file cannot be used: \(problem.words)",
              "mend it: the service does not start with it as it is"))
        }
        if file.role == .secret && content.mode & 0o077 != 0 {
          warnings.insert(
            ConfigurationError(
              at: file.position, "the key file \(name) is open to other users",
              "let the service's user own it and run \"chmod 600\""))
        }
      } catch {
        let finding = ConfigurationError(at: file.position, "the file \(name) \(error.problem)", error.remedy)
        // A gate that works must not stop for a list that only setting up needs.
        if file.role == .trustList { warnings.insert(finding) } else { errors.insert(finding) }
      }
    }
    return FileFindings(errors: errors.sorted(), warnings: warnings.sorted())
  }
}

/// The most characters of a key; only these first bytes of its file are ever read.
private let longestKey = 4096

extension FileReference.Role {
  /// How many bytes are looked at; a larger file is refused.
  fileprivate var limit: Int {
    switch self {
    case .secret: 2 * longestKey
    case .certificates: 4 << 20
    case .trustList: 64 << 10
    case .lines: 1 << 20
    }
  }

  fileprivate var remedy: String {
    switch self {
    case .secret: "write the key into it, alone on one line"
    case .certificates: "write certificates in PEM into it (-----BEGIN CERTIFICATE-----)"
    case .trustList: "write servers and organiser's keys into it, one a line"
    case .lines: "write one entry a line into it"
    }
  }

  /// What is wrong with a file's content, without a word of it.
  fileprivate func problem(with bytes: [UInt8]) -> String? {
    if bytes.count > limit { return "is too large" }
    switch self {
    case .secret: return keyProblem(bytes)
    case .certificates: return certificateProblem(bytes)
    case .trustList: return bytes.allSatisfy(isWhiteSpace) ? "is empty" : nil
    case .lines: return nil
    }
  }
}

private func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

private func keyProblem(_ bytes: [UInt8]) -> String? {
  guard let first = bytes.firstIndex(where: { !isWhiteSpace($0) }),
    let last = bytes.lastIndex(where: { !isWhiteSpace($0) })
  else { return "is empty" }
  let key = bytes[first...last]
  if key.contains(where: { (0x0A...0x0D).contains($0) }) { return "has more than one line" }
  if key.contains(where: isWhiteSpace) { return "has a blank inside the key" }
  if key.contains(where: { !(0x21...0x7E).contains($0) }) {
    return "has a character that is no printable ASCII character"
  }
  // White space before the key counts: a key that ends later would be cut.
  return last >= longestKey ? "is too large" : nil
}

private func certificateProblem(_ bytes: [UInt8]) -> String? {
  if bytes.allSatisfy(isWhiteSpace) { return "is empty" }
  // PEM is ASCII; what is not ends a block's base64 and is harmless in the text around it.
  let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }.map { line in
    String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\t" }.joined(separator: " ")
  }
  var body: [UInt8] = []
  var isInside = false
  var count = 0
  for line in lines {
    switch (line, isInside) {
    case ("-----BEGIN CERTIFICATE-----", false):
      body = []
      isInside = true
    case ("-----END CERTIFICATE-----", true):
      guard isBase64(body) else { return "holds a certificate that is damaged" }
      count += 1
      isInside = false
    case (_, true): body += line.utf8
    case (_, false): break
    }
  }
  if isInside { return "holds a certificate that is cut off" }
  return count == 0 ? "holds no certificate" : nil
}

/// Whether `text` is base64 of at least one byte (RFC 4648, section 4).
private func isBase64(_ text: [UInt8]) -> Bool {
  guard !text.isEmpty, text.count % 4 == 0 else { return false }
  let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
  return text.dropLast(padding).allSatisfy {
    isLetterOrDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
  }
}
