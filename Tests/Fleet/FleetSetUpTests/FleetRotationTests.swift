import Expectations
import FleetBook
import Foundation
import JetStreamClaims
import LibCrypto
import ScanTesting
import Testing

@testable import FleetSetUp

/// What is exchanged, each step as the files have it.
@Suite struct FleetRotationTests {
  private func refused(_ place: FleetFolder, _ rotation: FleetRotation) throws -> String {
    let before = try place.text("fleet.json")
    do throws(FleetFault) {
      _ = try FleetChange.rotating(rotation, place.layout(), place.secrets(place.layout()), at: made)
      Issue.record("\(rotation) was not refused")
      return ""
    } catch {
      try expectEqual(place.text("fleet.json"), before)
      return error.description
    }
  }

  @Test func aStationsOldAndNewKeyHoldUntilTheOldOneGoes() throws {
    try inFleet { place, _ in
      let old = try place.credential("north")
      let south = try place.credential("south")
      let change = try place.rotate(.credential(station("north")))
      let new = try place.credential("north")
      expect(new.user.user != old.user.user)
      expectEqual(new.signing.rawRepresentation, old.signing.rawRepresentation, "what it has signed stays its own")
      expectEqual(new.key.mark, old.key.mark)
      expect(change.steps.contains { $0.contains("scangate credential set fleet") })
      for server in ["gate1", "gate2", "gate3"] {
        try expectEqual(
          place.users(server).stations, [old.user.user, new.user.user, south.user.user])
      }
      // One at a time.
      try expect(refused(place, .certificates).contains("The exchange of the credential of north is under way"))
      try expect(refused(place, .credential(station("south"))).contains("rotate next"))
      try place.rotate(.next)
      for server in ["gate1", "gate2", "gate3"] {
        try expectEqual(place.users(server).stations, [new.user.user, south.user.user])
      }
      try expect(refused(place, .next).contains("Nothing was begun"))
    }
  }

  @Test func anAdministratorsOldAndNewKeyHoldUntilTheOldOneGoes() throws {
    try inFleet { place, change in
      let old = try #require(change.layout.administrators.first)
      try place.rotate(.administrator)
      let new = try place.settings(place.layout()).credential.user
      try expectEqual(place.users("gate2").administrators, [old, new])
      // Stations believe orders by both, and are given the new one's before anybody gives one.
      let half = try #require(NKey.publicKey(of: new))
      let former = try #require(NKey.publicKey(of: old))
      expectEqual(try place.layout().administratorKeys, [former, half])
      for key in [former, half] {
        expect(try place.text("stations/north/fleet.yaml").contains(StationKeyText.text(key)))
      }
      try place.rotate(.next)
      try expectEqual(place.users("gate2").administrators, [new])
      let section = try place.text("stations/south/fleet.yaml")
      expect(section.contains("  administrators: [\"\(StationKeyText.text(half))\"]"), "\(section)")
      try expectEqual(place.settings(place.layout()).credential.user, new)
    }
  }

  /// In each step every server is believed by every other one and by every station, whoever has taken the step and whoever has not.
  @Test func certificatesAreExchangedWithoutAServerThatIsNotBelieved() throws {
    try inFleet { place, _ in
      var certificates: [String] = []
      var authorities: [String] = []
      func keep(_ step: Int) throws {
        for (text, kept) in [("certificate.pem", 0), ("authority.pem", 1)] {
          let path = "\(place.path)/../\(step)-\(text)"
          try place.text("servers/gate1/\(text)").write(toFile: path, atomically: true, encoding: .utf8)
          if kept == 0 { certificates.append(path) } else { authorities.append(path) }
        }
        try expectEqual(place.text("stations/south/fleet-ca.pem"), place.text("servers/gate3/authority.pem"))
      }
      try keep(0)
      let key = try place.text("servers/gate1/key.pem")
      try place.rotate(.certificates)
      try keep(1)
      try expectEqual(place.text("servers/gate1/key.pem"), key)
      try place.rotate(.next)
      try keep(2)
      try expect(place.text("servers/gate1/key.pem") != key)
      try place.rotate(.next)
      try keep(3)
      for step in 0...3 {
        for other in [step - 1, step, step + 1] where (0...3).contains(other) {
          expect(try believes(authorities[step], certificates[other]), "step \(step), and a server at step \(other)")
        }
      }
      expect(try !believes(authorities[3], certificates[0]), "the former authority is believed no more")
      expect(try !believes(authorities[0], certificates[3]))
      let layout = try place.layout()
      expect(layout.rotation == nil && layout.believed == [2] && layout.authority == 2)
      let kept = try FileManager.default.contentsOfDirectory(atPath: place.path + "/keep").sorted()
      expectEqual(kept, ["administrator", "authority-2.key", "authority-2.pem", "fleet.key"])
      // And once more.
      try place.rotate(.certificates)
      try expectEqual(place.layout().believed, [2, 3])
    }
  }

