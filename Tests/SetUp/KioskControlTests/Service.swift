import Glibc
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

/// The machine's clocks, the civil one moved.
struct ShiftedTime: TimeSource {
  var shift = Duration.zero
  func now() -> MonotonicTime { SystemTime().now() }
  func wall() -> WallTime { SystemTime().wall() + shift }
}

/// A client that speaks to a scripted service.
struct Service {
  static let token = "eyJhbGciOiJIUzI1NiJ9.eyJraW9za0lkIjoiayJ9.c2lnbmF0dXJl"
  static let station = StationIdentity(id: "6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11", version: "1.4.0")
  static let code = "A1B2C3D4"

  let server: ScriptedServer
  let client: KioskClient

  static func open(
    _ server: ScriptedServer, certificate: String? = nil, path: String = "",
    settings: HTTPTransport.Settings = KioskClient.transportSettings, clockShift: Duration = .zero
  ) async throws -> Service {
    let port = try await server.start(certificate: certificate)
    let time = ShiftedTime(shift: clockShift)
    let address = try ServerAddress("\(certificate == nil ? "http" : "https")://localhost:\(port)\(path)")
    let transport = try HTTPTransport(server: address, settings: settings, time: time)
    return Service(server: server, client: KioskClient(transport: transport, time: time))
  }

  /// A service that answers each request with the same bytes.
  static func answering(_ answer: String, clockShift: Duration = .zero) async throws -> Service {
    try await open(ScriptedServer(answer: answer), clockShift: clockShift)
  }

  func close() async {
    await client.close()
    await server.stop()
  }

  /// Far away unless a test is about it: nothing waits for it.
  static var deadline: MonotonicTime { SystemTime().now() + .seconds(60) }

  static func activation(_ kioskID: String = "kiosk-1", token: String? = token) -> Activation {
    Activation(kioskID: kioskID, token: token.flatMap { ControlToken($0) }, expires: nil)
  }

  var requests: [String] { server.requests }
  /// The first line of each request, without the protocol.
  var lines: [String] { requests.map { String($0.prefix { $0 != "\r\n" }.dropLast(9)) } }
  /// The body of each request; those of ours have no line's end in them.
  var bodies: [String] {
    requests.map { String($0.split(separator: "\r\n", omittingEmptySubsequences: false).last ?? "") }
  }

  // MARK: Calls, and what became of them

  /// One of the client's calls.
  enum Endpoint: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case health, register, activate, configuration, status, validate
    var testDescription: String { rawValue }
  }

  /// `nil` where it went well.
  func fault(_ endpoint: Endpoint, of activation: Activation = activation()) async -> ControlFault? {
    do throws(ControlFault) {
      switch endpoint {
      case .health: try await client.health(deadline: Self.deadline)
      case .register:
        try await client.register(Self.station, token: ControlToken("shared-token"), deadline: Self.deadline)
      case .activate:
        do throws(ActivationFault) {
          _ = try await client.activate(ActivationCode(code: Self.code), as: Self.station, deadline: Self.deadline)
        } catch {
          return ControlFault(error.kind ?? .unknown, error.detail, wasSent: error.mayBeUsed)
        }
      case .configuration:
        _ = try await client.configuration(of: activation, refreshing: false, deadline: Self.deadline)
      case .status:
        try await client.report(
          .available, isManual: false, at: WallTime(seconds: 1_752_580_800), of: activation, deadline: Self.deadline)
      case .validate: try await client.validate(activation, deadline: Self.deadline)
      }
      return nil
    } catch {
      return error
    }
  }

  /// `nil` where it went well.
  func report(
    _ status: StationStatus, isManual: Bool = false, of activation: Activation = activation()
  ) async -> ControlFault? {
    do throws(ControlFault) {
      try await client.report(
        status, isManual: isManual, at: WallTime(seconds: 1_752_580_800), of: activation, deadline: Self.deadline)
      return nil
    } catch {
      return error
    }
  }

  /// `nil` where it went well.
  func register(_ station: StationIdentity = station, token: String? = "shared-token") async -> ControlFault? {
    do throws(ControlFault) {
      try await client.register(station, token: token.flatMap { ControlToken($0) }, deadline: Self.deadline)
      return nil
    } catch {
      return error
    }
  }

  func activate(_ code: String = code, kioskID: String? = nil) async -> Result<Activation, ActivationFault> {
    do throws(ActivationFault) {
      return .success(
        try await client.activate(
          ActivationCode(code: code, kioskID: kioskID), as: Self.station, deadline: Self.deadline))
    } catch {
      return .failure(error)
    }
  }

  func configuration(
    of activation: Activation = activation(), refreshing: Bool = false
  ) async -> Result<ControlConfiguration, ControlFault> {
    do throws(ControlFault) {
      return .success(
        try await client.configuration(of: activation, refreshing: refreshing, deadline: Self.deadline))
    } catch {
      return .failure(error)
    }
  }
}

