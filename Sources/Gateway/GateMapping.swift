public import ScanConfiguration
internal import ScanModel
internal import ScanPipeline

extension GateSettings {
  /// A gate's settings, as its configuration gives them.
  /// - Throws: where its pattern of codes is wrong.
  public init(_ gate: GateConfiguration) throws(SetupError) {
    var pattern: CodePattern?
    if let text = gate.accept.pattern {
      do {
        pattern = try CodePattern(text)
      } catch {
        throw SetupError("Gate \(gate.id), accept.pattern, \(error.description).")
      }
    }
    let alphabet: AcceptFilter.Alphabet =
      switch gate.accept.alphabet {
      case .printable: .printable
      case .alphanumeric: .alphanumeric
      case .digits: .digits
      }
    var gap = Duration.zero
    for output in gate.outputs { if case .relay(_, let passage, _) = output.role { gap = passage } }
    let lengths = min(gate.accept.minLength, gate.accept.maxLength)...gate.accept.maxLength
    self.init(
      gate: gate.id, accept: AcceptFilter(length: lengths, alphabet: alphabet, pattern: pattern),
      deadline: gate.deadline, holdOff: gate.holdOff, queue: gate.queue, stale: gate.stale, gap: gap,
      floodLimit: gate.floodLimit)
  }
}
