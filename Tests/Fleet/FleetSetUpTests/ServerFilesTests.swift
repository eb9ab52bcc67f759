import Expectations
import FleetBook
import Foundation
import JetStreamClaims
import Testing

@testable import FleetSetUp

/// What a server is given, read by its own grammar.
@Suite struct ServerFilesTests {
  @Test func eachServerSyncsProvesItselfAndKnowsTheOthers() throws {
    let change = try FleetChange.making(wish(), at: made)
    let routes = [
      "gate1": ["tls://gate2.venue.example:6222", "tls://10.0.0.13:6222"],
      "gate2": ["tls://gate1:6222", "tls://10.0.0.13:6222"],
      "gate3": ["tls://gate1:6222", "tls://gate2.venue.example:6222"],
    ]
    for (name, others) in routes {
      let server = try change.server(name)
      expectEqual(server["server_name"]?.text, name)
      expectEqual(server["port"]?.text, "4222")
      expectEqual(server["jetstream"]?["sync_interval"]?.text, "always")
      expectEqual(server["jetstream"]?["store_dir"]?.text, "/var/lib/scangate-fleet")
      expectEqual(
        server["jetstream"]?["max_file_store"]?.text, "1250000000", "two events that follow each other, and their lists"
      )
      expectEqual(server["tls"]?["cert_file"]?.text, "/etc/scangate-fleet/certificate.pem")
      expectEqual(server["tls"]?["key_file"]?.text, "/etc/scangate-fleet/key.pem")
      let cluster = try #require(server["cluster"])
      expectEqual(cluster["name"]?.text, "summer")
      expectEqual(cluster["port"]?.text, "6222")
      expectEqual(cluster["routes"]?.list?.compactMap(\.text), others)
      let advertised = ["gate1": "gate1:6222", "gate2": "gate2.venue.example:6222", "gate3": "10.0.0.13:6222"]
      expectEqual(cluster["advertise"]?.text, advertised[name], "as its certificate has it, not by its number")
      expectEqual(cluster["tls"]?["verify"]?.text, "true", "a server believes none that is not proven")
      expectEqual(cluster["tls"]?["timeout"]?.text, "10", "two seconds are too few for two busy machines")
      expectEqual(cluster["tls"]?["ca_file"]?.text, "/etc/scangate-fleet/authority.pem")
    }
  }

  @Test func whatOneConnectionMayTakeIsBounded() throws {
    let server = try FleetChange.making(wish(), at: made).server("gate1")
    let bounds = [
      "max_connections": "1024", "max_subscriptions": "64", "max_payload": "131072", "max_pending": "16MB",
      "ping_interval": "10s", "ping_max": "3",
    ]
    for (name, value) in bounds { expectEqual(server[name]?.text, value, "\(name)") }
    expectEqual(server["tls"]?["connection_rate_limit"]?.text, "100")
    // Nobody comes in by another door: no monitoring, no web sockets, no other protocol, and nobody without a key.
    expectEqual(
      server.names,
      Set(bounds.keys).union([
        "server_name", "host", "port", "tls", "jetstream", "accounts", "system_account", "cluster",
      ]))
    expectEqual(server["accounts"]?.names, ["SYS", "FLEET"])
    expectEqual(server["accounts"]?["SYS"]?.names, ["exports"], "the servers' own account has no users")
  }

  @Test func oneServerAloneHasNoRoutes() throws {
    let change = try FleetChange.making(
      wish {
        $0.nodes = [try node("office")]
        $0.port = 4_333
      }, at: made)
    let server = try change.server("office")
    expect(server["cluster"] == nil)
    expectEqual(server["port"]?.text, "4333")
    expectEqual(change.layout.servers.map(\.description), ["office:4333"])
  }

