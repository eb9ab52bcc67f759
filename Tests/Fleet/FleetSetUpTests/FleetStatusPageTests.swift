import Expectations
import FleetBook
import JetStreamClaims
import ScanModel
import Testing

@testable import FleetSetUp

/// What a fleet's page says.
@Suite struct FleetStatusPageTests {
  private static let now = WallTime(seconds: 1_800_000_000)

  private func follower(_ name: String, lag: Int64 = 0, silent: Duration = .milliseconds(300)) -> FleetFacts.Follower {
    .init(name: name, isCurrent: lag == 0, isOffline: false, lag: lag, silence: silent)
  }

  /// Three servers that are well.
  private func status(_ change: (inout FleetStatus) throws -> Void = { _ in }) throws -> FleetStatus {
    var facts = FleetFacts()
    facts.leader = "gate1"
    facts.followers = [follower("gate2"), follower("gate3")]
    facts.servers = ["gate1", "gate2", "gate3"].map {
      .init(name: $0, version: "2.10.27", disk: (used: 1_234_567, most: 1_000_000_000))
    }
    facts.bucket = .init(
      replicas: 3, isClosed: false, keys: 1_204, bytes: 1_100_000, most: 500_000_000, last: ClaimRevision(4_000))
    var status = FleetStatus(
      facts: facts, nodes: try ["gate1", "gate2", "gate3=10.0.0.13"].map { try node($0) },
      stations: try [station("south"), station("north")], now: Self.now)
    status.words = [try station("north"): WallTime(seconds: Self.now.seconds - 12)]
    status.rate = 3.25
    try change(&status)
    return status
  }

  private func page(_ status: FleetStatus) -> String {
    status.page(fleet: "summer", event: "fair-2026").joined(separator: "\n")
  }

  @Test func whereAllIsWell() throws {
    let status = try status()
    expect(status.isWell && status.hasQuorum)
    expectEqual(
      page(status),
      """
      Fleet summer, event fair-2026: all servers are there

        gate1  leads    nats-server 2.10.27  1.2 MB of 1000.0 MB on its disk
        gate2  follows  nats-server 2.10.27  1.2 MB of 1000.0 MB on its disk
        gate3  follows  nats-server 2.10.27  1.2 MB of 1000.0 MB on its disk

      Claims: 1204, in 1.1 MB of 500.0 MB, 3.3 writes a second

      Stations, and when each has written last:
        north  12 s ago
        south  nothing that was looked at
      """)
  }

  @Test func oneThatIsAwayIsNamedAndHowManyMoreMayBeLost() throws {
    let status = try status {
      $0.facts.followers[1] = follower("gate3", lag: 40, silent: .seconds(200))
      $0.facts.servers.removeLast()
    }
    let page = page(status)
    expect(status.hasQuorum && !status.isWell)
    expect(page.contains("a majority is there, and no other server may be lost"), "\(page)")
    expect(page.contains("gate3  IS AWAY, for 3 min, 40 writes behind"), "\(page)")
  }

  @Test func oneThatLagsIsNamed() throws {
    let status = try status { $0.facts.followers[0] = follower("gate2", lag: 7) }
    expect(status.hasQuorum && !status.isWell)
    expect(page(status).contains("gate2  LAGS, 7 writes behind"))
  }

  @Test func withoutAMajorityNothingCanBeClaimed() throws {
    for status in [
      try status {
        $0.facts.followers = [follower("gate2", silent: .seconds(9)), follower("gate3", silent: .seconds(9))]
      },
      try status { $0.facts.leader = nil },
    ] {
      expect(!status.hasQuorum && !status.isWell)
      expect(page(status).contains("NO MAJORITY") && page(status).contains("2 have to be"), "\(page(status))")
    }
    let none = try status { $0.facts = FleetFacts() }
    expect(!none.hasQuorum && page(none).contains("no server answers") && page(none).contains("DOES NOT ANSWER"))
    let noBook = try status {
      $0.facts.bucket = nil
      $0.facts.leader = nil
      $0.facts.followers = []
    }
    expect(!noBook.hasQuorum && page(noBook).contains("there is no book, or nobody leads it"))
  }

  @Test func oneServerAlone() throws {
    let status = try status {
      $0.nodes = [try node("gate1")]
      $0.facts.followers = []
      $0.facts.servers = [$0.facts.servers[0]]
      $0.facts.bucket?.replicas = 1
    }
    expect(status.isWell && page(status).contains("all servers are there"), "\(page(status))")
  }

