internal import ScanModel
internal import StationProtocol

/// How a station stands with the others that share its book.
extension StationJudgement {
  static func judge(_ fleet: StationSnapshot.Fleet?) -> [StationRemark] {
    guard let fleet else { return [] }
    func remark(
      _ words: String, _ finding: StationFinding, _ cure: String = "scangate fleet status",
      weight: StationRemark.Weight = .warning
    ) -> StationRemark { StationRemark(weight, .fleet, words, cure: cure, finding) }
    var remarks: [StationRemark] = []
    let why = fleet.condition.detail.map { ": \($0)" } ?? ""
    switch fleet.condition.state {
    case "alone":
      remarks.append(
        remark(
          "this station is without its fleet, and goes on by fleet.alone\(why)",
          .init(.fleetAlone, detail: fleet.condition.detail)))
    case "unusable":
      remarks.append(
        remark(
          "nobody is let in: the fleet's book cannot be used\(why)",
          .init(.fleetUnusable, detail: fleet.condition.detail), weight: .cannotAdmit))
    default: break
    }
    if let stuck = fleet.stuck {
      remarks.append(
        remark("it cannot be told something, which stays owed: \(stuck)", .init(.fleetStuck, detail: stuck)))
    }
    if let ahead = fleet.clockAhead {
      remarks.append(
        remark(
          "this machine's clock is \(ahead.asClockError) the fleet's; nobody is refused for it",
          .init(ahead < .zero ? .fleetClockBehind : .fleetClockAhead, .text(ahead.asClockDistance)), "timedatectl"))
    }
    for words in fleet.differences { remarks.append(remark(words, .init(.fleetDiffers, detail: words))) }
    return remarks
  }
}
