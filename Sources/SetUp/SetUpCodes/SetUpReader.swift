internal import CodeSigning
package import ScanModel

/// Reads set-up codes in all their forms, and decides whether what they name may be spoken to. Pure.
///
/// Nothing in a code is believed by itself: its server must be the configured one, be on the trust list, or be named in a code
/// that one of the list's keys has signed.
package struct SetUpReader: Sendable {
  /// What a code turned out to be.
  package enum Reading: Sendable, Equatable {
    /// A code that may be tried now.
    case code(SetUpCode)
    /// Nothing to be tried, why, and what to do. The words hold no part of a code but a server's name.
    case refused(SetUpRefusal, detail: String)
  }

  private let trust: TrustList
  private let configured: String?

  /// Makes a reader.
  /// - Parameters:
  ///   - trust: whom codes may name.
  ///   - configured: host and port (`tickets.example:443`) of the configured control service; `nil` where there is none.
  package init(trust: TrustList, configured: String?) {
    self.trust = trust
    self.configured = configured?.lowercased()
  }

  /// Reads a code.
  /// - Parameters:
  ///   - wall: the time, which ends codes.
  ///   - clockIsTrusted: whether it is known to be right; where not, the server judges whether a code has expired.
  package func read(_ code: Code, at wall: WallTime, clockIsTrusted: Bool) -> Reading {
    let now = clockIsTrusted ? wall : nil
    do throws(Refusal) {
      switch SetUpForm(code) {
      case .signed: return .code(try signed(code, now))
      case .document: return .code(try activation(CodeDocument.read(code), now))
      case .link: return .code(try activation(CodeLink.read(code), now))
      case .foreign: throw Refusal(.wrong, "The code signs a screen of another product in, and sets no station up.")
      case .plain: return .code(try plain(code))
      }
    } catch {
      return .refused(error.refusal, detail: error.detail)
    }
  }

  private static let marks = Set("{/:".utf8)

  /// Whether a code can be nothing else than one that sets stations up: a working gate refuses it without asking anybody.
  /// A bare activation code looks like a ticket, and is none of these.
  package static func isSetUpCode(_ code: Code) -> Bool {
    // None is without one of these, and few tickets have one: each form looks at the whole code.
    let begins = code.bytes.first.map { $0 | 0x20 } == UInt8(ascii: "s")
    guard begins || code.bytes.contains(where: { Self.marks.contains($0) }) else { return false }
    return SetUpForm(code) != .plain || SetUpForm.resembles(code.bytes)
  }

  private func plain(_ code: Code) throws(Refusal) -> SetUpCode {
    guard ActivationText.isCode(code.text) else {
      throw Refusal(.wrong, "This is no set-up code. Hold up the one that was made for this station.")
    }
    guard configured != nil else {
      throw Refusal(
        .wrong, "This is no set-up code, or one without a server while no control service is configured (control.url).")
    }
    return .activation(ActivationCode(code: code.text.uppercased()), at: nil)
  }

  private func activation(_ told: ToldActivation, _ now: WallTime?) throws(Refusal) -> SetUpCode {
    var server: NamedServer?
    if let text = told.server { server = try trusted(text) }
    if told.server == nil, configured == nil {
      throw Refusal(
        .fault, "The code names no server, and no control service is configured. Set control.url in the configuration.")
    }
    try expire(told.expires, now)
    return .activation(told.code, at: server)
  }

  /// The server that `text` names, where it may be spoken to; `nil` where it is the configured one, which is spoken to as it is
  /// configured.
  private func trusted(_ text: String) throws(Refusal) -> NamedServer? {
    if let configured, CodeLink.hostAndPort(text) == configured { return nil }
    let server = try Result { () throws(NamedServer.Fault) in try NamedServer(text) }
      .mapError { Refusal(.untrusted, "The code names a server that no station speaks to. \($0.description)") }.get()
    guard trust.names(server) else { throw Refusal(untrusted: server) }
    return server
  }

  private func signed(_ code: Code, _ now: WallTime?) throws(Refusal) -> SetUpCode {
    guard let signed = SignedCode(code) else {
      throw Refusal(
        .wrong,
        "The set-up code was read with damage. Check the scanner's keymap, then hold it up again or print it anew.")
    }
    let keys = trust.keys.filter { $0.id == signed.keyID }
    let isConfigured = signed.server.hostAndPort == configured
    if keys.isEmpty {
      // Nothing is proved by the signature, and the server is known without it.
      let isKnown: Bool
      switch signed.content {
      case .activation: isKnown = isConfigured || trust.names(signed.server)
      case .enrolment: isKnown = trust.names(signed.server)
      }
      guard isKnown else { throw Refusal(untrusted: signed.server) }
    } else if !keys.contains(where: { signed.isSigned(by: $0) }) {
      throw Refusal(
        .wrong,
        "The signature of the set-up code is not its organiser's: it is damaged or forged. Check the scanner's keymap, then "
          + "print it anew.")
    }
    try expire(signed.expires, now)
    switch signed.content {
    case .activation(let code): return .activation(code, at: isConfigured ? nil : signed.server)
    case .enrolment(let gate, let secret):
      return .enrolment(EnrolmentCode(server: signed.server, gate: gate, secret: secret, expires: signed.expires))
    }
  }

  private func expire(_ expires: WallTime?, _ now: WallTime?) throws(Refusal) {
    guard let expires, let now, expires <= now else { return }
    throw Refusal(.expired, "The set-up code was good until \(expires.iso8601Seconds). Have a new one made.")
  }
}

/// Why a code is refused.
struct Refusal: Error {
  let refusal: SetUpRefusal
  let detail: String

  init(_ refusal: SetUpRefusal, _ detail: String) {
    self.refusal = refusal
    self.detail = detail
  }

  init(damaged part: String) {
    self.init(
      .wrong,
      "The activation code is damaged, or of a sort that is not known: \(part) cannot be read. Have it shown anew.")
  }

  init(untrusted server: NamedServer) {
    self.init(
      .untrusted,
      "The code names \(server), which is neither configured here nor on the station's trust list, and no key of that list "
        + "has signed it. Put the server or the organiser's key on the list, if they are yours.")
  }
}

/// What an activation code in a form with a server says.
struct ToldActivation {
  var code: ActivationCode
  /// The server as it was written; `nil` where none was.
  var server: String?
  var expires: WallTime?
}

/// The forms of set-up codes, by how they begin.
enum SetUpForm {
  /// Our own, signed.
  case signed
  /// A JSON object of the kiosk service.
  case document
  /// A link to the kiosk service's page.
  case link
  /// A set-up code of something else that the same service has.
  case foreign
  /// Anything else: a bare activation code, or no set-up code at all.
  case plain

  /// Whether bytes look like a set-up code that is damaged: a secret may be in it all the same.
  static func resembles(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes.map(\.lowercased), as: UTF8.self)
    if text.hasPrefix("scangate1") { return true }
    if text.hasPrefix("{") { return text.contains("kiosk_activation") }
    guard let page = text.firstRange(of: "/activate") else { return false }
    return text[page.upperBound...].contains("code=")
  }

  init(_ code: Code) {
    let bytes = code.bytes
    if SignedCode.isOne(bytes) {
      self = .signed
    } else if bytes.first == UInt8(ascii: "{") {
      self = CodeDocument.isOne(bytes) ? .document : .plain
    } else {
      self = CodeLink.form(bytes)
    }
  }
}
