import EventSchedule
import Expectations
import Foundation
import Gateway
import ScanConfiguration
import ScanModel
import ScriptedHTTP
import Sealing
import StationSetUp
import Testing
import TicketSystemKit
import TicketTransport

@testable import Doctor

/// Ticket systems, certificates and portals, over real sockets and TLS.
@Suite struct NetworkLookTests {
  private func shown(_ certificate: String, host: String = "localhost") async throws -> ShownCertificate? {
    let server = ScriptedServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let port = try await server.start(certificate: certificate)
    let shown = await ShownCertificate.look(at: try ServerAddress("https://\(host):\(port)"), within: .seconds(20))
    // It was looked at, and nothing was sent.
    expectEqual(server.bytes, 0)
    await server.stop()
    return shown
  }

  @Test func theEndOfACertificateIsReadWhetherItIsTrustedOrNot() async throws {
    let good = try #require(try await shown(TestCertificates.good))
    expect(good.isOfHost && good.ends.iso8601Seconds.hasPrefix("2120-"), "\(good)")
    let expired = try #require(try await shown(TestCertificates.expired))
    expect(expired.isOfHost && expired.ends.iso8601Seconds.hasPrefix("2021-"), "\(expired)")
    expectEqual(try await shown(TestCertificates.wrongHost)?.isOfHost, false)
    expect(await ShownCertificate.look(at: try ServerAddress("https://127.0.0.1:9"), within: .seconds(20)) == nil)
  }

  @Test func aCertificateIsToBeRenewedAMonthBeforeItsEnd() {
    let now = WallTime(seconds: 1_766_000_000)
    func judge(days: Int64, isOfHost: Bool = true) -> Finding.Severity? {
      CertificateJudge.judge(
        ShownCertificate(ends: now + .seconds(days * 86_400), isOfHost: isOfHost), of: "a.example:443", place: "p",
        at: now
      ).first?.severity
    }
    expectEqual(judge(days: 31), .good)
    expectEqual(judge(days: 29), .warning)
    expectEqual(judge(days: 0), .fault)
    expectEqual(judge(days: -1), .fault)
    expectEqual(judge(days: 90, isOfHost: false), .fault)
    expectEqual(CertificateJudge.judge(nil, of: "a", place: "p", at: now), [])
  }

  @Test func aPortalIsToldFromTheSiteItself() async throws {
    let host = "tickets.example.org"
    func judge(_ status: Int, _ location: String?) -> PortalLook.Verdict {
      PortalLook.judge(status, location: location, of: host)
    }
    expectEqual(judge(301, "https://tickets.example.org/"), .none)
    expectEqual(judge(301, "https://www.tickets.example.org/"), .none)
    expectEqual(judge(302, "https://example.org/"), .none)
    expectEqual(judge(302, "/login"), .none)
    expectEqual(judge(200, nil), .none)
    expectEqual(judge(404, "http://portal.hotel/"), .none)
    expectEqual(judge(302, "HTTP://Portal.Hotel:8080/login?mac=1"), .portal("portal.hotel"))
    expectEqual(judge(302, "http://eviltickets.example.org/"), .portal("eviltickets.example.org"))
    expectEqual(judge(511, nil), .portal(nil))
    let server = ScriptedServer(
      answer: "HTTP/1.1 302 Found\r\nLocation: http://portal.hotel/\r\nContent-Length: 0\r\n\r\n")
    let port = try await server.start()
    let asked = await PortalLook.ask(
      try ServerAddress("https://\(host)"), at: "http://127.0.0.1:\(port)", within: .seconds(20))
    expectEqual(asked, .portal("portal.hotel"))
    // Nothing of the station goes with it.
    expect(server.requests.count == 1 && server.requests[0].hasPrefix("GET / HTTP/1.1\r\n"), "\(server.requests)")
    expect(
      !server.requests[0].lowercased().contains("key") && !server.requests[0].lowercased().contains("authorization"))
    await server.stop()
  }

  private func judge(_ found: OnlineCheck.Finding) throws -> Finding {
    let station = try Place().station()
    let system = try #require(station.ticketSystems.first)
    return TicketSystemJudge(
      system: system.id, names: system.settingNames, gates: station.gates, file: "station.yaml"
    ).judge(found)
  }

  @Test func eachAnswerHasItsSeverityAndItsCure() throws {
    func finding(_ kind: OnlineCheck.Finding.Kind, _ change: (inout OnlineCheck.Finding) -> Void = { _ in })
      -> OnlineCheck.Finding
    {
      var found = OnlineCheck.Finding(kind: kind, line: "ticketSystems.main: words.")
      change(&found)
      return found
    }
    expect(try judge(finding(.good)).words == "words.")
    let refused = try judge(finding(.fault) { $0.reason = .keyRefused })
    expect(refused.severity == .fault && refused.words == "words. Nobody is admitted at north, south.", "\(refused)")
    expectEqual(refused.cure, "sudo scangate credential set main && sudo systemctl reload scangate")
    expectEqual(try judge(finding(.fault) { $0.reason = .clockWrong }).cure, "sudo timedatectl set-ntp true")
    // The gate south has no policy for an outage, north has its list.
    let away = try judge(finding(.away) { $0.offline = .noAddress })
    expect(away.severity == .fault && away.words.hasSuffix("Nobody is admitted at south."), "\(away)")
    expectEqual(away.cure, "resolvectl query 127.0.0.1")
    expectEqual(try judge(finding(.doubt)).severity, .warning)
  }

  /// A real server that answers as the ticket system does, and one that knows no such key.
  @Test func aTicketSystemIsAskedWithoutRedeeming() async throws {
    let place = try Place()
    try CredentialStore(keys: place.keys).set("main", try PastedSecret([UInt8]("hunter2-very-secret".utf8)))
    func look(_ answer: String) async throws -> (found: [Finding], requests: [String]) {
      let server = ScriptedServer(answer: answer)
      let port = try await server.start()
      let station = try place.station(Place.yaml.replacing("127.0.0.1:9", with: "127.0.0.1:\(port)"))
      let found = await TicketSystemLook(
        keys: place.keys, credentials: CredentialResolver { _ in "hunter2-very-secret" }, file: "station.yaml",
        patience: .seconds(20)
      ).findings(try #require(station.ticketSystems.first), EnrolmentBook.Completed(configuration: station))
      await server.stop()
      return (found, server.requests)
    }
    func answer(_ status: String, _ body: String) -> String {
      "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
    let refused = try await look(answer("401 Unauthorized", #"{"error":"Invalid API key"}"#))
    expectEqual(refused.found.severities, [.fault])
    expectEqual(refused.found.first?.cure, "sudo scangate credential set main && sudo systemctl reload scangate")
    expect(!"\(refused.found)".contains("hunter2"))
    let good = try await look(
      answer(
        "422 Unprocessable Entity",
        #"{"message":"The ticket code field is required.","errors":{"ticket_code":["required"]}}"#))
    // What its key opens besides is said where it works.
    expectEqual(good.found.severities, [.good, .note], "\(good.found)")
    expect(good.requests.allSatisfy { !$0.contains("TICKET") })
  }
}
