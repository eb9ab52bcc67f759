internal import ScanModel

/// What a gate takes for a pass, and what can be said of it without a request.
struct PassReader: Sendable {
  /// What was shown.
  struct Presented: Sendable, Equatable {
    /// The subscription.
    var id: SubscriptionID
    /// The signed pass; `nil` for a bare id.
    var pass: SignedPass?
  }

  let codes: PassCodes
  let files: PassFiles

  /// Takes a code apart, whatever of that is taken.
  static func presented(_ code: Code) -> Presented? {
    if let pass = SignedPass(code) { return Presented(id: pass.id, pass: pass) }
    return SubscriptionID(code.bytes).map { Presented(id: $0) }
  }

  /// The id that a code stands for, as lists name it; a code that stands for none as it is.
  static func listedCode(_ code: Code) -> Code { presented(code).map { Code(bytes: $0.id.bytes) } ?? code }

  /// The subscription whose pass a code is, if it is one that is taken; else why it is refused.
  /// - Parameter now: by a clock that is trusted; `nil` where none is.
  func examine(_ code: Code, at now: WallTime?) -> Examination {
    guard let presented = Self.presented(code) else { return .refuse(.notGenuine) }
    let content = files.content
    if let pass = presented.pass {
      guard codes != .ids, content.keys.believe(pass) else { return .refuse(.notGenuine) }
    } else if codes == .signed {
      return .refuse(.notGenuine)
    }
    if content.revoked.name(presented.id, serial: presented.pass?.serial) { return .refuse(.cancelled) }
    if let now, let refusal = presented.pass?.refusal(at: now) { return .refuse(refusal) }
    return .proceed(presented.id.key)
  }
}
