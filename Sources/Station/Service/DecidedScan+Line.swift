package import Gateway
internal import ScanModel

extension DecidedScan {
  /// One line: verdict and reason, the shortened code, holder, event, how many are in.
  package func line(namingHolder: Bool = true) -> String {
    let more = isProvisional ? "provisional" : verdict.reason
    let words = ([verdict.name] + [more].compactMap { $0 }).joined(separator: " ")
    let padding = String(repeating: " ", count: max(0, 22 - words.count))
    return ([words + padding, scan.code.shortened] + facts(namingHolder: namingHolder)).joined(separator: "  ")
  }

  /// Holder, event, kind, seats, how many are in, and what is wrong with the relay.
  package func facts(namingHolder: Bool = true) -> [String] {
    let seats = details.seats.isEmpty ? nil : details.seats.joined(separator: ", ")
    var facts = [namingHolder ? details.holder : nil, details.event, details.kind, seats].compactMap {
      $0.map { TerminalText.clean($0, limit: 60) }
    }
    if admitted > 0 {
      facts.append(allowance == Entitlement.unlimited ? "\(admitted) in" : "\(admitted) of \(allowance) in")
    }
    if let fault = outputFault { facts.append(TerminalText.clean(fault)) }
    return facts
  }
}
