import Expectations
import Foundation
import ScanModel
import Sealing
import Testing
import TicketLists
import VenueServer

/// `scangate tickets import` for members: from a service of each shape, and from a file.
@Suite struct MembersImportTests {
  /// Some day long after all tests.
  private static let end = "2099-12-31T18:00:00Z"

  /// A station whose gate admits members of a service.
  private struct Station {
    let office: OfficeVenue
    var url: String { office.address + "/api/v1" }

    func run(_ arguments: [String]) async throws -> Program.Result {
      let file = office.folder.path + "/station.yaml"
      let keys = office.folder.path + "/pass-keys.txt"
      try Data("key venue 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n".utf8).write(to: URL(filePath: keys))
      let text = """
        version: 1
        station: { name: door }
        ticketSystems:
          members: { type: subscriptions, url: "\(url)", accessToken: ftc, passes: { keys: "\(keys)" } }
        readers:
          door: { type: wedge, match: { vendor: "0c2e", product: "0901", serial: none-here }, keymap: us }
        gates:
          lounge:
            readers: [door]
            ticketSystem: members
            ticket: { tiers: [premium] }
            outputs: { green: { led: "no-such-led" } }
        """
      try Data(text.utf8).write(to: URL(filePath: file))
      let result = try await Program.run(
        ["tickets"] + arguments + ["--config", file, "--state", office.folder.path + "/state"],
        environment: ["TZ": "UTC"])
      let all = result.output + result.errors
      expect(!all.contains(office.token) && !all.contains(OfficeVenue.account), "\(all)")
      return result
    }

    func take(_ arguments: [String] = []) async throws -> Program.Result {
      try await run(["import", "--from-system", "members"] + arguments)
    }

    /// What the list on board says of a subscription.
    func find(_ id: String) throws -> ListedTicket? {
      let state = office.folder.path + "/state"
      let place = TicketListPlace(state: state, system: TicketSystemID("members"), server: "subscriptions \(url)")
      let key = try SealKeySource(state: state, given: nil).open(making: false).key
      return try TicketListReader(place, key: key).find(Code(id))
    }

    func file(_ text: String) throws -> String {
      let path = office.folder.path + "/members.csv"
      try Data(text.utf8).write(to: URL(filePath: path))
      return path
    }

    func sell(_ tier: MemberTier = .standard, in environment: ShopEnvironment = .production) async throws -> String {
      try await office.server.sell(NewSubscription(environment: environment, tier: tier, expires: end)).id
    }
  }

  private func station(
    _ shape: SubscriptionShape, misbehaviours: [String] = [], _ body: (Station) async throws -> Void
  ) async throws {
    try await OfficeVenue.with(shape, misbehaviours: misbehaviours) { try await body(Station(office: $0)) }
  }

  // MARK: From the service

  @Test func theDocumentsServiceTellsAll() async throws {
    try await station(.document) { station in
      let (first, second) = (try await station.sell(), try await station.sell(.premium))
      let test = try await station.sell(in: .sandbox)
      let taken = try await station.take()
      expect(
        taken.status == 0 && taken.output.contains("2 tickets of members are on board: 2 valid."),
        "\(taken.output)\(taken.errors)")
      for (id, tier) in [(first, "standard"), (second, "premium")] {
        let found = try station.find(id)
        expect(found?.kind == tier && found?.until == WallTime(iso8601: Self.end), "\(tier)")
      }
      expect(try station.find(test) == nil, "a test purchase")
      expect(!(taken.output + taken.errors).contains(first), "\(taken.errors)")
      // Of one user is asked all the same; this one does not listen.
      try await expectEqual(station.take(["--user", OfficeVenue.account]).status, 0)
    }
  }

  @Test func theRealServiceTellsEachUsersOwn() async throws {
    try await station(.real) { station in
      let (first, second, third) = (
        try await station.sell(), try await station.sell(.premium), try await station.sell()
      )
      try await station.office.link(OfficeVenue.account, first)
      try await station.office.link(OfficeVenue.other, second)
      let refused = try await station.take()
      expectEqual(refused.status, 69, "\(refused.output)")
      expect(
        refused.errors.contains("Nothing was imported.") && refused.errors.contains("(401): “Requires authorization.”")
          && refused.errors.contains("--user FTCID") && refused.errors.contains("scangate tickets import FILE"),
        "\(refused.errors)")
      let one = try await station.take(["--user", OfficeVenue.account])
      expect(one.status == 0 && one.output.contains("1 tickets of members are on board"), "\(one.errors)")
      expect(try station.find(first) != nil && station.find(second) == nil)
      let both = try await station.take(["--user", OfficeVenue.account, "--user", OfficeVenue.other])
      expect(both.status == 0 && both.output.contains("2 tickets of members are on board"), "\(both.errors)")
      for id in [first, second] { expect(try station.find(id) != nil) }
      expect(try station.find(third) == nil)
    }
  }

