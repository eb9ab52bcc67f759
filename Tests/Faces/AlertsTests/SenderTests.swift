import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

@testable import Alerts

/// Alerts on their way, over real sockets and TLS.
@Suite struct SenderTests {
  static let message = AlertMessage(
    key: AlertKey(.reader, "left"), title: "door: reader left", body: "It is not plugged in.\n", priority: .high,
    tags: "warning,reader,door")
  static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

  private func outcome(
    path: String = "/gate", slash: String = "", token: String? = nil, patience: Duration = .seconds(15),
    answer: @escaping ScriptedServer.Script
  ) async throws -> (outcome: AlertSender.Outcome, requests: [String]) {
    let server = ScriptedServer(answer)
    let port = try await server.start()
    let sender = try AlertSender(
      url: ServerAddress("http://127.0.0.1:\(port)\(path)"), path: slash, token: token.map { try Secret($0) },
      patience: patience)
    let outcome = await sender.post(Self.message)
    await sender.close()
    await server.stop()
    return (outcome, server.requests)
  }

  @Test func isPostedAsTextThatNtfyTakes() async throws {
    let (outcome, requests) = try await outcome(token: "tk_hunter2") { $2.send(Self.good) }
    expectEqual(outcome, .delivered)
    let parts = try #require(requests.first).components(separatedBy: "\r\n\r\n")
    expectEqual(requests.count, 1)
    expectEqual(parts.last, "It is not plugged in.\n")
    let lines = parts[0].components(separatedBy: "\r\n")
    expectEqual(lines.first, "POST /gate HTTP/1.1")
    for line in [
      "Title: door: reader left", "Priority: high", "Tags: warning,reader,door", "Authorization: Bearer tk_hunter2",
      "Content-Type: text/plain; charset=utf-8", "Content-Length: 22",
    ] { expect(lines.contains(line), "\(line) in \(lines)") }
  }

  @Test func aSlashAtTheEndOfTheAddressIsKept() async throws {
    for (path, slash, target) in [("/hook", "/", "/hook/"), ("/hook", "", "/hook"), ("", "", "/"), ("", "/", "/")] {
      let (_, requests) = try await outcome(path: path, slash: slash) { $2.send(Self.good) }
      expectEqual(requests.first?.hasPrefix("POST \(target) HTTP/1.1\r\n"), true, "\(path) \(slash)")
      expectEqual(requests.first?.contains("Authorization"), false)
    }
  }

  @Test func noRedirectIsFollowed() async throws {
    let other = ScriptedServer(answer: Self.good)
    let port = try await other.start()
    for status in [301, 302, 303, 307, 308] {
      let (outcome, requests) = try await outcome(token: "tk_hunter2") {
        $2.send("HTTP/1.1 \(status) Moved\r\nLocation: http://127.0.0.1:\(port)/\r\nContent-Length: 0\r\n\r\n")
      }
      guard case .failed(let words) = outcome else { return expect(false, "\(status): \(outcome)") }
      expect(words.contains("leads elsewhere (\(status))") && !words.contains("hunter2"), "\(words)")
      expectEqual(requests.count, 1)
    }
    expectEqual(other.connections, 0)
    await other.stop()
  }

  @Test func whatIsNotTakenSaysWhatToDo() async throws {
    for (status, part) in [
      (401, "Check the token"), (403, "Check the token"), (404, "knows no such address"), (429, "(429)"),
      (500, "(500)"), (503, "(503)"),
    ] {
      let (outcome, _) = try await outcome(token: "tk_hunter2") {
        $2.send("HTTP/1.1 \(status) No\r\nContent-Length: 10\r\n\r\ntk_hunter2")
      }
      guard case .failed(let words) = outcome else { return expect(false, "\(status): \(outcome)") }
      expect(words.contains(part) && words.contains("127.0.0.1:") && !words.contains("hunter2"), "\(words)")
    }
  }

  @Test func anAnswerWithoutEndIsNotRead() async throws {
    let (outcome, _) = try await outcome { _, _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
      connection.send([UInt8](repeating: 0x61, count: 200_000))
    }
    guard case .failed = outcome else { return expect(false, "\(outcome)") }
  }

  @Test func whoDoesNotAnswerIsNotWaitedForLong() async throws {
    let (outcome, requests) = try await outcome(patience: .milliseconds(300)) { _, _, _ in }
    guard case .failed(let words) = outcome else { return expect(false, "\(outcome)") }
    expect(words.contains("no answer in time"), "\(words)")
    expectEqual(requests.count, 1)
  }

  @Test func nobodyListens() async throws {
    let sender = try AlertSender(
      url: ServerAddress("http://127.0.0.1:1/gate"), token: Secret("tk_hunter2"), patience: .milliseconds(300))
    guard case .failed(let words) = await sender.post(Self.message) else { return expect(false, "nobody took it") }
    expect(words.contains("127.0.0.1:1") && !words.contains("hunter2") && !words.contains("/gate"), "\(words)")
    await sender.close()
  }

  @Test func onlyWhoIsTrustedGetsTheToken() async throws {
    let server = ScriptedServer(answer: Self.good)
    let port = try await server.start(certificate: TestCertificates.good)
    func post(_ authority: String) async throws -> AlertSender.Outcome {
      let file = "\(temporaryRoot)/alerts-ca-\(UUID().uuidString).pem"
      try Data(authority.utf8).write(to: URL(filePath: file))
      let sender = try AlertSender(
        url: ServerAddress("https://localhost:\(port)/gate"), token: Secret("tk_hunter2"), authorities: file)
      let outcome = await sender.post(Self.message)
      await sender.close()
      return outcome
    }
    guard case .failed(let words) = try await post(TestCertificates.otherAuthority) else {
      return expect(false, "somebody who is not trusted took it")
    }
    expect(words.contains("not trusted") && words.contains("caFile"), "\(words)")
    expectEqual(server.requests, [])
    try expectEqual(await post(TestCertificates.authority), .delivered)
    expectEqual(server.requests.count, 1)
    await server.stop()
  }

  @Test func aFileOfCertificatesThatIsNoneIsToldAtOnce() throws {
    let url = try ServerAddress("https://ntfy.example/gate")
    #expect(throws: HTTPTransport.SetupFault.self) {
      try AlertSender(url: url, authorities: "\(temporaryRoot)/nosuch.pem")
    }
  }
}
