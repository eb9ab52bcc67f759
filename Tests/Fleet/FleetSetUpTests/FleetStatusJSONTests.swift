import Expectations
import FleetBook
import JetStreamClaims
import ScanModel
import Testing

@testable import FleetSetUp

/// What `scangate fleet status --json` says, and how well it takes a fleet to be.
@Suite struct FleetStatusJSONTests {
  private func status(_ change: (inout FleetStatus) throws -> Void = { _ in }) throws -> FleetStatus {
    var facts = FleetFacts()
    facts.leader = "gate1"
    facts.followers = [
      .init(name: "gate2", isCurrent: true, isOffline: false, lag: 0, silence: .milliseconds(300)),
      .init(name: "gate3", isCurrent: false, isOffline: true, lag: 40, silence: .seconds(200)),
    ]
    facts.servers = ["gate1", "gate2"].map {
      .init(name: $0, version: "2.10.27", disk: (used: 1_234_567, most: 1_000_000_000))
    }
    facts.bucket = .init(
      replicas: 3, isClosed: false, keys: 1_204, bytes: 1_100_000, most: 500_000_000, last: ClaimRevision(4_000))
    var status = FleetStatus(
      facts: facts, nodes: try ["gate1", "gate2", "gate3=10.0.0.13"].map { try node($0) },
      stations: try [station("south"), station("north")], now: made)
    status.words = [
      try station("north"): WallTime(seconds: made.seconds - 12),
      try station("ghost"): WallTime(seconds: made.seconds + 3),
    ]
    status.rate = 3.25
    status.said = [try station("north"): try word("north", in: 812, out: 3)]
    status.certificates = [.init(owner: "the server gate1:4222", ends: made + .seconds(40 * 86_400))]
    try change(&status)
    return status
  }

  @Test func everythingThatThePageSaysIsThereByName() throws {
    let text = try status().json(fleet: "summer", event: "fair-2026", rotation: "The exchange")
    expectEqual(
      text,
      """
      {"fleet":"summer","event":"fair-2026","seen_by":null,"at":"\(made.iso8601)","health":"look",\
      "words":"a majority is there, and no other server may be lost","fault":null,"maintenance":null,"leader":"gate1","present":2,"majority":2,\
      "servers":[{"name":"gate1","host":"gate1","leads":true,"trouble":null,"behind":null,"silent_s":null,"version":"2.10.27",\
      "disk_bytes":1234567,"disk_most_bytes":1000000000,"clock_ahead_ms":null},\
      {"name":"gate2","host":"gate2","leads":false,"trouble":null,"behind":0,"silent_s":0,"version":"2.10.27",\
      "disk_bytes":1234567,"disk_most_bytes":1000000000,"clock_ahead_ms":null},\
      {"name":"gate3","host":"10.0.0.13","leads":false,"trouble":"IS AWAY, for 3 min, 40 writes behind","behind":40,"silent_s":200,\
      "version":null,"disk_bytes":null,"disk_most_bytes":null,"clock_ahead_ms":null}],"strangers":[],\
      "book":{"claims":1204,"bytes":1100000,"most_bytes":500000000,"closed":false,"nearly_full":false,"last_write":4000,\
      "writes_per_minute":195},\
      "stations":[{"name":"ghost","last_word":"\(WallTime(seconds: made.seconds + 3).iso8601)","age_s":0,"revoked":false,"stranger":true,\
      "writes_on":false,"version":null,"admitted":null,"left":null,"clock_ahead_ms":null},\
      {"name":"north","last_word":"\(WallTime(seconds: made.seconds - 12).iso8601)","age_s":12,"revoked":false,"stranger":false,\
      "writes_on":false,"version":"1.4.0","admitted":812,"left":3,"clock_ahead_ms":null},\
      {"name":"south","last_word":null,"age_s":null,"revoked":false,"stranger":false,\
      "writes_on":false,"version":null,"admitted":null,"left":null,"clock_ahead_ms":null}],"rotation":"The exchange",\
      "remarks":[],"in_house":809,"clock_ahead_ms":null,\
      "certificates":[{"of":"the server gate1:4222","ends":"\((made + .seconds(40 * 86_400)).iso8601)"}]}
      """)
  }