  /// A slip in an account's id is said, and takes nobody off the list.
  @Test func aUserWithoutSubscriptionsIsSaid() async throws {
    try await station(.real) { station in
      let first = try await station.sell()
      try await station.office.link(OfficeVenue.account, first)
      let mixed = try await station.take(["--user", OfficeVenue.account, "--user", OfficeVenue.other])
      expectEqual(mixed.status, 0, "\(mixed.errors)")
      expect(mixed.errors.contains("members tells no ticket of …\(OfficeVenue.other.suffix(4))"), "\(mixed.errors)")
      expect(!mixed.errors.contains(OfficeVenue.other), "\(mixed.errors)")
      let none = try await station.take(["--user", OfficeVenue.other])
      expect(none.status == 65 && none.errors.contains("Nothing was imported. It names no ticket."), "\(none.errors)")
      expect(try station.find(first) != nil)
    }
  }

  @Test func whatIsNoAccountIsNotSent() async throws {
    try await station(.real) { station in
      for user in ["", "x7 q9", "a\nX-Other: b", "ä", String(repeating: "7", count: 10_000)] {
        let result = try await station.take(["--user", user])
        expect(result.status == 64 && result.errors.contains("--user is no account's id"), "\(result.errors)")
        if !user.isEmpty { expect(!result.errors.contains(user), "\(result.errors)") }
      }
      let file = try station.file("code\n12345678\n")
      let wrong = try await station.run(["import", file, "--system", "members", "--user", OfficeVenue.account])
      expect(wrong.status == 64 && wrong.errors.contains("--user is of --from-system"), "\(wrong.errors)")
    }
  }

  @Test func aTokenThatIsNotTakenLeavesTheListAsItWas() async throws {
    for shape in SubscriptionShape.allCases {
      try await station(shape) { station in
        let first = try await station.sell()
        try await station.office.link(OfficeVenue.account, first)
        try await expectEqual(station.take(["--user", OfficeVenue.account]).status, 0)
        try await station.office.server.changeAccessTokens(.revoked)
        let refused = try await station.take(["--user", OfficeVenue.account])
        expectEqual(refused.status, 69, "\(refused.output)")
        expect(
          refused.errors.contains("does not take our access token")
            && refused.errors.contains("scangate credential set ftc"), "\(refused.errors)")
        expect(try station.find(first) != nil)
      }
    }
  }

  @Test func listsThatLieAreTakenToTheirEnd() async throws {
    for misbehaviour in ["json=total,on=desk", "json=pages,on=desk"] {
      try await station(.document, misbehaviours: [misbehaviour]) { station in
        var ids: [String] = []
        for _ in 0..<5 { ids.append(try await station.sell()) }
        let taken = try await station.take()
        expect(taken.status == 0 && taken.output.contains("5 tickets of members are on board"), "\(taken.errors)")
        for id in ids { expect(try station.find(id) != nil, "\(misbehaviour)") }
      }
    }
  }

  // MARK: From a file

  /// An id and a signed pass of it are one; the pass is the one of docs/memberships.md.
  @Test func aFileNamesIdsOrPasses() async throws {
    try await station(.real) { station in
      let document = try String(contentsOf: repositoryFile("docs/memberships.md"), encoding: .utf8)
      let pass = try #require(document.split(separator: "\n").first { $0.hasPrefix("SCANPASS1:AEQ") })
      let file = try station.file(
        """
        code,valid_until,tier
        30000781417036,2099-06-30,standard
        \(pass.lowercased()),2099-12-31T18:00:00Z,premium
        """)
      let taken = try await station.run(["import", file, "--system", "members"])
      expect(taken.status == 0 && taken.output.contains("are on board"), "\(taken.output)\(taken.errors)")
      let standard = try station.find("30000781417036")
      // To the end of the day.
      expect(standard?.kind == "standard" && standard?.until == WallTime(iso8601: "2099-07-01T00:00:00Z"))
      let premium = try station.find("1000000619244062")
      expect(premium?.kind == "premium" && premium?.until == WallTime(iso8601: Self.end))
      expect(!(taken.output + taken.errors).contains("30000781417036"), "\(taken.errors)")
      let status = try await station.run(["status"])
      expect(status.status == 0 && status.output.contains("members: 2 tickets"), "\(status.output)")
    }
  }
}
