import ArgumentParser
import Console
import Glibc
import LinuxIO
import ScanConfiguration

/// `scangate console fingerprint`: what whoever connects compares the console's certificate by.
struct ConsoleFingerprintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fingerprint", abstract: "Print the SHA-256 fingerprint of the console's certificate.",
    discussion: "As openssl x509 -fingerprint -sha256 prints it.")

  @OptionGroup var place: ConsolePlace

  func run() throws {
    guard let configuration = try place.configuration().console else {
      throw failure("The file has no section console.", Exit.configuration)
    }
    guard configuration.isSecure else {
      throw failure("The console speaks plain HTTP, and has no certificate.", Exit.configuration)
    }
    let pem: [UInt8]
    if let certificate = configuration.certificate {
      pem = try place.secrets.file(certificate)
    } else {
      let path = KeptCertificate.path(in: place.stateFolder)
      do throws(SystemError) {
        pem = try SmallFile.read(path, limit: KeptCertificate.longest)
      } catch {
        throw failure(
          error.errno == ENOENT
            ? "The console makes its certificate when it is first started: systemctl start scangate-console"
            : "\(path): \(error.words). Ask as root: sudo scangate console fingerprint")
      }
    }
    guard let text = CertificateFingerprint.text(ofPEM: pem) else {
      throw failure("The console's certificate cannot be read.", Exit.data)
    }
    Terminal.out(text)
  }
}