  @Test func whatAllWereOrderedIsSaid() throws {
    let order = FleetOrder(
      number: 1, isMaintenance: true, who: "Anna \"A\"", why: "fire", at: WallTime(seconds: made.seconds - 60))
    func well(_ order: FleetOrderReading?) throws -> FleetStatus {
      try status {
        $0.facts.followers[1] = .init(name: "gate3", isCurrent: true, isOffline: false, lag: 0, silence: .zero)
        $0.facts.servers.append(.init(name: "gate3", version: "2.10.27"))
        $0.order = order
      }
    }
    expectEqual(try well(nil).health, .well)
    let on = try well(.known(order))
    expectEqual(on.health, .look)
    let text = on.json(fleet: "summer", event: "fair-2026")
    let since = WallTime(seconds: made.seconds - 60).iso8601
    expect(text.contains(#""maintenance":{"who":"Anna \"A\"","why":"fire","since":"\#(since)"}"#), "\(text)")
    let page = on.page(fleet: "summer", event: "fair-2026").joined(separator: "\n")
    expect(page.contains("  MAINTENANCE: nobody is let in at any gate.") && page.contains("by Anna"), "\(page)")
    var ended = order
    ended.isMaintenance = false
    expectEqual(try well(.known(ended)).health, .well)
    expect(try well(.known(ended)).json(fleet: nil, event: "e").contains(#""maintenance":null"#))
    let garbage = try well(.unusable("it is none"))
    expectEqual(garbage.health, .look)
    expect(garbage.page(fleet: nil, event: "e").contains { $0.contains("counts for nothing: it is none") })
  }

  @Test func whatIsNotKnownIsNull() throws {
    let text = try status {
      $0.facts = FleetFacts()
      $0.words = [:]
      $0.rate = nil
      $0.viewer = try station("north")
    }.json(fleet: nil, event: "fair-2026")
    expect(text.hasPrefix(#"{"fleet":null,"event":"fair-2026","seen_by":"north""#), "\(text)")
    for part in [#""leader":null"#, #""book":null"#, #""health":"none""#, #""words":"no server answers""#] {
      expect(text.contains(part), "\(part): \(text)")
    }
  }

  @Test func healthIsTheExit() throws {
    func health(_ change: (inout FleetStatus) throws -> Void) throws -> FleetStatus.Health { try status(change).health }
    try expectEqual(
      health {
        $0.facts.followers[1] = .init(name: "gate3", isCurrent: true, isOffline: false, lag: 0, silence: .zero)
        $0.facts.servers.append(.init(name: "gate3", version: "2.10.27"))
      }, .well)
    try expectEqual(health { _ in }, .look)
    try expectEqual(health { $0.facts.bucket?.isClosed = true }, .none)
    try expectEqual(health { $0.facts.leader = nil }, .none)
    try expectEqual(health { $0.facts.fault = .otherVersion("too old") }, .none)
    // It was not judged yet.
    try expectEqual(health { $0.facts.fault = .noQuorum }, .look)
  }

  @Test func aClosedBookIsSaidFirst() throws {
    let status = try status {
      $0.facts.bucket?.isClosed = true
      $0.viewer = try station("north")
    }
    expectEqual(
      status.page(fleet: nil, event: "fair-2026").first,
      "Event fair-2026, as the station north sees it: the book is CLOSED. Nobody is let in by it any more")
  }

  /// A station's file names no servers, only where they are.
  @Test func aStationTakesTheServersNamesFromWhatTheySay() throws {
    let servers: [FleetServer] = ["10.0.0.11", "10.0.0.12"].map { .init(host: $0, port: 4_222) }
    try expectEqual(
      FleetStatus.nodes(of: status().facts, servers: servers).map(\.name), ["gate1", "gate2", "gate3"])
    expectEqual(
      FleetStatus.nodes(of: FleetFacts(), servers: servers).map(\.description),
      ["server-1=10.0.0.11", "server-2=10.0.0.12"])
    // A name that is none moves no cursor.
    var facts = FleetFacts()
    facts.leader = "evil\u{1B}[2J"
    facts.servers = [.init(name: "gate1", version: "2.10.27")]
    expectEqual(FleetStatus.nodes(of: facts, servers: servers).map(\.name), ["gate1"])
  }
}
