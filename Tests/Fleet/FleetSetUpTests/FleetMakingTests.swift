import Expectations
import FleetBook
import Foundation
import JetStreamClaims
import LibCrypto
import Testing

@testable import FleetSetUp

@Suite struct FleetMakingTests {
  @Test func everybodyGetsTheirOwnAndNothingOfOthers() throws {
    let change = try FleetChange.making(wish(), at: made)
    let servers = ["nats-server.conf", "scangate.conf", "certificate.pem", "key.pem", "authority.pem", "install.sh"]
    let expected =
      ["gate1", "gate2", "gate3"].flatMap { name in servers.map { "servers/\(name)/\($0)" } }
      + ["north", "south"].flatMap { name in
        ["credential", "fleet-ca.pem", "fleet.yaml"].map { "stations/\(name)/\($0)" }
      } + ["README.txt", "keep/fleet.key", "keep/administrator", "keep/authority-1.pem", "keep/authority-1.key"]
    expectEqual(change.files.map(\.path).sorted(), expected.sorted())
    let secret = change.files.filter { $0.mode == 0o600 }.map(\.path).sorted()
    expectEqual(
      secret,
      [
        "keep/administrator", "keep/authority-1.key", "keep/fleet.key", "servers/gate1/key.pem",
        "servers/gate2/key.pem", "servers/gate3/key.pem", "stations/north/credential", "stations/south/credential",
      ])
    expect(change.files.allSatisfy { $0.mode == 0o600 || $0.mode == 0o644 })
  }

