import Glibc
import NIOSSL
package import ScanConfiguration
package import ScanModel
import StationProtocol

/// What can be said of a console's files before it is started.
extension ConsoleSecrets {
  private static let anew = "sudo systemctl restart scangate-console"

  /// What would keep a console from beginning, or soon will: by the files that its configuration names.
  package func problems(of configuration: ConsoleConfiguration, at now: WallTime) -> [CredentialProblem] {
    var problems = certificateProblems(of: configuration, at: now)
    for token in configuration.tokens.map(\.credential) {
      problems += problem(of: token, cure: { "\($0)sudo scangate console token \(token.name)" }) {
        () throws(ConsoleFault) in _ = try self.token(token)
      }
    }
    if let token = configuration.alerts?.token {
      problems += problem(of: token, cure: { _ in Self.installing("/dev/stdin", at: self.path(of: token)) }) {
        () throws(ConsoleFault) in _ = try foreignToken(token)
      }
    }
    if let authorities = configuration.alerts?.caFile {
      problems += problem(of: authorities, cure: { _ in Self.installing("ca.pem", at: self.path(of: authorities)) }) {
        () throws(ConsoleFault) in
        let bytes = try file(authorities)
        guard let known = try? NIOSSLCertificate.fromPEMBytes(bytes), !known.isEmpty else {
          throw ConsoleFault("\(path(of: authorities)) holds no certificate.")
        }
      }
    }
    return problems
  }

  private func certificateProblems(
    of configuration: ConsoleConfiguration, at now: WallTime
  ) -> [CredentialProblem] {
    guard let certificate = configuration.certificate, let key = configuration.privateKey else { return [] }
    let (place, keyPlace) = (path(of: certificate), path(of: key))
    let missing = [(certificate, place), (key, keyPlace)].flatMap { credential, path in
      problem(of: credential, cure: { _ in Self.installing(credential.name, at: path) }) {
        () throws(ConsoleFault) in _ = try file(credential)
      }
    }
    guard missing.isEmpty else { return missing }
    let renewal = "Put a new certificate into \(place) and its key into \(keyPlace), then: \(Self.anew)"
    var end: WallTime?
    let wrong = problem(of: certificate, cure: { _ in renewal }) { () throws(ConsoleFault) in
      let identity = try ConsoleIdentity(
        certificate: file(certificate), key: file(key), called: (place, keyPlace))
      end = WallTime(seconds: identity.end)
    }
    guard let end else { return wrong }
    let words: String
    switch CertificateLife(until: end, at: now) {
    case .long: return []
    case .short(let days): words = "The console's certificate ends in \(days) days (\(end.iso8601Seconds))."
    case .over:
      words = "The console's certificate ended at \(end.iso8601Seconds): nobody who checks it asks the console."
    }
    return [CredentialProblem(place, at: certificate.position, words, cure: renewal, kind: .life)]
  }

  /// - Parameter cure: what cures it, behind what takes a file away that is there and will not do.
  private func problem(
    of credential: ConsoleCredential, cure: (String) -> String, _ look: () throws(ConsoleFault) -> Void
  ) -> [CredentialProblem] {
    do throws(ConsoleFault) {
      try look()
      return []
    } catch {
      let path = path(of: credential)
      var cure = cure(access(path, F_OK) == 0 ? "sudo rm \(path) && " : "")
      if !cure.hasSuffix(Self.anew) { cure += " && \(Self.anew)" }
      return [CredentialProblem(path, at: credential.position, error.what, cure: cure)]
    }
  }

  private static func installing(_ source: String, at path: String) -> String {
    "sudo install -m 400 \(source) \(path)"
  }
}
