internal import WireText
internal import ScanModel
internal import TicketTransport

/// What an answer to the question for health means: `{"status":"ok"}`, `{"ok":true}`, bare or in an envelope. Pure.
enum HealthAnswer {
  /// - Throws: why the service is not well, or is none.
  static func read(_ answer: KioskAnswer) throws(ControlFault) {
    let what = "the question for its health"
    guard let content = answer.content, case .object(let document, _) = answer.body else {
      throw answer.fault(what, isOfStation: false)
    }
    let word = (content["status"] ?? document["status"])?.string?.lowercased()
    if let word {
      if ["ok", "healthy"].contains(word) { return }
      throw ControlFault(
        .server, "\(answer.host) says that it is not well: “\(StaffText.clean(word) ?? "")”.", status: answer.status)
    }
    switch content["ok"] ?? document["ok"] {
    case .bool(true)?: return
    case .bool(false)?: throw ControlFault(.server, "\(answer.host) says that it is not well.", status: answer.status)
    default: throw answer.fault(what)
    }
  }
}

/// What an answer to the question for a configuration means. Pure.
enum ConfigurationAnswer {
  /// - Returns: the configuration; `nil` where this place of the server has none, and another one may.
  /// - Throws: why there is none.
  static func read(_ answer: KioskAnswer, hiding secrets: [Redaction]) throws(ControlFault) -> ControlConfiguration? {
    let what = "the question for this station's configuration"
    let fault = answer.fault(what)
    guard answer.isSuccess else {
      let isElsewhere = [400, 404, 405].contains(answer.status) && fault.kind != .authentication
      if isElsewhere { return nil }
      throw fault
    }
    switch answer.body {
    case .empty: return nil
    case .notJSON: throw fault
    case .broken, .otherJSON: throw ControlFault(.configuration, fault.detail, status: fault.status)
    case .object: break
    }
    guard let content = answer.content else {
      if fault.kind == .configuration { return nil }
      throw fault
    }
    var inner = content
    for name in ["config", "configuration"] {
      guard let value = content[name], value != .null else { continue }
      guard case .object = value else {
        throw ControlFault(
          .configuration, "\(answer.host) answered \(what) with something else than an object.", status: answer.status)
      }
      inner = value
      break
    }
    guard var configuration = KioskConfigurationReading.read(inner, hiding: secrets) else { return nil }
    if case .object(let document, _) = answer.body {
      for outer in [content, document] where !configuration.isStateTold {
        KioskConfigurationReading.readState(of: outer, into: &configuration)
      }
    }
    return configuration
  }
}

/// What an answer to the question whether a token is valid means: yes is every object that does not say no. Pure.
enum TokenAnswer {
  /// - Throws: why the token is not valid, or why that is not known.
  static func read(_ answer: KioskAnswer) throws(ControlFault) {
    let what = "the question whether this station's token is valid"
    guard answer.isSuccess, case .object(let document, let content) = answer.body else { throw answer.fault(what) }
    let isValid = content["valid"] ?? document["valid"]
    switch isValid {
    case nil, .null?, .bool(true)?: break
    case .bool(false)?: throw refused(answer)
    default: throw answer.fault(what)
    }
    if answer.saysNo {
      let fault = answer.fault(what)
      throw fault.kind == .server ? fault : refused(answer)
    }
  }

  private static func refused(_ answer: KioskAnswer) -> ControlFault {
    ControlFault(
      .authentication,
      "\(answer.host) says that this station's token is not valid\(answer.quoted)\(answer.clockWords) Activate the station "
        + "again: scangate kiosk activate --again.", status: answer.status)
  }
}