  /// What anybody may read, and what is printed, has no part of any secret.
  @Test func noSecretIsInWhatIsNotOne() throws {
    let change = try FleetChange.making(wish(), at: made)
    var secrets: [String] = ["PRIVATE KEY"]
    for name in ["north", "south"] {
      let credential = try change.credential(name)
      secrets += [credential.toBeSealed, credential.user.toBeSealed]
      secrets.append(Data(credential.signing.rawRepresentation).base64EncodedString())
    }
    for path in ["keep/fleet.key", "keep/administrator"] {
      let words = try change.text(path).split(whereSeparator: { " \n:".contains($0) })
      secrets.append(String(try #require(words.last)))
    }
    let open = change.files.filter { $0.mode != 0o600 }.map { String(decoding: $0.bytes, as: UTF8.self) }
    for text in open + change.steps + [change.layout.text, "\(try change.credential("north"))"] {
      for secret in secrets { expect(!text.contains(secret), "\(text.prefix(60))") }
    }
    let reflected = String(reflecting: try change.credential("north"))
    expect(!secrets.contains { reflected.contains($0) })
  }

  @Test func certificatesAreTheAuthoritysAndForTheirHostAlone() throws {
    try inFleet { place, _ in
      let hosts = [
        "gate1": ["gate1"], "gate2": ["gate2", "gate2.venue.example"], "gate3": ["gate3", "10.0.0.13"],
      ]
      for (name, known) in hosts {
        let folder = "\(place.path)/servers/\(name)"
        for host in known {
          let check = host.first?.isNumber == true ? "-verify_ip" : "-verify_hostname"
          for purpose in ["sslserver", "sslclient"] {
            expect(
              try believes(
                folder + "/authority.pem", folder + "/certificate.pem", "-purpose", purpose, check, host),
              "\(name) \(host) \(purpose)")
          }
        }
        expect(
          try !believes(folder + "/authority.pem", folder + "/certificate.pem", "-verify_hostname", "gate9"))
        // The key is the certificate's.
        let certificate = try openssl("x509", "-noout", "-pubkey", "-in", folder + "/certificate.pem")
        let key = try openssl("pkey", "-pubout", "-in", folder + "/key.pem")
        expect(certificate.status == 0 && certificate.text == key.text)
      }
      // Stations believe the same.
      try expectEqual(place.text("stations/north/fleet-ca.pem"), place.text("servers/gate1/authority.pem"))
      try inFleet { other, _ in
        expect(
          try !believes(other.path + "/keep/authority-1.pem", place.path + "/servers/gate1/certificate.pem"),
          "another fleet of the same name is another one")
      }
    }
  }

  @Test func stationsNameTicketsAlikeAndSignEachForItself() throws {
    let change = try FleetChange.making(wish(), at: made)
    let (north, south) = (try change.credential("north"), try change.credential("south"))
    expectEqual(north.key.mark, south.key.mark)
    expect(north.user.user != south.user.user)
    expectEqual(change.layout.stations.map(\.keys), [[north.user.user], [south.user.user]])
    let section = try change.text("stations/south/fleet.yaml")
    try expectEqual(change.text("stations/north/fleet.yaml"), section)
    let keys = stations(inSection: section).compactMapValues { StationKeyText.key($0) }
    expectEqual(Set(keys.keys), ["north", "south"])
    let administrator = try #require(change.layout.administratorKeys.first)
    expectEqual(change.layout.administratorKeys.count, 1)
    expect(section.contains("  administrators: [\"\(StationKeyText.text(administrator))\"]"), "\(section)")
    let message: [UInt8] = [1, 2, 3]
    let signature = try #require(north.signing.signature(for: message))
    expect(try #require(keys["north"]).isValidSignature(signature, for: message))
    expect(try !#require(keys["south"]).isValidSignature(signature, for: message))
    for line in [
      "  name: \"fair-2026\"",
      "  servers: [\"tls://gate1:4222\", \"tls://gate2.venue.example:4222\", \"tls://10.0.0.13:4222\"]",
      "  credential: fleet", "  ca: /etc/scangate/fleet-ca.pem", "  alone: refuse",
    ] {
      expect(section.split(separator: "\n").contains { $0 == line }, "\(line)")
    }
    // Each is one line without blanks, as what is sealed is.
    for credential in [north, south] {
      expect(credential.toBeSealed.utf8.allSatisfy { (0x21...0x7E).contains($0) })
      expectEqual(FleetCredential(credential.toBeSealed)?.toBeSealed, credential.toBeSealed)
    }
  }

  @Test func withoutStationsEachServersMachineIsOne() throws {
    let change = try FleetChange.making(wish { $0.stations = nil }, at: made)
    expectEqual(change.layout.stations.map(\.name.description), ["gate1", "gate2", "gate3"])
    expectEqual(try FleetChange.making(wish { $0.event = nil }, at: made).layout.event, "summer")
  }

  @Test func twoFleetsShareNothing() throws {
    let (one, other) = (try FleetChange.making(wish(), at: made), try FleetChange.making(wish(), at: made))
    expect(try one.credential("north").key.mark != other.credential("north").key.mark)
    for (file, twin) in zip(one.files, other.files) where file.mode == 0o600 { expect(file.bytes != twin.bytes) }
  }

  @Test func whatCannotBeAFleetIsRefusedInWords() throws {
    try expect(fault { $0.nodes = [try node("a"), try node("b")] }.contains("1 or 3 servers"))
    try expect(fault { $0.nodes = try (1...5).map { try node("gate\($0)") } }.contains("not 5"))
    try expect(fault { $0.nodes = [] }.contains("1 or 3 servers"))
    try expect(fault { $0.nodes = try (1...7).map { try node("gate\($0)") } }.contains("not 7"))
    try expect(fault { $0.nodes = try ["a", "b", "a.example"].map { try node($0) } }.contains("one name"))
    try expect(fault { $0.nodes = try ["a=h", "b=h", "c"].map { try node($0) } }.contains("one place"))
    try expect(fault { $0.stations = [] }.contains("1 to 200 stations"))
    try expect(fault { $0.stations = try (0...200).map { try station("s\($0)") } }.contains("not 201"))
    try expect(fault { $0.stations = try [station("a"), station("a")] }.contains("one name"))
    for name in ["", "Summer", "a b", "a:b", "a.b", String(repeating: "a", count: 33)] {
      try expect(fault { $0.name = name }.contains("A fleet's name"), "\(name)")
      try expect(fault { $0.event = name }.contains("An event's name"), "\(name)")
    }
    try expect(fault { $0.port = 6_222 }.contains("two ports"))
    try expect(fault { $0.port = 0 }.contains("two ports"))
    try expect(fault { $0.room = -1 }.contains("10 MB to 100 GB"))
    try expectEqual(fault { _ in }, "")
  }

  @Test(arguments: [
    "", "Gate1", "gate 1", "10.0.0.11", "=10.0.0.11", "gate1=", "gate1=a b", "gate1=a,DNS:b", "-a=b", "gate1=-b",
    "gate1=*.example", "a..b", "gate1=\"x\"", "gate_1", "2001:db8::1", "gate1=x=y", "gate1=a]",
  ]) func whatIsNoNode(_ text: String) { expect(FleetNode(text) == nil, "\(text)") }

  @Test func nodesAreReadAsTheyAreWritten() throws {
    for text in ["gate1", "gate2=gate2.venue.example", "gate3=10.0.0.13", "gate4=2001:db8::7", "a=b"] {
      let node = try node(text)
      expectEqual(node.description, text)
      expectEqual(FleetNode(node.description), node)
    }
    let plain = try node("gate2.venue.example")
    expect(plain.name == "gate2" && plain.host == "gate2.venue.example")
    let change = try FleetChange.making(
      wish { $0.nodes = [try node("gate4=2001:db8::7")] }, at: made)
    expectEqual(try change.server("gate4")["host"]?.text, "::")
    expectEqual(change.layout.servers.first?.description, "[2001:db8::7]:4222")
  }

  @Test func theLayoutIsReadAsItWasWritten() throws {
    var layout = try FleetChange.making(wish(), at: made).layout
    for rotation: FleetLayout.Rotation? in [
      nil, .authority, .certificates, .administrator, .event, .credential(try station("north")),
    ] {
      layout.rotation = rotation
      expectEqual(try FleetLayout(Array(layout.text.utf8), file: "fleet.json"), layout)
    }
    layout.formerEvent = "fair-2025"
    expectEqual(try FleetLayout(Array(layout.text.utf8), file: "fleet.json"), layout)
    let text = layout.text
    for (what, with) in [
      ("\"version\":1", "\"version\":2"), ("summer", "Summer"), ("\"gate1\"", "\"gate 1\""), ("4222", "70000"),
      ("fair-2025", "fair 2025"), ("[\"1\"]", "[\"2\"]"),
    ] {
      let other = text.replacing(what, with: with)
      expect(other != text, "\(what) is not in \(text)")
      expect((try? FleetLayout(Array(other.utf8), file: "fleet.json")) == nil, "\(what)")
    }
    for junk in ["", "{}", "[]", "junk", String(text.dropLast(10))] {
      expect((try? FleetLayout(Array(junk.utf8), file: "fleet.json")) == nil)
    }
  }
}
