import Expectations
import Foundation
import ScanModel
import StationProtocol
import Testing
import TicketSystemKit

@testable import ScanConfiguration

/// What the file says of the console.
@Suite struct ConsoleTests {
  private func read(_ console: String) throws -> (console: ConsoleConfiguration?, warnings: [String]) {
    let reading = try ConfigurationFile.parse(
      text: goodFile + "console: \(console)\n", file: "f", options: testOptions)
    return (reading.configuration.console, reading.warnings.map { String($0.description.dropFirst(2)) })
  }

  private func errors(_ console: String) -> [String] {
    ScanConfigurationTests.errors(in: goodFile + "console: \(console)\n")
  }

  @Test func nothingIsServedWhereTheFileSaysNothing() throws {
    let station = try ConfigurationFile.parse(text: goodFile, file: "f", options: testOptions).configuration
    expect(station.console == nil && station.mqtt == nil)
  }

  @Test func byDefaultItIsForThisMachineAndOrdersNothing() throws {
    let (console, warnings) = try read("{ listen: 127.0.0.1:8088 }")
    expectEqual(console, ConsoleConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 8_088)))
    expectEqual(console?.orders, [])
    expect(console?.isSecure == false && console?.namesHolders == false && console?.allowsPlainHTTP == false)
    expectEqual(warnings, [])
  }

  @Test func allItsKeysAreRead() throws {
    let (console, warnings) = try read(
      """
      { listen: "[2001:DB8:0::7]:8443", hosts: [north-door.local, 10.0.0.7], orders: [maintenance, annul], names: true, pages: true, language: fr,
        certificate: certificate.pem, privateKey: key.pem, metrics: prometheus-token,
        tokens: { wall-screen: [events], ops: [events, orders] } }
      """)
    expectEqual(console?.listen, ListenAddress(host: "2001:db8::7", port: 8_443))
    expectEqual(console?.listen.description, "[2001:db8::7]:8443")
    expectEqual(console?.hosts, ["north-door.local", "10.0.0.7"])
    expectEqual(console?.orders, [.maintenance, .annul])
    expectEqual(console?.namesHolders, true)
    expect(console?.hasPages == true && console?.language == .fr)
    expectEqual(console?.certificate?.name, "certificate.pem")
    expectEqual(console?.privateKey?.name, "key.pem")
    expectEqual(
      console?.tokens.map { "\($0.credential.name): \($0.scopes.map(\.rawValue).sorted())" },
      ["prometheus-token: [\"metrics\"]", "wall-screen: [\"events\"]", "ops: [\"events\", \"orders\"]"])
    expectEqual(console?.isSecure, true)
    expectEqual(warnings, [])
  }

  /// They are no credentials of the station: `scangate credential set` has nothing to do with them.
  @Test func itsSecretsAreNoneOfTheStations() throws {
    let text = goodFile + "console: { listen: 127.0.0.1:8088, metrics: prometheus-token, tokens: { wall: [events] } }\n"
    let station = try ConfigurationFile.parse(text: text, file: "f", options: testOptions).configuration
    expectEqual(station.credentials, [])
    expectEqual(station.files.map(\.path), ["/etc/scangate/keys/main.key"])
  }

  @Test(arguments: [
    ("127.0.0.1:8088", "127.0.0.1", true), ("localhost:8088", "127.0.0.1", true), ("127.8.8.8:8088", "127.8.8.8", true),
    ("\"[::1]:8088\"", "::1", true), ("\"[0:0::0:1]:8088\"", "::1", true), ("0.0.0.0:8088", "0.0.0.0", false),
    ("\"[::]:8088\"", "::", false), ("10.0.0.7:8088", "10.0.0.7", false),
    ("\"[::ffff:127.0.0.1]:8088\"", "::ffff:127.0.0.1", false),
  ]) func addressesAreTakenAsTheMachineWritesThem(_ text: String, _ host: String, _ isLoopback: Bool) throws {
    let console = try read("{ listen: \(text) }").console
    expectEqual(console?.listen, ListenAddress(host: host, port: 8_088))
    expectEqual(console?.listen.isLoopback, isLoopback)
    // Beyond loopback it speaks TLS without being told to.
    expectEqual(console?.isSecure, !isLoopback)
  }

  @Test(arguments: [
    "8088", "127.0.0.1", "\"127.0.0.1:\"", "127.0.0.1:80", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:8088x",
    "127.0.0.1:+8088",
    "gate-pc:8088", "\"::1:8088\"", "\"[127.0.0.1]:8088\"", "\"[::1]\"", "127.1:8088", "256.0.0.1:8088", "\"*:8088\"",
    "\":8088\"", "http://127.0.0.1:8088", "127.0.0.1:99999999999999999999",
  ]) func whatIsNoAddressIsRefused(_ text: String) {
    let found = errors("{ listen: \(text) }")
    expectEqual(found.count, 1, "\(found)")
    expect(found.first?.hasPrefix("12:20: \"console.listen\" cannot be") == true, "\(found)")
  }

  // MARK: Beyond this machine

  @Test func ordersAreNotGivenInPlain() throws {
    let beyond = "listen: 0.0.0.0:8088, allowPlainHTTP: true"
    let found = errors("{ \(beyond), orders: [maintenance] }")
    expectEqual(
      found,
      [
        "12:64: orders would be given by plain HTTP, which the network can read and change; remove allowPlainHTTP: a certificate is made then; or write orders: []"
      ])
    expectEqual(
      errors("{ \(beyond), names: true }").map { $0.contains("holders' names would go through the network") }, [true])
    let (console, warnings) = try read("{ \(beyond), tokens: { wall: [events] } }")
    expectEqual(console?.isSecure, false)
    expectEqual(warnings.map { $0.contains("plain HTTP shows tokens and events to the network") }, [true])
    expectEqual(
      errors("{ \(beyond), pages: true }").map { $0.contains("pages would be signed in to by plain HTTP") }, [true])
    expectEqual(errors("{ \(beyond), orders: [] }"), [])
    // By TLS, and on this machine, they are.
    expectEqual(errors("{ listen: 0.0.0.0:8088, orders: [maintenance], names: true }"), [])
    expectEqual(errors("{ listen: 127.0.0.1:8088, orders: [maintenance], names: true }"), [])
  }

  @Test func whatHasNoEffectIsSaid() throws {
    try expectEqual(
      read("{ listen: 127.0.0.1:8088, allowPlainHTTP: true }").warnings.map { $0.contains("no effect on 127.0.0.1") },
      [true])
    try expectEqual(
      read("{ listen: 0.0.0.0:8088, allowPlainHTTP: true, certificate: c.pem, privateKey: k.pem }").warnings
        .map { $0.contains("no effect with a certificate") }, [true])
    try expectEqual(
      read("{ listen: 127.0.0.1:8088, language: de }").warnings.map { $0.contains("no effect without pages") }, [true])
    try expectEqual(
      read("{ listen: 127.0.0.1:8088, tokens: { ops: [orders] } }").warnings
        .map { $0.contains("the token \"ops\" may give orders, but the console may give none") }, [true])
  }

  // MARK: Secrets

  @Test func aCertificateHasItsKey() {
    expectEqual(errors("{ listen: 127.0.0.1:8088, certificate: c.pem }").map { $0.contains("without its key") }, [true])
    expectEqual(
      errors("{ listen: 127.0.0.1:8088, privateKey: c.pem }").map { $0.contains("without its certificate") }, [true])
  }

  @Test func aFileIsOneThing() {
    for keys in [
      "metrics: a, tokens: { a: [events] }", "certificate: a, privateKey: a",
      "certificate: a, privateKey: k, metrics: a",
      "certificate: c, privateKey: k, tokens: { k: [events] }",
    ] {
      let found = errors("{ listen: 127.0.0.1:8088, \(keys) }")
      expectEqual(found.map { $0.contains("is named in line 12 already") }, [true], "\(keys): \(found)")
    }
  }

  @Test func wordsThatAreNoneAreRefused() {
    for (keys, words) in [
      ("orders: [maintenence]", "did you mean \"maintenance\"?"), ("orders: [reboot]", "write maintenance or"),
      ("orders: maintenance", "is no list"), ("tokens: [wall]", "is no mapping"),
      ("tokens: { wall: events }", "is no list"),
      ("tokens: { wall: [] }", "has 0 scopes"), ("tokens: { wall: [event] }", "did you mean \"events\"?"),
      ("hosts: [https://a.example]", "write a host's name"), ("hosts: [\"*.example\"]", "write a host's name"),
      ("hosts: [a_b]", "write a host's name"), ("host: [a.example]", "did you mean \"hosts\"?"),
      ("names: yes", "write true or false"), ("pages: yes", "write true or false"), ("language: it", "write en or"),
      ("metrics: ../journal", "is no name of a file"),
      ("metrics: .hidden", "is no name of a file"), ("tokens: { a/b: [events] }", "is no name of a file"),
      ("certificate: c, privateKey: k, metrics: /etc/ssl/a.pem", "is no name of a file"),
      ("token: wall", "is not taken here"),
    ] {
      let found = errors("{ listen: 127.0.0.1:8088, \(keys) }")
      expect(found.count == 1 && found[0].contains(words), "\(keys): \(found)")
    }
  }

  /// A token that was pasted into the file is never repeated, by no error.
  @Test(arguments: [
    "metrics: hunter2hunter2hunter2hunter2", "tokens: { hunter2hunter2hunter2hunter2: [events] }", "token: hunter2",
    "password: hunter2", "metrics: \"hunter2 hunter2\"", "metrics: [hunter2]", "privateKey: \"-----BEGIN hunter2\"",
    "secret: { a: hunter2 }", "key: hunter2", "certificate: { pem: hunter2 }",
  ]) func aPastedSecretIsNotRepeated(keys: String) {
    let found = errors("{ listen: 127.0.0.1:8088, \(keys) }")
    expect(!found.isEmpty)
    expect(!found.joined().contains("hunter2"), "\(found)")
  }

  // MARK: Whose it is

  /// The station's own file alone says what may be ordered of it, and by whom.
  @Test func noSectionBelowTheTopHasIt() {
    let schema = ConfigurationFile.schema(options: exampleOptions)
    for section in schema where !section.path.isEmpty {
      for key in section.keys { expect(key.name != "console" && key.name != "mqtt", "\(section.path).\(key.name)") }
    }
    for place in ["control", "setUp", "station"] {
      let text = goodFile.replacingOccurrences(of: "station: { name: door }", with: "station: { name: door }")
      let found = ScanConfigurationTests.errors(
        in: place == "station"
          ? text.replacingOccurrences(of: "{ name: door }", with: "{ name: door, console: { listen: 0.0.0.0:8088 } }")
          : text + "\(place): { console: { listen: 0.0.0.0:8088 } }\n")
      expect(found.contains { $0.contains("unknown key \"console\"") }, "\(place): \(found)")
    }
  }
}
