internal import TicketSystemKit

extension EventScheduleSection {
  static let enrolKey = "enrol"
  private static let keyKeys = ["apiKey", "apiKeyFile"]

  /// Where server and key are known from: the file, or a set-up code; never both.
  static func readPlace(_ reader: SectionReader) -> Place? {
    guard let isEnrolled = reader.read(enrol) else { return nil }
    guard isEnrolled else {
      let url = reader.read(url)
      if let url, let plain = reader.read(allowPlainHTTP) {
        checkPlainHTTP(url, isAllowed: plain, shows: "the key and every code", reader)
      }
      if reader.keyPosition(of: "url") == nil, !reader.guesses.contains("url"), !reader.guesses.contains(enrolKey) {
        reader.findings.error(
          at: reader.node.label, "the key \"url\" is missing in \(quoted(reader.node.path))",
          "add url: https://tickets.example.org, or enrol: true where a set-up code brings it")
      }
      let key = readKey(reader)
      guard let url, let key else { return nil }
      return .configured(url, key)
    }
    var isAlone = true
    for name in ["url"] + keyKeys {
      guard let place = reader.keyPosition(of: name) else { continue }
      isAlone = false
      reader.findings.error(
        at: place, "\(quoted(reader.node.path)) has both enrol and \(name)",
        "remove \(name): a set-up code brings server and key; or remove enrol")
    }
    if let place = reader.keyPosition(of: "allowPlainHTTP"), reader.read(allowPlainHTTP) == true {
      isAlone = false
      reader.findings.error(
        at: place, "\(quoted(reader.node.path)) has both enrol and allowPlainHTTP",
        "remove allowPlainHTTP: a server that a set-up code names is asked by https only")
    }
    return isAlone ? .enrolled : nil
  }

  /// Where the key is: exactly one of two places.
  private static func readKey(_ reader: SectionReader) -> TicketSystemKey? {
    let name = reader.read(apiKey)
    let path = reader.read(apiKeyFile)
    switch (reader.keyPosition(of: "apiKey"), reader.keyPosition(of: "apiKeyFile")) {
    case (.some, .some(let second)):
      reader.findings.error(
        at: second, "\(quoted(reader.node.path)) has both apiKey and apiKeyFile",
        "keep one: apiKey names a credential, apiKeyFile a file")
      return nil
    case (nil, nil):
      guard reader.guesses.isDisjoint(with: keyKeys + [enrolKey]) else { return nil }
      reader.findings.error(
        at: reader.node.label, "neither apiKey nor apiKeyFile is in \(quoted(reader.node.path))",
        "put the key in with \"scangate credential set main\" and add apiKey: main")
      return nil
    default: break
    }
    if let name { return .credential(CredentialReference(name: name, position: reader.position(of: "apiKey"))) }
    return path.map { .file(FileReference(path: $0, role: .secret, position: reader.position(of: "apiKeyFile"))) }
  }
}
