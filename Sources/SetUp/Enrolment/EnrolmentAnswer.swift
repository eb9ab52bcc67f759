internal import WireText
internal import ScanModel
internal import SetUpCodes
internal import TicketTransport

/// What a server answered to `POST /enrol`. Fails closed: only what is wholly as documented enrols a station.
struct EnrolmentAnswer {
  /// The longest text that is noted as a seat, in scalars; the ticket system's own limit.
  static let longestSeat = 255

  private let answer: HTTPAnswer
  /// The types of ticket systems that can be given.
  private let types: Set<String>
  private let host: String
  private let secret: Redaction
  private let document: JSONValue?

  init(_ answer: HTTPAnswer, of types: Set<String>, host: String, hiding secret: Redaction) {
    self.answer = answer
    self.types = types
    self.host = host
    self.secret = secret
    document = answer.isJSON ? try? JSONValue(answer.body) : nil
  }

  /// What was given.
  func enrolment(for code: EnrolmentCode, trust: TrustList) throws(EnrolmentFault) -> Enrolment {
    guard answer.status == 200 || answer.status == 201 else { throw refusal }
    guard let document, case .object = document else { throw bad("it is no JSON object. Is this the venue's address?") }
    let system = document["ticketSystem"]
    guard let type = system?["type"]?.string else { throw bad("it names no type of ticket system") }
    guard types.contains(type) else {
      throw bad("it gives a ticket system of a type that this version does not know\(quoted(type))")
    }
    guard let text = system?["url"]?.string else { throw bad("it names no address of the ticket system") }
    let url = try address(text, code, trust)
    guard let key = system?["apiKey"]?.string.flatMap({ GivenKey($0) }) else { throw bad("it gives no usable API key") }
    let gate = document["gate"]
    guard let name = gate?["name"]?.string, EnrolmentCode.isGate(name) else { throw bad("it names no gate") }
    return Enrolment(
      type: type, url: url, apiKey: key, gate: name, saleTicket: try saleTicket(gate?["saleTicket"]),
      seat: try seat(gate?["seat"]))
  }

  private func address(_ text: String, _ code: EnrolmentCode, _ trust: TrustList) throws(EnrolmentFault) -> String {
    let server = try Result { () throws(NamedServer.Fault) in try NamedServer(text) }
      .mapError { bad("it names an address of the ticket system that cannot be used. \($0.description)") }.get()
    // The key would be sent there: who may give it may not send it anywhere.
    guard server.host == code.server.host || trust.names(server) else {
      throw EnrolmentFault(
        .untrusted,
        "\(host) says that the ticket system is at \(server), which is on another host and not on the station's trust list. "
          + "Put it on the list, if it is yours.", mayBeUsed: true)
    }
    return server.url
  }

  private func saleTicket(_ value: JSONValue?) throws(EnrolmentFault) -> Int64? {
    guard let value, value != .null else { return nil }
    // What narrows a gate is never dropped because it cannot be read.
    guard let number = value.integer, number > 0 else { throw bad("its gate's saleTicket is no positive number") }
    return number
  }

  private func seat(_ value: JSONValue?) throws(EnrolmentFault) -> String? {
    guard let value, value != .null else { return nil }
    guard let text = value.string, (1...Self.longestSeat).contains(text.unicodeScalars.count),
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw bad("its gate's seat is no text of 1 to \(Self.longestSeat) characters") }
    return text
  }

  /// What a status other than success means.
  private var refusal: EnrolmentFault {
    let words = quoted(document?["error"]?["message"]?.string)
    // A page of a proxy, or of another program, knows nothing of codes.
    let isTold = document?["error"]?["code"]?.string != nil
    switch answer.status {
    case 404 where isTold:
      return EnrolmentFault(.wrong, "\(host) does not know this code\(words). Have a new one made.")
    case 410 where isTold:
      return EnrolmentFault(.expired, "\(host) says that the code has expired\(words). Have a new one made.")
    case 409 where isTold:
      return EnrolmentFault(.used, "\(host) says that another station has used the code\(words). Have a new one made.")
    case 403 where isTold:
      return EnrolmentFault(.unknownStation, "\(host) does not take this station\(words). Ask the venue.")
    case 429:
      let wait =
        answer.retryAfter.map { " Try again in \(max(1, ($0.milliseconds + 59_999) / 60_000)) min." }
        ?? " Wait a while."
      return EnrolmentFault(.lockedOut, "\(host) was asked too often\(words).\(wait)")
    case 300...399:
      return EnrolmentFault(
        .fault,
        "\(host) leads elsewhere (\(answer.status)), and a secret is not carried there. Make codes with the venue's own address."
      )
    case 404:
      return EnrolmentFault(.fault, "\(host) has nothing at /enrol. Is this the venue's address, with its path?")
    default:
      return EnrolmentFault(.fault, "\(host) answered \(answer.status) to the enrolment\(words). Ask the venue.")
    }
  }

  private func bad(_ what: String) -> EnrolmentFault {
    EnrolmentFault(.fault, "The answer of \(host) cannot be used: \(what).", mayBeUsed: true)
  }

  /// Words of the server, as a part of ours.
  private func quoted(_ text: String?) -> String {
    text.flatMap { StaffText.clean($0, hiding: [secret]) }.map { " (\"\($0)\")" } ?? ""
  }
}
