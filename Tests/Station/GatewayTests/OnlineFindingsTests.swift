import StationSetUp
import EventSchedule
import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScriptedHTTP
import Testing
import TicketSystemKit

@testable import Gateway

/// What `config check --online` finds, against servers that say what a test wants.
@Suite(.timeLimit(.minutes(1))) struct OnlineFindingsTests {
  private static let refusal = #"{"error":"The ticket code field is required."}"#

  private static func answer(_ status: String, _ body: String) -> String {
    """
    HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nDate: \(Self.date)\r\n\
    Content-Length: \(body.utf8.count)\r\n\r\n\(body)
    """
  }

  /// Now, as HTTP writes it.
  private static var date: String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.string(from: Date())
  }

  /// Asks everything that a station with these lines speaks to.
  private func findings(
    _ system: String, control: String = "", credential: String? = "a-key-of-some-length",
    time: any TimeSource = SystemTime()
  ) async throws -> (findings: [OnlineCheck.Finding], asked: [String]) {
    let text = """
      version: 1
      station: { name: bench }
      \(control)
      ticketSystems: { main: { type: eventschedule, apiKey: main, \(system) } }
      readers: { left: { type: wedge, match: { vendor: "0c2e" } } }
      gates: { north: { readers: [left], ticketSystem: main } }
      """
    let configuration = try ConfigurationFile.parse(
      bytes: [UInt8](text.utf8), file: "bench.yaml",
      options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
    var asked: [String] = []
    let findings = await OnlineCheck.findings(
      on: EnrolmentBook.Completed(configuration: configuration),
      credentials: CredentialResolver { _ throws(SetupError) in
        guard let credential else { throw SetupError("there is none.") }
        return credential
      }, onAsking: { asked.append($0) }, time: time)
    return (findings, asked)
  }

  @Test func aClockThatIsWrongIsToldAlthoughTheKeyIsTaken() async throws {
    let server = ScriptedServer(answer: Self.answer("422 Unprocessable Content", Self.refusal))
    let port = try await server.start()
    let time = ShiftedTime()
    let right = try await findings("url: \"http://127.0.0.1:\(port)\"", time: time).findings
    expectEqual(right.map(\.kind), [.good], "\(right)")
    time.setWall(.seconds(3_600))
    let wrong = try await findings("url: \"http://127.0.0.1:\(port)\"", time: time).findings
    expectEqual(wrong.map(\.kind), [.good, .doubt], "\(wrong)")
    expectEqual(wrong.last?.line.contains("this machine's clock is 60 min ahead of the server's"), true, "\(wrong)")
    await server.stop()
  }

  @Test func aCertificateThatNobodyHereTrustsNamesTheSettingsWithTheirPlaces() async throws {
    let server = ScriptedServer(answer: Self.answer("422 Unprocessable Content", Self.refusal))
    let port = try await server.start(certificate: TestCertificates.good)
    let plain = try await findings("url: \"https://localhost:\(port)\"").findings
    expectEqual(plain.map(\.kind), [.fault], "\(plain)")
    let words = plain.first?.line ?? ""
    expect(
      words.hasPrefix("ticketSystems.main: tlsFault: ") && words.contains("Check url (bench.yaml:4:")
        && words.contains("name its certificate by caFile"), "\(words)")

    let file = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString).pem")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(TestCertificates.otherAuthority.utf8).write(to: file)
    let other = try await findings("url: \"https://localhost:\(port)\", caFile: \(file.path)").findings
    let named = other.first?.line ?? ""
    expect(other.first?.kind == .fault && named.contains("and caFile \(file.path) (bench.yaml:4:"), "\(named)")
    expect(server.requests.isEmpty, "nothing is said to a stranger")
    await server.stop()
  }

  /// What answers and cannot be asked is out of order or asked too often, and it is said which.
  @Test(arguments: [
    ("500 Internal Server Error", "is out of order (500)", "asked too often"),
    ("429 Too Many Requests", "is asked too often (429)", "out of order"),
  ]) func whatAnswersAndCannotBeAskedSaysWhy(status: String, words: String, others: String) async throws {
    let server = ScriptedServer(answer: Self.answer(status, #"{"error":"No"}"#))
    let port = try await server.start()
    let found = try await findings("url: \"http://127.0.0.1:\(port)\"").findings
    expectEqual(found.map(\.kind), [.away], "\(found)")
    let line = found.first?.line ?? ""
    expect(line.contains("answers, but \(words)") && !line.contains(others), "\(line)")
    await server.stop()
  }

  @Test func aPageIsCalledOneWhateverItsStatus() async throws {
    for status in ["200 OK", "404 Not Found"] {
      let page = "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>"
      let server = ScriptedServer(answer: page)
      let port = try await server.start()
      let found = try await findings("url: \"http://127.0.0.1:\(port)\"").findings
      expectEqual(found.map(\.kind), [.fault], "\(found)")
      let line = found.first?.line ?? ""
      expect(line.contains("a firewall, proxy or portal may have answered in its place"), "\(line)")
      await server.stop()
    }
  }

  @Test func aCredentialThatIsNotThereNamesItsPlace() async throws {
    let found = try await findings("url: \"http://127.0.0.1:9\"", credential: nil).findings
    expectEqual(found.map(\.kind), [.fault], "\(found)")
    let line = found.first?.line ?? ""
    expect(line.hasPrefix("bench.yaml:4:") && line.hasSuffix(": ticketSystems.main: there is none."), "\(line)")
  }

  @Test func theControlServiceIsAskedAndNothingIsActivated() async throws {
    let server = ScriptedServer { _, request, connection in
      let isHealth = request.contains("/health")
      connection.send(
        isHealth
          ? Self.answer("200 OK", #"{"status":"ok"}"#) : Self.answer("422 Unprocessable Content", Self.refusal))
    }
    let port = try await server.start()
    let url = "url: \"http://127.0.0.1:\(port)\""
    let (found, asked) = try await findings(url, control: "control: { type: kiosk, \(url) }")
    expectEqual(found.map(\.kind), [.good, .good], "\(found)")
    expectEqual(asked, ["ticketSystems.main", "control"])
    expectEqual(found.last?.line.hasPrefix("control: http://127.0.0.1:\(port) answers."), true, "\(found)")
    expect(server.requests.allSatisfy { !$0.contains("activate") && !$0.contains("register") })
    await server.stop()
  }

  @Test func aPageInTheControlServicesPlaceIsAFaultAndSilenceIsNone() async throws {
    let server = ScriptedServer { _, request, connection in
      connection.send(
        request.hasPrefix("POST")
          ? Self.answer("422 Unprocessable Content", Self.refusal)
          : "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>")
    }
    let port = try await server.start()
    let url = "url: \"http://127.0.0.1:\(port)\""
    let page = try await findings(url, control: "control: { type: kiosk, \(url) }").findings
    expectEqual(page.map(\.kind), [.good, .fault], "\(page)")
    expectEqual(page.last?.line.contains("Look at control.url: http://127.0.0.1:\(port)"), true, "\(page)")
    let silent = try await findings(url, control: "control: { type: kiosk, url: \"http://127.0.0.1:9\" }").findings
    expectEqual(silent.map(\.kind), [.good, .away], "\(silent)")
    await server.stop()
  }
}