extension Result {
  var value: Success? { if case .success(let value) = self { value } else { nil } }
  var fault: Failure? { if case .failure(let fault) = self { fault } else { nil } }
}

/// Answers as servers write them.
enum Answers {
  /// A `Date` header's value, made by the C library.
  static func date(_ offset: Int = 0) -> String {
    var now = time(nil) + offset
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  static func response(
    _ status: String, _ body: String, type: String? = "application/json; charset=utf-8", extra: String = ""
  ) -> String {
    var text = "HTTP/1.1 \(status)\r\nDate: \(date())\r\n"
    if let type { text += "Content-Type: \(type)\r\n" }
    return text + extra + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
  }

  static func ok(_ body: String) -> String { response("200 OK", body) }

  /// The document's form of an error.
  static func refusal(_ status: String, _ code: String, _ message: String) -> String {
    response(
      status,
      #"{"success":false,"error":{"code":"\#(code)","message":"\#(message)"},"timestamp":"2025-07-15T12:00:00Z"}"#)
  }

  /// The document's envelope around `data`.
  static func enveloped(_ data: String) -> String {
    ok(#"{"success":true,"data":\#(data),"timestamp":"2025-07-15T12:00:00Z"}"#)
  }

  /// The document's configuration, typed as in the service's own sources.
  static let configuration = """
    {"id":"kiosk-1","name":"Box office east","roomName":"East hall","location":"Building 2","department":"Tickets",\
    "mode":"facilities","status":"active","settings":{"autoRefresh":true,"refreshInterval":60,"timezone":"Europe/Vienna",\
    "language":"de","behavior":{"idleTimeout":300,"welcomeMessage":"Welcome","thankYouMessage":"Thank you",\
    "errorMessage":"Sorry","offlineMessage":"Back soon"}},"ui":{"theme":{"name":"default"},\
    "branding":{"organizationName":"Venue","footerText":"Ground floor","supportContact":"+43 1 234"}},\
    "integrations":{"ticketing":{"enabled":true,"endpoint":"https://evil.example/api","apiKey":"k"}},\
    "security":{"adminPIN":"1234","sessionTimeout":30,"maxFailedAttempts":3,"lockoutDuration":10,"allowedIPs":["0.0.0.0/0"]},\
    "maintenance":{"enabled":true,"schedule":{"type":"weekly","time":"02:30","dayOfWeek":1,"duration":45},\
    "notifications":{"enabled":true,"message":"Soon closed"}},\
    "createdAt":"2025-07-01T08:00:00Z","updatedAt":"2025-07-15T12:00:00.000Z"}
    """

  /// What the real servers have in its place, of the later and the earlier kind.
  static let remoteConfiguration = """
    {"config":{"kioskId":"kiosk-1","active":true,"roomName":"East hall","logoUrl":"/logo.png","backgroundUrl":"/bg.png",\
    "theme":"light","statusMessages":{"available":"Free","inUse":"Taken","meeting":"Meeting","brb":"BRB","lunch":"Lunch",\
    "unavailable":"Closed"},"features":{"ticketSubmission":true,"statusUpdates":true,"directoryIntegration":false}}}
    """
  static let earlierConfiguration = """
    {"config":{"statusEnabled":1,"currentStatus":"open","openMsg":"Open","closedMsg":"Closed","errorMsg":"Error",\
    "logoUrl":"/logo.png","backgroundUrl":"/bg.png","welcomeMessage":"Hello","helpMessage":"Ask","schedule":"{}",\
    "officeHours":"{}"}}
    """
}
