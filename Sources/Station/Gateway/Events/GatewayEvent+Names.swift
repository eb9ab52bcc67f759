import ScanModel

extension GatewayEvent {
  /// Whether it names a ticket's holder.
  package var hasNames: Bool { if case .scan(let decided) = self { decided.details.holder != nil } else { false } }

  /// The same without the names of tickets' holders.
  package var withoutNames: GatewayEvent {
    guard case .scan(var decided) = self else { return self }
    decided.details.holder = nil
    return .scan(decided)
  }
}
