import ScanModel

/// What has become of the lock-out of set-up codes since that was told last.
enum LockOutChange: Equatable {
  case none
  /// It began, and lasts so long.
  case began(Duration)
  case ended

  /// Whether set-up codes are taken now, in words for whoever stands at the station.
  func words(isArmed: Bool, isMissing: Bool) -> String {
    let remedy = "Hold the set-up button, restart the service, or run: scangate kiosk activate --wait"
    switch self {
    case .began(let wait):
      return "Too many set-up codes were refused: none is taken for \(max(1, wait.milliseconds / 1_000)) s."
    case .ended where isArmed: return "The lock-out is over: set-up codes are taken again. Hold one to the scanner."
    case .ended: return "The lock-out is over. Set-up codes are taken when somebody asks for it. \(remedy)"
    case .none where isArmed: return "Set-up codes are taken: hold one to the scanner."
    case .none where isMissing: return "Set-up codes are no longer taken. \(remedy)"
    case .none: return "The station is set up: set-up codes are no longer taken."
    }
  }
}
