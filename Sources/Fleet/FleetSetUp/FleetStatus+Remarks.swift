internal import FleetBook
internal import JetStreamClaims
internal import ScanModel

/// What somebody may have to look at, beside who is there.
extension FleetStatus {
  /// A sentence.
  package struct Remark: Sendable, Equatable {
    package var words: String
    /// Whether it is not well, rather than something that may be meant.
    package var isDoubt = true
  }

  package var remarks: [Remark] {
    var remarks: [Remark] = []
    if let ahead = facts.clockAhead {
      remarks.append(
        Remark(
          words: "This machine's clock is \(ahead.asClockError) the leader's, by which claims are dated: timedatectl"))
    }
    for (station, said) in said.sorted(by: { $0.key.description < $1.key.description }) {
      guard let ahead = said.word.clockAhead else { continue }
      remarks.append(
        Remark(
          words: "The clock of \(station) was \(ahead.asClockError) the fleet's when it said so last: timedatectl there"
        ))
    }
    for station in stations.sorted(by: { $0.description < $1.description }) where writesOn(station) {
      remarks.append(
        Remark(
          words:
            "\(station) was revoked, and has written since: a server takes it still. Run install.sh on each server, and see which has not read its file."
        ))
    }
    remarks += WordDifference.found(in: said.values.filter { !revoked.contains($0.station) }).map {
      Remark(words: $0.words, isDoubt: $0.isDoubt)
    }
    remarks += certificates.compactMap { $0.words(at: now) }.map { Remark(words: $0) }
    return remarks
  }

  /// Whether a station that was revoked has written since.
  func writesOn(_ station: StationID) -> Bool {
    guard revoked.contains(station), let word = words[station], let at = revokedAt[station] else { return false }
    return word > at
  }

  /// How many are in and not out, as all stations have told; `nil` where none has.
  package var house: Int64? {
    guard !said.isEmpty else { return nil }
    return max(0, said.values.reduce(0) { $0.addingReportingOverflow($1.word.count.balance).partialValue })
  }

  /// Who has written claims lately and says nothing of itself.
  var uncounted: [StationID] {
    stations.filter { words[$0] != nil && said[$0] == nil }.sorted { $0.description < $1.description }
  }
}