  @Test func whatMayNotBeReliedOnIsTold() throws {
    let changes: [(String, (inout FleetStatus) -> Void)] = [
      ("IS TOO OLD", { $0.facts.servers[1].isRelied = false }),
      ("leads, ACKNOWLEDGES BEFORE IT SYNCS", { $0.facts.servers[0].syncsAlways = false }),
      ("HAS NO COPY", { $0.facts.followers.removeLast() }),
      ("DOES NOT ANSWER", { $0.facts.servers.removeLast() }),
      ("The bucket x is another fleet's.", { $0.facts.fault = .otherVersion("The bucket x is another fleet's.") }),
      ("the book is CLOSED", { $0.facts.bucket?.isClosed = true }),
      ("NEARLY FULL", { $0.facts.bucket?.bytes = 450_000_000 }),
    ]
    for (words, change) in changes {
      let status = try status { change(&$0) }
      expect(!status.isWell && page(status).contains(words), "\(words): \(page(status))")
    }
  }

  /// What servers say moves no cursor, and who should not be there is named.
  @Test func strangersAreNamedAndNothingThatTheySaySpoilsTheTerminal() throws {
    let status = try status {
      $0.facts.servers.append(.init(name: "evil\u{1B}[2J", version: "9\n9"))
      $0.words[try station("ghost")] = Self.now
      $0.words[try station("south")] = Self.now + .seconds(30)
      $0.revoked = [try station("north")]
      $0.facts.servers[1].version = "2\u{7}"
    }
    let page = page(status)
    expect(page.contains("is none of the fleet's servers, and answers"), "\(page)")
    expect(page.contains("ghost is none of the fleet's stations"), "\(page)")
    expect(page.contains("south  just now") && page.contains("north  revoked"), "\(page)")
    expect(page.unicodeScalars.allSatisfy { $0 == "\n" || TerminalText.isHarmless($0) })
  }

  @Test func whatStationsSayIsCountedAndCompared() throws {
    let status = try status {
      $0.said = [
        try station("north"): try word("north", in: 812, out: 3),
        try station("south"): try word("south", in: 1, out: 5),
      ]
    }
    let page = page(status)
    expect(status.isWell, "\(page)")
    expect(page.contains("north  12 s ago                    scangate 1.4.0, 812 in, 3 out"), "\(page)")
    expect(page.contains("In and not out, as stations have told: 805"), "\(page)")
    let former = try self.status { $0.said = [try station("south"): try word("south")] }
    expect(
      self.page(former).contains("as stations have told: 0, without north: a former program"), "\(self.page(former))")
  }

  @Test func whatSomebodyHasToLookAtIsNamed() throws {
    let north = try station("north")
    let changes: [(String, (inout FleetStatus) throws -> Void)] = [
      ("This machine's clock is 5.0 s ahead of the leader's", { $0.facts.clockAhead = .seconds(5) }),
      ("gate2  ITS CLOCK IS 60 S BEHIND THE LEADER'S", { $0.facts.servers[1].clockAhead = .seconds(-60) }),
      (
        "The clock of north was 2 min behind the fleet's",
        { $0.said = [north: try word("north") { $0.clockAhead = .seconds(-130) }] }
      ),
      (
        "south has another scope",
        {
          $0.said = [
            north: try word("north"), try station("south"): try word("south") { $0.systems[0].scope = 3 },
          ]
        }
      ),
      (
        "The certificate of the server gate1:4222 ends in 9 days",
        { $0.certificates = [.init(owner: "the server gate1:4222", ends: Self.now + .seconds(10 * 86_400 - 60))] }
      ),
      (
        "north  REVOKED, AND WRITES ON: 12 s ago",
        {
          $0.revoked = [north]
          $0.revokedAt = [north: WallTime(seconds: Self.now.seconds - 60)]
        }
      ),
    ]
    for (words, change) in changes {
      let status = try status(change)
      expect(!status.isWell && page(status).contains(words), "\(words): \(page(status))")
    }
    // What it wrote before counts, and is no fault.
    let before = try status {
      $0.revoked = [north]
      $0.revokedAt = [north: Self.now]
    }
    expect(before.isWell && page(before).contains("north  revoked"), "\(page(before))")
  }

  @Test(arguments: [
    (5, "5 s ago"), (119, "119 s ago"), (120, "2 min ago"), (7_200, "2 h ago"), (200_000, "2 d ago"),
  ]) func agesAreSpokenAsPeopleDo(_ seconds: Int64, _ words: String) throws {
    let status = try status {
      $0.words = [try station("north"): WallTime(seconds: Self.now.seconds - seconds)]
    }
    expect(page(status).contains("north  \(words)"), "\(page(status))")
  }
}