  @Test func anotherEventHasABookAndAKeyOfItsOwn() throws {
    try inFleet { place, _ in
      let old = try place.credential("north")
      // A book that was made and is no more is not made anew without a word; the next one is not made yet.
      try place.noteOpened(place.layout())
      try expect(place.layout().wasOpened)
      let change = try place.rotate(.event("fair-2027"))
      try expect(!place.layout().wasOpened)
      let new = try place.credential("north")
      expect(new.key.mark != old.key.mark)
      expectEqual(new.signing.rawRepresentation, old.signing.rawRepresentation)
      try expect(place.text("stations/south/fleet.yaml").contains("name: \"fair-2027\""))
      try expectEqual(place.credential("south").key.mark, new.key.mark)
      expect(new.user.user == old.user.user)
      expect(change.steps.contains { $0.contains("While nobody passes") })
      func mayWrite(_ event: String) throws -> Bool {
        let users = try #require(place.server("gate1")["accounts"]?["FLEET"]?["users"]?.list)
        let may = try #require(users.last?["permissions"]?["publish"]?["allow"]?.list).compactMap(\.text)
        return may.contains { matches("$KV.\(event).t.00", $0) }
          && may.contains { matches("$JS.API.STREAM.MSG.GET.KV_\(event)", $0) }
      }
      try expect(mayWrite("fair-2026") && mayWrite("fair-2027"))
      try expectEqual(place.settings(place.layout()).bucket, "fair-2027")
      try expectEqual(place.settings(place.layout()).mark, new.key.mark)
      try place.rotate(.next)
      try expect(!mayWrite("fair-2026") && mayWrite("fair-2027"))
      try expect(refused(place, .event("fair-2027")).contains("every used ticket would be new"))
      try expect(refused(place, .event("Fair 2028")).contains("An event's name"))
    }
  }

  @Test func aStationThatIsRevokedIsTakenByNoServerAndStillBelieved() throws {
    try inFleet { place, _ in
      let old = try place.credential("north")
      let list = try place.text("stations/south/fleet.yaml")
      // In the midst of an exchange of its own, too.
      try place.rotate(.credential(station("north")))
      let change = try place.rotate(.revoke(station("north")))
      for server in ["gate1", "gate2", "gate3"] {
        try expectEqual(place.users(server).stations, [place.credential("south").user.user])
        let text = try place.text("servers/\(server)/nats-server.conf")
        expect(!text.contains(old.user.user))
      }
      try expectEqual(place.text("stations/south/fleet.yaml"), list, "what it has written still counts")
      expect(!FileManager.default.fileExists(atPath: place.path + "/stations/north/credential"))
      expect(change.steps.first?.hasPrefix("Now") == true && change.steps.contains { $0.contains("rotate event") })
      let layout = try place.layout()
      expect(layout.rotation == nil && layout.stations.first?.isRevoked == true)
      try expect(refused(place, .revoke(station("north"))).contains("was revoked"))
      try expect(refused(place, .credential(station("north"))).contains("was revoked"))
      try expect(refused(place, .add(station("north"))).contains("or had one"))
      try expect(refused(place, .revoke(station("west"))).contains("has no station west"))
      // Nothing of it comes back with the next event.
      try place.rotate(.event("fair-2027"))
      expect(!FileManager.default.fileExists(atPath: place.path + "/stations/north/credential"))
      try expectEqual(place.users("gate1").stations.count, 1)
    }
  }

