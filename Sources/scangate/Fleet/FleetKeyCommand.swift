import ArgumentParser
import FleetBook
import Glibc
import JetStreamClaims
import LibCrypto
import LinuxIO
import ScanModel

/// `scangate fleet key`
struct FleetKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make what a new station is to its fleet.",
    discussion: """
      Writes the station's credential to standard output, for a pipe: scangate fleet key --with fleet.key | scangate credential \
      set fleet. What others have to know of it is told on standard error: its public keys. The file has the fleet's key, the same \
      for all its stations; it is made where there is none. Whoever has it can tell which codes the fleet's servers have claims of: \
      keep it where the stations are made, and nowhere else.
      """)

  @Option(
    name: .customLong("with"), help: ArgumentHelp("The file of the fleet's key.", valueName: "path"),
    completion: .file())
  var file: String

  func run() throws {
    guard isatty(STDOUT_FILENO) == 0 else {
      throw failure(
        "What comes out is a secret. Write: scangate fleet key --with \(file) | scangate credential set fleet")
    }
    guard let credential = FleetCredential.make(fleet: try fleetKey()), let half = credential.signing.publicKey else {
      throw failure("No key can be made: there is no memory.", Exit.unavailable)
    }
    Terminal.error("fleet.stations, at every station: \(StationKeyText.text(half))")
    Terminal.error("The user of this station, at the servers: \(credential.user.user)")
    Terminal.out(credential.toBeSealed)
  }

  private func fleetKey() throws -> [UInt8] {
    let text: String
    do throws(SystemError) {
      if let kept = try kept() { text = kept } else { text = try made() }
    } catch { throw failure("\(file): \(error.words).", Exit.unavailable) }
    guard let key = FleetKeyText.bytes(text) else {
      throw failure("\(file) has no fleet's key, or one that was mistyped.", Exit.data)
    }
    return key
  }

  /// What the file has; `nil` where there is none.
  private func kept() throws(SystemError) -> String? {
    do throws(SystemError) {
      return String(decoding: try SmallFile.read(file, limit: 1_024), as: UTF8.self).filter { !$0.isWhitespace }
    } catch {
      guard error.errno == ENOENT else { throw error }
      return nil
    }
  }

  private func made() throws(SystemError) -> String {
    let text = FleetKeyText.make()
    try NewFile.write([UInt8]((text + "\n").utf8), to: file)
    Terminal.error("\(file) is new, and has the fleet's key.")
    return text
  }
}
