package import ScanModel

/// How long a certificate still holds: what status, doctor, alerts and the console judge one by.
package enum CertificateLife: Hashable, Sendable {
  /// Nobody need do anything yet.
  case long
  /// It ends within `StationLimits.certificateNotice`: in so many whole days.
  case short(days: Int64)
  /// It is over.
  case over

  /// - Parameters:
  ///   - ends: when it ends.
  ///   - now: by a clock that is right.
  package init(until ends: WallTime, at now: WallTime) {
    let left = ends - now
    if left <= .zero {
      self = .over
    } else if left < StationLimits.certificateNotice {
      self = .short(days: left.milliseconds / 86_400_000)
    } else {
      self = .long
    }
  }
}
