internal import WireText
internal import ScanModel
internal import TicketTransport

/// What an answer to an activation code means. Pure. It activates on an explicit yes, and on nothing else: a good status, a JSON
/// object that takes nothing back, and in it `success`, `active` or `activated` that is true, or a token, or the very words of the
/// servers that say it in words.
enum ActivationAnswer {
  /// Reads an answer.
  /// - Parameters:
  ///   - asked: the station that the code was sent for; the service may call it otherwise from then on.
  /// - Throws: why the station is not activated.
  static func read(_ answer: KioskAnswer, asked: String) throws(ActivationFault) -> Activation {
    guard answer.isSuccess else { throw refusal(answer) }
    guard let content = answer.content, case .object(let document, _) = answer.body else {
      throw answer.saysNo ? refusal(answer) : lost(answer, "said nothing that can be understood")
    }
    func field(_ name: String) -> JSONValue? {
      let value = content[name] ?? document[name]
      return value == .null ? nil : value
    }
    for name in ["success", "active", "activated"] {
      guard let value = field(name) else { continue }
      guard value == .bool(true) else { throw lost(answer, "did not say that the station is activated") }
    }
    let kiosk = field("kiosk")
    let token: ControlToken?
    switch field("token") {
    case nil: token = nil
    case .string(let text)?:
      token = ControlToken(text)
      guard token != nil else { throw lost(answer, "gave a token that no request can carry") }
    default: throw lost(answer, "gave a token that is no text")
    }
    // One version says it in words alone, always the same.
    let saysSo = field("message") == .string("Kiosk activated successfully")
    guard token != nil || saysSo || ["success", "active", "activated"].contains(where: { field($0) != nil }) else {
      throw lost(answer, "did not say that the station is activated")
    }
    return Activation(
      kioskID: try identifier(field("kioskId") ?? kiosk?["id"], answer) ?? asked, token: token,
      expires: expires(token, field("expiresAt")?.string))
  }

  /// The earlier of what the service and the token say.
  static func expires(_ token: ControlToken?, _ text: String?) -> WallTime? {
    let times = [text.flatMap(WallTime.init(iso8601:)), token.flatMap { WebToken.expires($0.text) }]
    // The zero times of other systems are no ends.
    return times.compactMap(\.self).filter { $0 > Self.earliestEnd && $0 < Self.latestEnd }.min()
  }

  /// 2020-01-01 and 2200-01-01: what is outside was never meant.
  private static let earliestEnd = WallTime(seconds: 1_577_836_800)
  private static let latestEnd = WallTime(seconds: 7_258_118_400)

  private static func identifier(_ value: JSONValue?, _ answer: KioskAnswer) throws(ActivationFault) -> String? {
    guard let value, value != .null else { return nil }
    guard let identifier = value.identifier, KioskPath.segment(identifier) != nil else {
      throw lost(answer, "gave the station an identifier that cannot be used")
    }
    return identifier
  }

  /// The code may be used up, and the station has nothing for it.
  private static func lost(_ answer: KioskAnswer, _ what: String) -> ActivationFault {
    ActivationFault(
      .fault,
      "\(answer.host) took the activation code (\(answer.status)) and \(what)\(answer.quoted) The code may be used up: ask for "
        + "a new one. Is this the control service's address?", kind: .unknown, mayBeUsed: true)
  }

  // MARK: Refusals

  private static func refusal(_ answer: KioskAnswer) -> ActivationFault {
    let fault = answer.fault("an activation code", isOfStation: false)
    switch answer.status {
    case 429:
      return ActivationFault(
        .lockedOut, "\(answer.host) was given too many codes (429)\(answer.quoted) Wait some minutes.", kind: .server)
    case 408, 502...504:
      return ActivationFault(.offline, fault.detail, kind: fault.kind, mayBeUsed: true)
    case 500...599: return ActivationFault(.fault, fault.detail, kind: fault.kind, mayBeUsed: true)
    case 300...399: return ActivationFault(.fault, fault.detail, kind: fault.kind)
    default: break
    }
    guard case .object = answer.body, let refusal = byCode(answer.code) ?? byWords(answer.lowerText) ?? byStatus(answer)
    else {
      let kind = answer.status == 401 || answer.status == 403 ? .authentication : fault.kind
      return ActivationFault(
        .fault,
        "\(answer.host) did not take the activation code (\(answer.status))\(answer.quoted) Is this the control "
          + "service's address?", kind: kind)
    }
    return ActivationFault(refusal, words(refusal, answer))
  }

