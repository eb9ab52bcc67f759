package import ScanModel

/// Whose certificate ends when.
package struct FleetCertificate: Sendable, Equatable {
  /// Such as `gate1:4222`, or `the fleet's authority`.
  package var owner: String
  package var ends: WallTime

  package init(owner: String, ends: WallTime) {
    self.owner = owner
    self.ends = ends
  }

  /// So long before its end it is to be exchanged: 30 days.
  package static let notice = Duration.seconds(30 * 86_400)

  /// What is to be said of it; `nil` where it holds for long.
  /// - Parameter now: by a clock that is right.
  package func words(at now: WallTime) -> String? {
    let left = ends - now
    guard left < Self.notice else { return nil }
    let when = ends.iso8601Seconds
    let cure = "Exchange them: scangate fleet rotate certificates FOLDER"
    guard left > .zero else { return "The certificate of \(owner) ended at \(when): nobody connects with it. \(cure)" }
    return "The certificate of \(owner) ends in \(left.milliseconds / 86_400_000) days (\(when)). \(cure)"
  }
}
