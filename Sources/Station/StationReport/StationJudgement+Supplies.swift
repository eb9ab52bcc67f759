internal import ScanModel
internal import StationProtocol

/// What a station uses up without noticing: the time of certificates, and room on its disk.
extension StationJudgement {
  /// By a clock that nobody vouches for no certificate is judged.
  static func judgeCertificates(_ station: StationSnapshot) -> [StationRemark] {
    guard station.isClockTrusted else { return [] }
    return station.ticketSystems.compactMap { system -> StationRemark? in
      guard let ends = system.certificateEnds else { return nil }
      let cure = "have it renewed by whoever runs \(system.host ?? "its server")"
      let (end, host) = (ends.iso8601Seconds, system.host ?? system.id.name)
      return switch CertificateLife(until: ends, at: station.at) {
      case .long: nil
      case .short(let days):
        StationRemark(
          .warning, .certificate(system.id), "it ends in \(days) days (\(end)): \(cure)",
          .init(.certificateShort, .text(String(days)), .text(end), .text(host)))
      // Whoever connects next is refused by us, and no fault of TLS is bridged by a policy.
      case .over:
        StationRemark(
          .cannotAdmit, .certificate(system.id), "it ended at \(end): \(cure)",
          .init(.certificateOver, .text(end), .text(host)))
      }
    }
  }

  static func judge(_ disk: StationSnapshot.Disk?) -> [StationRemark] {
    guard let disk, disk.isFull || disk.isFillingUp else { return [] }
    let words =
      disk.isFull ? "it is full: \(disk.words), and soon nothing is kept" : "it is filling up: \(disk.words)"
    let finding = StationFinding(
      disk.isFull ? .diskFull : .diskFilling, .text(String(disk.free / 1_000_000)), .text(String(disk.size / 1_000_000))
    )
    return [StationRemark(.warning, .disk, words, cure: "scangate doctor", finding)]
  }
}
