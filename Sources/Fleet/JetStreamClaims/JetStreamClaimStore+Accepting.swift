package import FleetBook
package import ScanModel
internal import WireText

extension JetStreamClaimStore {
  /// Says to all stations that the book counts as it is, though it lacks what they have written. Only who administers the servers may.
  /// - Returns: the last revision that it has.
  @discardableResult package func accept(until end: MonotonicTime) async throws(ClaimFault) -> ClaimRevision {
    let rules = StreamRules(settings: link.settings)
    let stream = link.settings.stream
    func ask(_ verb: String, _ data: String) async -> StreamAnswer {
      StreamAnswer(
        await link.ask(
          NATSRequest(subject: "$JS.API.STREAM.\(verb).\(stream)", data: [UInt8](data.utf8)),
          until: min(end, link.time.now() + JetStreamLimits.telling)))
    }
    while true {
      switch await ask("INFO", "") {
      case .error(10_059, _):
        throw .otherVersion("The servers have no book \(link.settings.bucket). See scangate fleet open.")
      case .stream(let found, _, _, let told):
        if let fault = rules.fault(found) { throw fault }
        // Greater than each before, also than one that an old disk has forgotten.
        let number = max(link.time.wall().seconds, saturatingSum(told.accepted, 1))
        let answer = await ask(
          "UPDATE", rules.made(bytes: found["max_bytes"]?.integer ?? -1, accepted: number, keeping: found))
        switch answer {
        case .stream(_, _, _, let told) where told.accepted >= number: return told.last
        case .error(let number, let words) where ![10_008, 10_009].contains(number):
          throw .refused("The book \(link.settings.bucket) is not accepted (\(number), \(TerminalText.clean(words))).")
        default: break
        }
      default: break
      }
      guard link.time.now() < end else { throw .noQuorum }
      try? await Task.sleep(for: .milliseconds(200))
    }
  }
}
