import Expectations
import Foundation
import Testing
import TicketSystemKit
import TicketTransport

@testable import ScanConfiguration

/// What the file says of alerts.
@Suite struct AlertsTests {
  private func text(_ alerts: String, _ more: String = "") -> String {
    goodFile + "console: { listen: 127.0.0.1:8088\(more), alerts: \(alerts) }\n"
  }

  private func read(_ alerts: String) throws -> (alerts: AlertsConfiguration?, warnings: [String]) {
    let reading = try ConfigurationFile.parse(text: text(alerts), file: "f", options: testOptions)
    return (reading.configuration.console?.alerts, reading.warnings.map { String($0.description.dropFirst(2)) })
  }

  private func found(_ alerts: String, _ more: String = "") -> [String] { errors(in: text(alerts, more)) }

  @Test func byDefaultAllIsTold() throws {
    let (alerts, warnings) = try read("{ url: \"https://ntfy.example/gate\" }")
    expectEqual(alerts?.url.description, "https://ntfy.example/gate")
    expectEqual(alerts?.on, Set(AlertCondition.allCases).subtracting([.service]))
    expect(alerts?.token == nil && alerts?.caFile == nil)
    expectEqual(alerts?.path, "")
    expectEqual(warnings, [])
  }

  @Test func allItsKeysAreRead() throws {
    let (alerts, warnings) = try read(
      "{ url: \"https://hooks.example:8443/a/b/\", token: ntfy, on: [reader, clock], caFile: venue-ca.pem }")
    expectEqual(alerts?.url.port, 8_443)
    expectEqual(alerts?.path, "/")
    expectEqual(alerts?.token?.name, "ntfy")
    expectEqual(alerts?.on, [.reader, .clock])
    expectEqual(alerts?.caFile?.name, "venue-ca.pem")
    expectEqual(warnings, [])
  }

  @Test func plainHTTPIsForThisMachine() throws {
    try expectEqual(read("{ url: \"http://127.0.0.1:2586/gate\" }").warnings, [])
    try expectEqual(
      read("{ url: \"http://localhost/gate\", caFile: ca.pem }").warnings,
      ["12:76: caFile has no effect with plain HTTP; write https://, or remove caFile"])
    expectEqual(
      found("{ url: \"http://ntfy.example/gate\" }"),
      [
        "12:51: alerts would go through the network in plain HTTP; write https://; http:// is for this machine alone"
      ])
    expectEqual(found("{ url: \"https://a.example/\", allowPlainHTTP: true }").count, 1)
  }

  /// An address may be all that is asked of who posts to it, and a token was perhaps pasted.
  @Test(arguments: [
    "{ url: \"https://u:hunter2@ntfy.example/gate\" }", "{ url: \"https://ntfy.example/gate?auth=hunter2\" }",
    "{ url: \"ftp://ntfy.example/hunter2\" }", "{ url: \"http://ntfy.example/hunter2\" }",
    "{ url: \"https://ntfy.example/gate\", token: hunter2hunter2hunter2hunter2 }",
    "{ url: \"https://ntfy.example/gate\", password: hunter2 }",
    "{ url: \"https://ntfy.example/gate\", secret: hunter2 }",
    "{ url: \"https://ntfy.example/gate\", caFile: /hunter2 }",
  ]) func whatIsWrongIsSaidWithoutASecret(_ alerts: String) {
    let found = found(alerts)
    expectEqual(found.count, 1, "\(found)")
    expect(found.allSatisfy { $0.hasPrefix("12:") && !$0.contains("hunter2") }, "\(found)")
  }

  @Test func whatIsToldIsChosenByWords() {
    expectEqual(
      found("{ url: \"https://a.example/\", on: [reader, printer] }").map { $0.contains("write gate or reader or") },
      [true])
    expectEqual(
      found("{ url: \"https://a.example/\", on: [readers] }").map { $0.contains("did you mean \"reader\"?") }, [true])
    // That no service runs is told always: there is nothing to choose.
    expectEqual(found("{ url: \"https://a.example/\", on: [service] }").count, 1)
    expectEqual(found("{ url: \"https://a.example/\", on: [] }").count, 1)
    expectEqual(found("{ on: [reader] }").map { $0.contains("\"url\" is missing") }, [true])
  }

  /// What is shown to somebody else's server opens nothing here.
  @Test func itsTokenIsNoneOfTheConsoles() {
    for more in [
      ", metrics: ntfy", ", tokens: { ntfy: [events] }", ", certificate: ntfy, privateKey: k",
      ", certificate: c, privateKey: ntfy",
    ] {
      let found = found("{ url: \"https://a.example/\", token: ntfy }", more)
      expectEqual(found.map { $0.contains("\"ntfy\" is named in line 12 already") }, [true], "\(more): \(found)")
    }
  }

  @Test func itsTokenIsNoCredentialOfTheStation() throws {
    let station = try ConfigurationFile.parse(
      text: text("{ url: \"https://a.example/\", token: ntfy, caFile: ca.pem }"), file: "f", options: testOptions
    ).configuration
    expectEqual(station.credentials, [])
    expectEqual(station.files.map(\.path), ["/etc/scangate/keys/main.key"])
  }
}