  @Test func aStationMayClaimAndLookAndNothingElse() throws {
    let change = try FleetChange.making(wish(), at: made)
    for name in ["gate1", "gate2", "gate3"] {
      let users = try #require(try change.server(name)["accounts"]?["FLEET"]?["users"]?.list)
      expectEqual(users.count, 3)
      expectEqual(users[0]["nkey"]?.text, change.layout.administrators.first)
      expect(users[0]["permissions"] == nil)
      for (user, station) in zip(users.dropFirst(), change.layout.stations) {
        expectEqual(user.names, ["nkey", "permissions"], "no password is another way in")
        expectEqual(user["nkey"]?.text, station.keys.first)
        let allowed = try #require(user["permissions"]?["publish"]?["allow"]?.list).compactMap(\.text)
        func may(_ subject: String) -> Bool { allowed.contains { matches(subject, $0) } }
        for subject in [
          "$KV.fair-2026.t.00", "$JS.API.STREAM.INFO.KV_fair-2026", "$JS.API.STREAM.MSG.GET.KV_fair-2026",
          "$SYS.REQ.SERVER.PING.JSZ",
        ] {
          expect(may(subject), "\(subject)")
        }
        for verb in [
          "CREATE", "UPDATE", "DELETE", "PURGE", "SNAPSHOT", "RESTORE", "MSG.DELETE", "LEADER.STEPDOWN", "PEER.REMOVE",
        ] {
          expect(!may("$JS.API.STREAM.\(verb).KV_fair-2026"), "\(verb)")
          expect(!may("$JS.API.STREAM.\(verb).KV_other"), "\(verb)")
        }
        for subject in [
          "$KV.other.t.00", "$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES", "$JS.API.INFO",
          "$JS.API.ACCOUNT.PURGE.FLEET",
          "$JS.API.META.LEADER.STEPDOWN", "$JS.API.SERVER.REMOVE", "$JS.API.STREAM.INFO.KV_other",
          "$JS.API.STREAM.TEMPLATE.CREATE.x", "$JS.API.CONSUMER.CREATE.KV_other.x",
          // By a consumer the servers would say for a station what it may not.
          "$JS.API.CONSUMER.CREATE.KV_fair-2026", "$JS.API.CONSUMER.CREATE.KV_fair-2026.x",
          "$JS.API.CONSUMER.DURABLE.CREATE.KV_fair-2026.x", "$JS.API.CONSUMER.MSG.NEXT.KV_fair-2026.x",
          "$JS.API.CONSUMER.LIST.KV_fair-2026",
          "$JS.API.DIRECT.GET.KV_fair-2026", "$SYS.REQ.SERVER.PING", "$SYS.REQ.SERVER.X.RELOAD",
          "$SYS.REQ.SERVER.PING.VARZ", "_INBOX.x", "$JS.ACK.KV_fair-2026.x.1.1.1.1.1", ">",
        ] {
          expect(!may(subject), "\(subject)")
        }
        for other in change.layout.stations {
          // What it says of itself nobody else says.
          expect(may("$KV.fair-2026.\(ClaimKey.word(of: other.name))") == (other == station))
        }
        // Lists of tickets below its own name, and to read those of all.
        for subject in [
          "LISTS.fair-2026.\(station.name).00.m", "$JS.API.STREAM.INFO.LISTS_fair-2026",
          "$JS.API.STREAM.MSG.GET.LISTS_fair-2026",
        ] {
          expect(may(subject), "\(subject)")
        }
        let others = change.layout.stations.filter { $0.name != station.name }.map { "LISTS.fair-2026.\($0.name).00.m" }
        for subject in others + [
          "LISTS.other.\(station.name).00.m", "LISTS.fair-2026.m", "$JS.API.STREAM.DELETE.LISTS_fair-2026",
          "$JS.API.STREAM.PURGE.LISTS_fair-2026", "$JS.API.CONSUMER.CREATE.LISTS_fair-2026.x",
        ] {
          expect(!may(subject), "\(subject)")
        }
        let own = try #require(station.keys.first)
        expectEqual(user["permissions"]?["subscribe"]?["allow"]?.list?.compactMap(\.text), ["_INBOX.\(own).>"])
      }
    }
  }

  @Test func debiansUnitTakesTheFileAndAFolderOfItsOwn() throws {
    let change = try FleetChange.making(wish(), at: made)
    let lines = try change.text("servers/gate1/scangate.conf").split(separator: "\n").map(String.init)
    // The first one takes Debian's own away.
    let starts = lines.filter { $0.hasPrefix("ExecStart=") }
    expectEqual(starts, ["ExecStart=", "ExecStart=/usr/sbin/nats-server -c /etc/scangate-fleet/nats-server.conf"])
    // Of Debian's, which has /bin/kill do it, nothing is left.
    expectEqual(
      lines.filter { $0.hasPrefix("ExecReload=") }, ["ExecReload=", #"ExecReload=/bin/sh -c "kill -HUP $MAINPID""#])
    expectEqual(lines.filter { $0.hasPrefix("ExecStop=") }, ["ExecStop="])
    for line in ["KillSignal=SIGINT", "Restart=always", "StateDirectory=scangate-fleet", "ProtectSystem=strict"] {
      expect(lines.contains(line), "\(line)")
    }
    let folder = try #require(change.server("gate1")["jetstream"]?["store_dir"]?.text)
    expectEqual(folder, "/var/lib/scangate-fleet", "what the unit lets it write")
  }

  @Test func theInstallerRefusesAnOldServerAndPutsKeysWhereTheServerAloneReadsThem() throws {
    let text = try FleetChange.making(wish(), at: made).text("servers/gate2/install.sh")
    expect(text.hasPrefix("#!/bin/sh\n"))
    let old = try #require(text.range(of: "ge 2.10.27"))
    let put = try #require(text.range(of: "-o root -g nats -m 640"))
    let start = try #require(text.range(of: "systemctl restart nats-server"))
    expect(old.lowerBound < put.lowerBound && put.lowerBound < start.lowerBound)
    expect(text.contains("the server gate2 of the fleet summer"))
  }
}