  @Test func aStationThatIsAddedIsKnownToAllBeforeItWrites() throws {
    try inFleet { place, _ in
      let change = try place.rotate(.add(station("west")))
      let west = try place.credential("west")
      try expectEqual(west.key.mark, place.credential("north").key.mark)
      for name in ["north", "south", "west"] {
        let known = try stations(inSection: place.text("stations/\(name)/fleet.yaml"))
        expectEqual(known["west"].flatMap { StationKeyText.key($0) }, west.signing.publicKey)
        expectEqual(known.count, 3)
      }
      try expectEqual(place.users("gate3").stations.last, west.user.user)
      try expectEqual(place.text("stations/west/fleet-ca.pem"), place.text("servers/gate1/authority.pem"))
      let first = try #require(change.steps.firstIndex { $0.contains("fleet.yaml") })
      let last = try #require(change.steps.firstIndex { $0.contains("stations/west") })
      expect(first < last)
      try expect(refused(place, .add(station("west"))).contains("has a station west"))
    }
  }

  /// What was taken out of the folder is not made anew as if it had been there.
  @Test func withoutItsCredentialAStationGetsNoOther() throws {
    try inFleet { place, _ in
      try FileManager.default.removeItem(atPath: place.path + "/stations/north/credential")
      try expect(refused(place, .credential(station("north"))).contains("Revoke it, and add another one"))
      // Everything else goes on.
      try place.rotate(.credential(station("south")))
      try place.rotate(.next)
      try place.rotate(.revoke(station("north")))
    }
  }

  /// A change that was cut off before the layout was written is asked for again.
  @Test func aChangeThatWasCutOffIsAskedForAgain() throws {
    for rotation: FleetRotation in [
      .certificates, .administrator, .event("fair-2027"), .credential(try station("north")),
    ] {
      try inFleet { place, change in
        let layout = try place.layout()
        let begun = try FleetChange.rotating(rotation, layout, place.secrets(layout), at: made)
        // All but the layout.
        try place.apply(FleetChange(layout: layout, files: begun.files, removed: [], steps: []))
        try expectEqual(place.layout(), change.layout)
        try place.rotate(rotation)
        while try place.layout().rotation != nil { try place.rotate(.next) }
        let (north, now) = (try place.credential("north"), try place.layout())
        expectEqual(now.stations.first?.keys, [north.user.user])
        try expect(place.text("stations/north/fleet.yaml").contains("name: \"\(now.event)\""))
        try expectEqual(place.settings(now).mark, north.key.mark)
        try expectEqual(now.administrators, [place.settings(now).credential.user])
      }
    }
  }

  /// Whatever is asked for in whatever order: each server has each key that holds, and no other; and the folder can be read.
  @Test func whateverIsAskedTheServersHaveWhatThePlanHas() throws {
    let seed = UInt64.random(in: .min ... .max)
    var drawn = SeededGenerator(seed: seed)
    try inFleet { place, _ in
      for step in 0..<extent(landing: 30, release: 200) {
        let names = try ["north", "south", "west", "east"].map { try station($0) }
        let name = names[Int(drawn.next() % 4)]
        let rotation: FleetRotation =
          switch drawn.next() % 8 {
          case 0: .certificates
          case 1: .credential(name)
          case 2: .administrator
          case 3: .event("fair-\(step)")
          case 4: drawn.next() % 4 == 0 ? .revoke(name) : .next
          case 5: .add(name)
          default: .next
          }
        do throws(FleetFault) {
          let layout = try place.layout()
          try place.apply(try FleetChange.rotating(rotation, layout, place.secrets(layout), at: made))
        } catch { expect(error.kind == .asked, "seed \(seed), step \(step): \(rotation): \(error)") }
        let layout = try place.layout()
        let secrets = try place.secrets(layout)
        for node in layout.nodes {
          let users = try place.users(node.name)
          expectEqual(users.administrators, layout.administrators, "seed \(seed), step \(step)")
          expectEqual(users.stations, layout.stations.flatMap(\.keys), "seed \(seed), step \(step)")
        }
        let mark = try place.settings(layout).mark
        for station in layout.stations where !station.isRevoked {
          expectEqual(secrets.stations[station.name]?.key.mark, mark, "seed \(seed), step \(step)")
          expectEqual(secrets.stations[station.name]?.user.user, station.keys.last, "seed \(seed), step \(step)")
        }
      }
    }
  }
}
