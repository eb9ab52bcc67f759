internal import ScanModel
internal import StationProtocol
internal import TicketTransport

/// What is to be said of the certificate that a server shows.
enum CertificateJudge {
  static func findings(_ server: ServerAddress, place: String, within patience: Duration) async -> [Finding] {
    guard server.isSecure else { return [] }
    let shown = await ShownCertificate.look(at: server, within: patience)
    return judge(shown, of: server.hostAndPort, place: place, at: SystemTime().wall())
  }

  /// - Parameter shown: `nil` where it shows none: that it does not answer is told where it is asked.
  static func judge(_ shown: ShownCertificate?, of host: String, place: String, at now: WallTime) -> [Finding] {
    guard let shown else { return [] }
    func finding(_ severity: Finding.Severity, _ words: String, _ cure: String? = nil) -> Finding {
      Finding(severity, .certificates, place, words, cure: cure)
    }
    guard shown.isOfHost else {
      return [
        finding(
          .fault,
          "Somebody answers for \(host) with another host's certificate: a guest network's portal, or a wrong address.",
          PortalLook.cure)
      ]
    }
    let renew = "Have it renewed by whoever runs \(host)."
    let end = shown.ends.iso8601Seconds
    switch CertificateLife(until: shown.ends, at: now) {
    case .over: return [finding(.fault, "The certificate of \(host) ended at \(end).", renew)]
    case .short(let days):
      return [finding(.warning, "The certificate of \(host) ends in \(days) days (\(end)).", renew)]
    case .long: return [finding(.good, "The certificate of \(host) holds until \(end).")]
    }
  }
}
