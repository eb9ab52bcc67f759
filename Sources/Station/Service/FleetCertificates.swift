package import FleetBook
package import JetStreamClaims
internal import LibCrypto
internal import ScanModel
internal import TicketTransport

/// When the certificates of a fleet end: that of its authority, as this machine has it, and each server's, as that shows it.
package enum FleetCertificates {
  /// Asks all servers at one time; who does not answer is left out. Nothing is claimed, and nobody is believed for it.
  package static func look(_ settings: JetStreamSettings, within limit: Duration) async -> [FleetCertificate] {
    let own = CertificateEnd.all(in: Array(settings.authority.utf8)).max().map {
      FleetCertificate(owner: "the fleet's authority", ends: WallTime(seconds: $0))
    }
    let shown = await withTaskGroup(of: FleetCertificate?.self) { group in
      for server in settings.servers {
        group.addTask {
          await ShownCertificate.look(atNATS: server.host, port: server.port, within: limit).map {
            FleetCertificate(owner: "the server \(server)", ends: $0.ends)
          }
        }
      }
      return await group.reduce(into: [FleetCertificate]()) { if let one = $1 { $0.append(one) } }
    }
    return [own].compactMap(\.self) + shown.sorted { $0.owner < $1.owner }
  }
}
