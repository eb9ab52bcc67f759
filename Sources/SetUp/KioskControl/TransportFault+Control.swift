internal import ScanModel
internal import TicketTransport

extension ControlFault {
  /// Why there is no whole answer; `nil` where there is one.
  init?(_ outcome: HTTPOutcome, host: String) {
    switch outcome.result {
    case .answered: return nil
    case .notSent(let fault): self.init(fault, wasSent: false)
    case .lost(let fault): self.init(fault, wasSent: true)
    case .pending: self.init(.network, "\(host) did not answer in time.")
    }
  }

  private init(_ fault: TransportFault, wasSent: Bool) {
    // TLS that cannot be trusted and what is no HTTP are not the network's: nobody is to wait for them to pass.
    self.init(fault.reason == .unreachable ? .network : .unknown, fault.detail, wasSent: wasSent)
  }
}
