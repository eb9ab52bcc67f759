import Glibc
import LinuxIO
package import ScanConfiguration
import ScanModel
import TicketSystemKit

/// The console's secrets: files by their names, in a folder that only root reads. In a unit the service manager has put copies of them
/// where this process alone can read them: `$CREDENTIALS_DIRECTORY/console_NAME`.
package struct ConsoleSecrets: Sendable {
  /// Where they lie on an installed station.
  package static let usual = "/etc/scangate/console"
  static let longestToken = 4_096
  /// A shorter token could be found by trying.
  static let shortestToken = 20
  private static let longestCertificate = 262_144

  private let folder: String
  private let prefix: String

  /// Those of a folder.
  package init(folder: String = usual) { (self.folder, prefix) = (folder, "") }

  /// Those that the service manager has put there.
  package init(credentials: String) { (folder, prefix) = (credentials, "console_") }

  /// A token that nobody knows yet: 256 random bits.
  package static func newToken() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in String(random.next() as UInt64, digits: 16, radix: 16) }.joined()
  }

  /// What a certificate's or key's file holds.
  /// - Throws: why it cannot be had, and what to do.
  package func file(_ credential: ConsoleCredential) throws(ConsoleFault) -> [UInt8] {
    let bytes = try read(credential, Self.longestCertificate, "Put it there in PEM")
    guard bytes.count <= Self.longestCertificate else {
      throw ConsoleFault("\(place(of: credential)) is longer than \(Self.longestCertificate) bytes.")
    }
    return bytes
  }

  /// The token in a file, without the white space around it: one of the console's own.
  /// - Throws: why it cannot be had, and what to do; without a word of it.
  package func token(_ credential: ConsoleCredential) throws(ConsoleFault) -> String {
    let remedy = "Make one with: sudo scangate console token \(credential.name)"
    let token = try line(of: credential, remedy)
    guard token.count >= Self.shortestToken else {
      throw ConsoleFault(
        "\(place(of: credential)) holds a token of less than \(Self.shortestToken) characters.", remedy: remedy)
    }
    return String(decoding: token, as: UTF8.self)
  }

  /// The token in a file, without the white space around it: one that another service has given.
  /// - Throws: why it cannot be had, and what to do; without a word of it.
  package func foreignToken(_ credential: ConsoleCredential) throws(ConsoleFault) -> String {
    String(decoding: try line(of: credential, "Write the token into it, alone on one line."), as: UTF8.self)
  }

  private func line(of credential: ConsoleCredential, _ remedy: String) throws(ConsoleFault) -> ArraySlice<UInt8> {
    let bytes = try read(credential, Self.longestToken, remedy)
    let blanks = [0x20, 0x09, 0x0A, 0x0D] as [UInt8]
    guard let first = bytes.firstIndex(where: { !blanks.contains($0) }),
      let last = bytes.lastIndex(where: { !blanks.contains($0) })
    else { throw ConsoleFault("\(place(of: credential)) is empty.", remedy: remedy) }
    let token = bytes[first...last]
    // RFC 6750, section 2.1.
    guard token.count < Self.longestToken, token.allSatisfy(Self.isOfToken) else {
      throw ConsoleFault(
        "\(place(of: credential)) holds no token: letters, digits and -._~+/= on one line.", remedy: remedy)
    }
    return token
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~+/=".utf8.contains(byte)
    }
  }

  /// Where this process reads a file, for whoever reads it itself.
  package func path(of credential: ConsoleCredential) -> String { "\(folder)/\(prefix)\(credential.name)" }

  /// What staff know the file as: the service manager's copies are nobody's to mend.
  private func place(of credential: ConsoleCredential) -> String {
    "\(prefix.isEmpty ? folder : Self.usual)/\(credential.name)"
  }

  private func read(
    _ credential: ConsoleCredential, _ limit: Int, _ remedy: String
  ) throws(ConsoleFault) -> [UInt8] {
    do throws(SystemError) {
      return try SmallFile.read(path(of: credential), limit: limit + 1)
    } catch {
      let what =
        switch error.errno {
        case ENOENT: "is not there"
        case EACCES, EPERM: "may not be read by this user"
        default: "cannot be read (\(error.words))"
        }
      let anew = prefix.isEmpty ? "" : ", and start the console anew: systemctl restart scangate-console"
      throw ConsoleFault(
        "\(place(of: credential)), named in line \(credential.position.line) of the file, \(what).",
        remedy: "\(remedy)\(anew)")
    }
  }
}
