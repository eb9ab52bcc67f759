import FoundationEssentials
import ScanModel
import Calls
import ScriptedHTTP
import SetUpCodes
import Testing
import TicketTransport

@testable import Enrolment

/// A venue behind TLS that says what a test wants, and a station that asks it.
struct Venue {
  static let secret = "AAAQEAYEAUDAOCAJBIFQYDIOB4"
  static let station = StationIdentity(id: "0b9d3f0e-6c1c-4c0a-9a53-3d6a9f2b7c11", version: "1.2.3")

  let server: ScriptedServer
  let client: EnrolmentClient
  let folder: URL

  /// - Parameters:
  ///   - certificate: what the venue shows; `nil` for a venue without TLS.
  ///   - list: the station's trust list.
  static func with<Result>(
    _ server: ScriptedServer, certificate: String? = TestCertificates.good, list: String = "", tries: Int = 6,
    _ body: (Venue) async throws -> Result
  ) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "enrolment-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let authority = folder.appending(path: "authority.pem")
    try Data("\(TestCertificates.authority)\n\(NamedCertificates.authority)\n".utf8).write(to: authority)
    let port = try await server.start(certificate: certificate)
    var settings = HTTPTransport.Settings()
    settings.trust = .onlyFile(path: authority.path)
    let usual = settings
    let address = try ServerAddress("https://localhost:\(port)/venue")
    // Codes name no address and not this machine: the test leads the name to it.
    let client = EnrolmentClient(
      trust: try TrustList.read(list, file: "trust.txt"), types: ["eventschedule"], time: SystemTime(),
      retry: RetryPolicy(first: .seconds(1), longest: .seconds(60), mostTries: tries)
    ) {
      server throws(HTTPTransport.SetupFault) in
      try HTTPTransport(server: address, settings: usual)
    }
    let result = await Swift.Result { try await body(Venue(server: server, client: client, folder: folder)) }
    await server.stop()
    return try result.get()
  }

  /// Asks with the code of the tests.
  func enrol(within limit: Duration = .seconds(20)) async throws(EnrolmentFault) -> Enrolment {
    guard let named = try? NamedServer("venue.example:8443"), let secret = EnrolmentSecret(text: Self.secret) else {
      throw EnrolmentFault(.fault, "the test is wrong")
    }
    let code = EnrolmentCode(
      server: named, gate: "north \"1\"", secret: secret, expires: WallTime(seconds: 2_000_000_000))
    return try await client.enrol(
      code, station: Self.station, name: "Kasse \\ \u{202E}", deadline: SystemTime().now() + limit)
  }

  /// The fault that an answer leads to.
  static func fault(
    _ answer: String, list: String = ""
  ) async throws -> EnrolmentFault? {
    try await with(ScriptedServer(answer: answer), list: list, tries: 1) { venue in
      do {
        _ = try await venue.enrol()
        return nil
      } catch let fault as EnrolmentFault {
        return fault
      }
    }
  }

  static func answer(_ status: String, _ body: String, type: String = "application/json", more: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n\(more)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  static func given(
    type: String = #""eventschedule""#, url: String = #""https://venue.example/tickets""#,
    key: String = #""key-1234567890""#,
    gate: String = #"{"name":"north","saleTicket":789,"seat":"Row 1"}"#
  ) -> String {
    #"{"ticketSystem":{"type":\#(type),"url":\#(url),"apiKey":\#(key)},"gate":\#(gate)}"#
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
