package import ScanModel

extension Signal {
  /// The signal as it is given on the command line and in orders, its reason behind a point: `refuse.unpaid`.
  package var text: String {
    switch self {
    case .refuse(let reason): "\(name).\(reason.rawValue)"
    case .undecided(let reason): "\(name).\(reason.rawValue)"
    case .setUp(let step): "\(name).\(step.name)"
    case .admit, .provisional, .busy, .idle, .offline, .outOfService: name
    }
  }

  /// A signal by the name that configuration and documentation give it; without a reason, a usual one. `nil` where there is none.
  package init?(text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.dropFirst().first) {
    case ("admit", nil): self = .admit
    case ("provisional", nil): self = .provisional
    case ("busy", nil): self = .busy
    case ("idle", nil): self = .idle
    case ("offline", nil): self = .offline
    case ("outOfService", nil): self = .outOfService
    case ("setUp", let step?):
      guard let step = SetUpSignal(name: step) else { return nil }
      self = .setUp(step)
    case ("refuse", let reason):
      guard let reason = RefuseReason(rawValue: reason ?? RefuseReason.notFound.rawValue) else { return nil }
      self = .refuse(reason)
    case ("undecided", let reason):
      guard let reason = UndecidedReason(rawValue: reason ?? UndecidedReason.unreachable.rawValue) else { return nil }
      self = .undecided(reason)
    default: return nil
    }
  }
}
