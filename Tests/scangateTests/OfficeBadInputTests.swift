import Expectations
import Foundation
import ScanModel
import ScriptedHTTP
import Sealing
import Testing
import VenueServer

/// What no service should say, said to the office.
@Suite struct OfficeBadInputTests {
  private static let id = "30000781417036"
  private static let good =
    #"{"environment":"Production","originalTransactionId":"30000781417036","lastTransactionId":"30000781417036","productId":"x","purchaseDateUtc":"2020-06-11T02:53:00Z","expiresDateUtc":"2020-07-11T02:53:00Z","tier":"standard","cycle":"month","autoRenewal":true,"createdUtc":"2020-06-11T02:56:12Z","updatedUtc":"2020-06-11T02:56:12Z"}"#

  /// Runs commands against a server that answers one thing.
  private func run(
    _ commands: [[String]], against status: Int, _ body: String, type: String = "application/json"
  ) async throws -> [Program.Result] {
    let server = try await DeskServer.start { _ in .init(status, body, type: type) }
    var results: [Program.Result] = []
    for command in commands {
      let result = try await Program.run(
        ["membership"] + command + [
          "--server", server.address + "/api/v1", "--token", "main", "--state", server.folder.path + "/state",
        ])
      let all = result.output + result.errors
      expect(!all.contains(DeskServer.key), "\(all)")
      expect(
        all.split(separator: "\n").allSatisfy { $0.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) } }, "\(all)"
      )
      results.append(result)
    }
    await server.end()
    return results
  }

  /// Fields of another type, null, missing or strange are shown as they are told, or not at all; nothing ends the program.
  @Test func fieldsOfAnyTypeAreShownOrMissing() async throws {
    let names = [
      "environment", "lastTransactionId", "productId", "purchaseDateUtc", "expiresDateUtc", "tier", "cycle",
      "autoRenewal", "createdUtc", "updatedUtc",
    ]
    let values = [
      "null", "7", "-1e400", "[]", "{}", "true", #""""#, #""\u001b[2J""#, #""0001-01-01T00:00:00Z""#,
      #""2020-07-11T02:53:00.123456+08:00""#,
    ]
    for (index, name) in names.enumerated() {
      let value = values[index % values.count]
      let pattern = try Regex("\"\(name)\":(\"[^\"]*\"|true)")
      let body = Self.good.replacing(pattern, with: "\"\(name)\":\(value)", maxReplacements: 1)
      for result in try await run([["show", Self.id], ["show", Self.id, "--json"]], against: 200, body) {
        expectEqual(result.status, 0, "\(name) \(value): \(result.errors)")
      }
    }
  }

  @Test func anotherSubscriptionThanWasAskedForIsNone() async throws {
    let other = Self.good.replacing(
      "\"originalTransactionId\":\"30000781417036\"", with: "\"originalTransactionId\":\"40000781417036\"")
    for body in [
      other, "{}", "[]", "null", "7", Self.good.replacing("30000781417036", with: ""),
      // Twice: two readers could take two different values of it.
      Self.good.dropLast() + #","tier":"premium"}"#, String(Self.good.dropLast(20)),
      String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), "",
    ] {
      let results = try await run([["show", Self.id], ["receipt", Self.id]], against: 200, String(body))
      for result in results { expectEqual(result.status, 69, "\(body.prefix(60)): \(result.errors)") }
    }
  }

  @Test func anAnswerThatIsNoJSONOrTooLongIsNone() async throws {
    let huge = #"{"padding":""# + String(repeating: "x", count: 17 << 20) + #""}"#
    for (status, body, type) in [
      (200, "<html>Guest network</html>", "text/html"), (200, Self.good, "text/plain"), (302, "", "text/html"),
      (200, huge, "application/json"), (404, "404 page not found\n", "text/plain"), (404, "{}", "application/json"),
      (503, "<html></html>", "text/html"),
    ] {
      let result = try await run([["show", Self.id]], against: status, body, type: type)[0]
      expectEqual(result.status, 69, "\(status) \(type): \(result.errors)")
    }
  }

  /// What a cache has kept is not what the service knows; what has come through one is.
  @Test func whatACacheTellsIsNotShown() async throws {
    let body = String(Self.good.dropLast()) + #","receipt":"cmVjZWlwdA==","data":[\#(Self.good)]}"#
    let commands = [["show", Self.id], ["receipt", Self.id], ["list"], ["list", "--json"]]
    for (age, status) in [("1", 69), ("86400", 69), ("x", 69), ("0", 0)] {
      let results = try await run(commands, against: 200, body, type: "application/json\r\nAge: \(age)")
      for result in results {
        expectEqual(result.status, Int32(status), "\(age): \(result.errors)")
        expectEqual(result.errors.contains("from a cache on the way (Age: \(age))"), status != 0, "\(result.errors)")
        expectEqual(result.output.isEmpty, status != 0, "\(age): \(result.output)")
      }
    }
  }

  /// A change that was answered by something else may have been done.
  @Test func changesThatAreAnsweredByNobodyKnowsWhoAreInDoubt() async throws {
    for (status, body, type) in [
      (200, "<html></html>", "text/html"), (200, "{", "application/json"), (302, "", "text/html"),
      (500, #"{"message":"Error 1213: Deadlock"}"#, "application/json"), (403, "<html></html>", "text/html"),
    ] {
      let command = ["unlink", OfficeVenue.account, Self.id, "--yes"]
      let result = try await run([command], against: status, body, type: type)[0]
      expectEqual(result.status, 76, "\(status) \(type): \(result.errors)")
      expect(result.errors.contains("was not sent again"), "\(result.errors)")
    }
  }

  /// It is 204 alone that says that a membership was deleted.
  @Test func anUnlinkIsDoneByOneStatus() async throws {
    let command = ["unlink", OfficeVenue.account, Self.id, "--yes"]
    for (status, body) in [(200, "{}"), (200, #"{"message":"still linked"}"#), (202, "{}"), (200, "<html></html>")] {
      for result in try await run([command, command + ["--json"]], against: status, body) {
        expectEqual(result.status, 76, "\(status) \(body): \(result.errors)")
        expectEqual(result.output, "")
        expect(result.errors.contains("answered \(status) to POST /apple/unlink, and not 204"), "\(result.errors)")
        expect(result.errors.contains("scangate membership list --user FTCID"), "\(result.errors)")
      }
    }
  }

  /// The link may have been made all the same: neither "nothing was done", nor told as the result.
  @Test func aLinkThatIsAnsweredByAnotherSubscriptionsMembershipIsInDoubt() async throws {
    for body in [
      #"{"ftcId":"\#(OfficeVenue.account)","tier":"premium","appleSubsId":"40000781417036"}"#,
      #"{"ftcId":"\#(OfficeVenue.account)","tier":"premium","appleSubsId":null}"#,
    ] {
      let server = try await DeskServer.start { .init(200, $0.method == "GET" ? Self.good : body) }
      for more in [[], ["--json"]] {
        let result = try await Program.run(
          [
            "membership", "link", OfficeVenue.account, Self.id, "--server", server.address + "/api/v1", "--token",
            "main",
            "--state", server.folder.path + "/state",
          ] + more)
        expectEqual(result.status, 76, "\(result.errors)")
        expectEqual(result.output, "")
        expect(result.errors.contains("a membership that is not of …7036"), "\(result.errors)")
        expect(result.errors.contains("scangate membership list --user FTCID"), "\(result.errors)")
      }
      await server.end()
    }
  }

  /// Two texts in one body, of which the first counts; messages that steer terminals or hold what is secret.
  @Test func refusalsAreReadWhateverIsInThem() async throws {
    let command = ["unlink", OfficeVenue.account, Self.id, "--yes"]
    let first = #"{"message":"Missing required field","error":{"field":"ftcId","code":"missing_field"}}"#
    for (body, words) in [
      (first + "\n" + #"{"message":"Not Found"}"#, "“Missing required field”, ftcId/missing_field."),
      (#"{"message":"x","field":"a","code":7}"#, "“x”, a/7."),
      (#"{"message":"x","error":null,"field":"a","code":"b"}"#, "a/b"),
      (#"{"message":"\u001b[2J\#(DeskServer.key) of \#(Self.id)"}"#, "…7036"),
      (#"{"message":"x","error":{"field":{},"code":[]}}"#, "“x”."), (#"{"message":""}"#, "(422)."),
    ] {
      let result = try await run([command], against: 422, body)[0]
      expectEqual(result.status, 1, "\(body): \(result.errors)")
      expect(result.errors.contains(words), "\(body): \(result.errors)")
      expect(!result.errors.contains(Self.id) && !result.errors.contains(OfficeVenue.account), "\(result.errors)")
    }
  }

  /// `list` alone has --user; everything else is told what may be the cause.
  @Test func a401InOtherWordsNamesOptionsThatThereAre() async throws {
    let commands = [
      ["show", Self.id], ["receipt", Self.id], ["refresh", Self.id], ["link", OfficeVenue.account, Self.id],
      ["unlink", OfficeVenue.account, Self.id, "--yes"],
    ]
    for result in try await run(commands, against: 401, #"{"message":"Requires authorization."}"#) {
      expectEqual(result.status, 1, "\(result.errors)")
      expect(!result.errors.contains("Say it with --user"), "\(result.errors)")
      expect(
        result.errors.contains("It may be the access token: ")
          && result.errors.contains("scangate credential set main"),
        "\(result.errors)")
    }
    let list = try await run([["list"]], against: 401, #"{"message":"Requires authorization."}"#)[0]
    expect(list.errors.contains("Say it with --user."), "\(list.errors)")
  }

  @Test func listsThatAreNone() async throws {
    for body in ["{}", #"{"data":null}"#, #"{"data":7}"#, "7"] {
      let result = try await run([["list"]], against: 200, body)[0]
      expectEqual(result.status, 69, "\(body): \(result.errors)")
    }
    // The same page for ever; without a total; with rows that are none.
    let list = try await run([["list", "--json"]], against: 200, #"{"data":[\#(Self.good),{},null,7]}"#)[0]
    expectEqual(list.status, 0, "\(list.errors)")
    expectEqual(list.objects.count, 1)
    expect(list.errors.contains("3 could not be read") && list.errors.contains("a second time"), "\(list.errors)")
  }
}
