import Expectations
import FleetBook
import Foundation
import LibCrypto
import ScanModel
import Testing
import TicketSystemKit

@testable import ScanConfiguration

/// The section `fleet`.
@Suite struct FleetTests {
  private static let door = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f70751"

  private let keys: (north: String, south: String)
  private let file = goodFile.replacingOccurrences(of: "station: { name: door }", with: "station: { name: north }")

  init() throws {
    func text() throws -> String { StationKeyText.text(try #require(Ed25519.PrivateKey().publicKey)) }
    keys = (try text(), try text())
  }

  private func section(_ more: String = "", stations: String? = nil, servers: String = "[\"tls://gate1\"]") -> String {
    let stations = stations ?? "{ north: \(keys.north), south: \(keys.south) }"
    return "fleet: { name: summer, servers: \(servers), credential: fleet, ca: /etc/scangate/fleet-ca.pem, stations: "
      + stations + more + " }\n"
  }

  private func read(_ section: String) throws -> (FleetConfiguration, [String]) {
    let reading = try ConfigurationFile.parse(text: file + section, file: "f", options: testOptions)
    return (
      try #require(reading.configuration.fleet), reading.warnings.map(\.description).filter { $0.contains("lone") }
    )
  }

  @Test func aStationHasNoneUnlessItsFileSaysSo() throws {
    let none = try ConfigurationFile.parse(text: goodFile, file: "f", options: testOptions)
    expect(none.configuration.fleet == nil)
  }

  @Test func littleIsNeeded() throws {
    let (fleet, warnings) = try read(section())
    expectEqual(fleet.name, "summer")
    expectEqual(fleet.servers, [FleetServer(host: "gate1", port: 4_222)])
    expectEqual(fleet.credential.name, "fleet")
    expectEqual(fleet.ca.path, "/etc/scangate/fleet-ca.pem")
    expectEqual(fleet.alone, .refuse)
    expectEqual(fleet.copies, 1)
    expectEqual(fleet.administrators, [])
    expectEqual(fleet.stations.keys.map(\.description).sorted(), ["north", "south"])
    expectEqual(warnings, [])
    let configuration = try ConfigurationFile.parse(text: file + section(), file: "f", options: testOptions)
      .configuration
    expect(configuration.credentials.contains { $0.name == "fleet" })
    expect(configuration.files.contains { $0.path == "/etc/scangate/fleet-ca.pem" })
  }

  /// Whose lists are taken: stations of the fleet, and nobody else.
  @Test func listsAreTakenFromStationsOfTheFleet() throws {
    let (none, _) = try read(section())
    expect(none.listsFrom.isEmpty && !none.takesLists("north"))
    let (fleet, _) = try read(section(", listsFrom: [south]"))
    expectEqual(fleet.listsFrom.map(\.description), ["south"])
    expect(fleet.takesLists("north") && !fleet.takesLists("south"))
    for wrong in ["[west]", "[South]", "south"] {
      #expect(throws: ConfigurationErrors.self, "\(wrong)") { try read(section(", listsFrom: \(wrong)")) }
    }
  }

  @Test func allOfItIsRead() throws {
    let (fleet, warnings) = try read(
      section(
        ", administrators: [\(keys.south)], alone: trust, alonePeople: 20, aloneFor: 5 min",
        servers: "[\"tls://gate1:4222\", \"gate2:4223\", \"tls://[fd00::1]:4222\"]"))
    expectEqual(fleet.servers.map(\.description), ["gate1:4222", "gate2:4223", "[fd00::1]:4222"])
    expectEqual(fleet.copies, 3)
    expectEqual(fleet.administrators.map { StationKeyText.text($0) }, [keys.south])
    expectEqual(fleet.alone, .trust(AlonePolicy.Bounds(people: 20, time: .seconds(300))))
    expectEqual(warnings, [])
    let (listed, _) = try read(section(", alone: list"))
    expectEqual(listed.alone, .list(AlonePolicy.Bounds(people: 100, time: .seconds(900))))
  }

  @Test func boundsWithoutEffectAreTold() throws {
    let (_, warnings) = try read(section(", alonePeople: 20, aloneFor: 5 min"))
    expect(warnings.contains { $0.contains("alonePeople has no effect with alone: refuse") }, "\(warnings)")
    expect(warnings.contains { $0.contains("aloneFor has no effect with alone: refuse") }, "\(warnings)")
  }

  @Test func whatCannotBeAFleetIsRefused() {
    for (text, words) in [
      (section(stations: "{ south: \(keys.south) }"), "fleet.stations does not name this station, \"north\""),
      (
        section(stations: "{ north: \(keys.north), South: \(keys.south) }"),
        "cannot be the name of a station of a fleet"
      ),
      (section(stations: "{ north: \(keys.north.dropLast())0x }"), "is no public key of a station, or was mistyped"),
      (section(stations: "{ north: \(keys.north.uppercased())f }"), "is no public key of a station, or was mistyped"),
      (section(", administrators: [\(keys.south.dropLast())x]"), "is no public key of an administrator"),
      (section(", administrators: hunter2"), "fleet.administrators"),
      (section(servers: "[]"), "has 0 servers"),
      (section(servers: "[\"nats://gate1\"]"), "is no address of a fleet's server"),
      (section(servers: "[\"tls://user:hunter2@gate1\"]"), "is no address of a fleet's server"),
      (section(servers: "[\"tls://gate1:0\"]"), "is no address of a fleet's server"),
      (section(", alone: open"), "cannot be \"open\""),
      (section(", password: hunter2"), "is not taken here"),
    ] {
      let found = errors(in: file + text)
      expect(found.contains { $0.contains(words) }, "\(words): \(found)")
      expect(!found.joined().contains("hunter2"), "a secret is repeated")
    }
    let underscored = file.replacingOccurrences(of: "name: north }", with: "name: north_door }")
    expect(errors(in: underscored + section()).contains { $0.contains("which no station of a fleet can be called") })
  }

  /// Where a section stands in the file is no change of it.
  @Test func aLineMoreIsNoOtherFleet() throws {
    let one = try read(section()).0
    let other = try ConfigurationFile.parse(text: "# more\n" + file + section(), file: "f", options: testOptions)
    expectEqual(other.configuration.fleet, one)
    expect(try read(section(", alone: trust")).0 != one)
  }

  @Test func aKeysTextStandsForThatKeyAlone() throws {
    let key = try #require(Ed25519.PrivateKey().publicKey)
    let text = StationKeyText.text(key)
    expectEqual(text.utf8.count, 70)
    expectEqual(StationKeyText.key(text), key)
    for wrong in [
      "", String(text.dropLast()), text + "0", text.uppercased() + " ", Self.door, String(text.reversed()) + "x",
      "+" + text.dropFirst(),
    ] {
      expect(StationKeyText.key(wrong) == nil, "\(wrong)")
    }
  }
}