  /// Whether an answer refuses the code or the station in a way that is known.
  static func isUnderstood(_ answer: KioskAnswer) -> Bool {
    byCode(answer.code) != nil || byWords(answer.lowerText) != nil
  }

  /// By the codes of the document's form and of the real servers.
  private static func byCode(_ code: String) -> SetUpRefusal? {
    func has(_ parts: String...) -> Bool { parts.contains { code.contains($0) } }
    if code.isEmpty || has("TOKEN") { return nil }
    if has("INVALID_OR_EXPIRED") { return .wrong }
    if has("EXPIRED") { return .expired }
    if has("ALREADY", "CODE_USED") { return .used }
    if has("KIOSK_NOT_FOUND", "UNKNOWN_KIOSK", "NOT_REGISTERED") { return .unknownStation }
    if has("TOO_MANY", "RATE_LIMIT") { return .lockedOut }
    if has("INVALID_CODE", "INVALID_ACTIVATION", "CODE_NOT_FOUND", "VALIDATION_ERROR") { return .wrong }
    return nil
  }

  private static func byWords(_ text: String) -> SetUpRefusal? {
    func has(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
    if has("too many") { return .lockedOut }
    if has("kiosk not found", "unknown kiosk", "not registered") { return .unknownStation }
    if has("missing") { return nil }
    if has("already", "been used") { return .used }
    let isWrong = has("invalid", "unknown", "not found", "incorrect", "wrong")
    if has("expired") { return isWrong ? .wrong : .expired }
    return isWrong && has("code") ? .wrong : nil
  }

  private static func byStatus(_ answer: KioskAnswer) -> SetUpRefusal? {
    switch answer.status {
    // The code is the only thing in the request that could be refused in this way.
    case 401: .wrong
    case 409: .used
    case 410: .expired
    default: nil
    }
  }

  private static func words(_ refusal: SetUpRefusal, _ answer: KioskAnswer) -> String {
    let (host, quoted) = (answer.host, answer.quoted)
    switch refusal {
    case .wrong where answer.code.contains("EXPIRED") || answer.lowerText.contains("expired"):
      return
        "\(host) does not know the activation code, or it has expired\(quoted)\(answer.clockWords) Ask for a new one."
    case .wrong: return "\(host) does not know the activation code\(quoted) Ask for a new one."
    case .expired:
      return "The activation code has expired, says \(host)\(quoted)\(answer.clockWords) Ask for a new one."
    case .used:
      return
        "The activation code was used before, or this station is activated, says \(host)\(quoted) Ask for a new one."
    case .unknownStation:
      return "\(host) does not know this station\(quoted) Register it first: scangate kiosk register."
    case .lockedOut: return "\(host) was given too many codes\(quoted) Wait some minutes."
    case .offline, .untrusted, .fault: return "\(host) did not take the activation code\(quoted)"
    }
  }
}

extension KioskAnswer {
  /// Whether there is no such place at the server: it answers with what a framework says of addresses that nothing has.
  var isNoPlace: Bool {
    guard status == 404 || status == 405 else { return false }
    guard case .object = body else { return true }
    return !ActivationAnswer.isUnderstood(self)
  }

  /// Whether a code that was not taken here may be good at the other place where codes are taken. A server that has both refuses
  /// the other one's without saying more than that.
  func mayBeElsewhere(isLinked: Bool) -> Bool {
    if isNoPlace { return true }
    guard !isLinked, status == 401, code.isEmpty, case .object = body else { return false }
    return true
  }
}

extension ActivationFault {
  /// A request for an activation that brought no whole answer.
  init(_ fault: ControlFault) {
    self.init(
      fault.kind == .network ? .offline : .fault,
      fault.wasSent
        ? fault.detail + " The code may be used up: if it is refused now, ask for a new one." : fault.detail,
      kind: fault.kind, mayBeUsed: fault.wasSent)
  }
}
