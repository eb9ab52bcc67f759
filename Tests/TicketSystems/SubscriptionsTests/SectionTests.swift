import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import Testing
import TicketSystemKit

@testable import Subscriptions

/// The section of the file, and its errors for people.
@Suite struct SectionTests {
  private func read(_ section: String, ticket: String = "") throws -> (StationConfiguration, [ConfigurationError]) {
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems:
        members: \(section)
      readers: { door: { type: wedge, match: { vendor: "0c2e" } } }
      gates:
        lounge: { readers: [door], ticketSystem: members\(ticket) }
      """
    let loaded = try ConfigurationFile.parse(
      text: text, file: "f", options: ConfigurationOptions(ticketSystems: [.subscriptions]))
    // A gate without outputs shows nobody a verdict: that is no matter here.
    return (loaded.configuration, loaded.warnings.filter { !$0.problem.contains("has no outputs") })
  }

  private func refusal(_ section: String, ticket: String = "") -> String {
    do {
      _ = try read(section, ticket: ticket)
      return ""
    } catch {
      return "\(error)"
    }
  }

  private static let good =
    "type: subscriptions, url: \"https://www.ftacademy.cn/api/v1\", accessToken: ftc, passes: { keys: /etc/keys }"

  @Test func whatTheFileDoesNotSayIsUsual() throws {
    let (configuration, warnings) = try read("{ \(Self.good) }")
    expectEqual(warnings.map(\.problem), [])
    let system = try #require(configuration.ticketSystems.first)
    expectEqual(system.scope, .every(.seconds(900)))
    expectEqual(system.address, "subscriptions https://www.ftacademy.cn/api/v1")
    expectEqual(system.budget, 120)
    expectEqual(system.list.freshFor, .seconds(86_400))
    let settings = try #require(system.settings as? SubscriptionsSection.System)
    expect(
      settings.environment == .production && settings.passes == .init(codes: .signed, keys: "/etc/keys")
        && settings.renewalGrace == .zero && settings.recheck == .zero)
    expectEqual(configuration.files.map(\.role), [.lines])
    expectEqual(configuration.gates.first?.ticket as? SubscriptionsSection.Gate, nil)
  }

  @Test func everythingIsRead() throws {
    let (configuration, warnings) = try read(
      """
      { type: subscriptions, url: "https://www.ftacademy.cn/api/sandbox", accessToken: ftc, environment: sandbox,
          passes: { codes: both, keys: /etc/keys, revoked: /etc/revoked }, freshFor: 2 h, renewalGrace: 16 d, recheck: 90 s,
          scope: every, interval: 1 min }
      """, ticket: ", ticket: { tiers: [premium, standard] }")
    let settings = try #require(configuration.ticketSystems.first?.settings as? SubscriptionsSection.System)
    expect(
      settings.environment == .sandbox && settings.freshFor == .seconds(7_200) && settings.recheck == .seconds(90)
        && settings.renewalGrace == .seconds(16 * 86_400)
        && settings.passes == .init(codes: .both, keys: "/etc/keys", revoked: "/etc/revoked"))
    expectEqual(configuration.ticketSystems.first?.scope, .every(.seconds(60)))
    expectEqual(
      (configuration.gates.first?.ticket as? SubscriptionsSection.Gate)?.tiers, [.premium, .standard])
    expectEqual(
      warnings.map(\.problem), ["an id can be guessed, and read from a receipt: whoever writes one down has a pass"])
  }

  @Test func idsAreADoubtAndNeedNoKeys() throws {
    let (configuration, warnings) = try read(
      "{ type: subscriptions, url: \"https://a.example\", accessToken: ftc, passes: { codes: ids } }")
    expectEqual(warnings.count, 1)
    let settings = configuration.ticketSystems.first?.settings as? SubscriptionsSection.System
    expectEqual(settings?.passes, .init(codes: .ids))
    let both = try read(
      "{ type: subscriptions, url: \"https://a.example\", accessToken: ftc, passes: { codes: ids, keys: /etc/keys } }")
    expectEqual(both.1.map(\.problem).contains("keys has no effect with codes: ids"), true)
  }

  @Test func onceIsAnError() {
    for scope in ["once", "untilexit"] {
      let words = refusal("{ \(Self.good), scope: \(scope) }")
      expect(words.contains("\"ticketSystems.members.scope\" cannot be \"\(scope)\""), "\(words)")
    }
    expect(refusal("{ \(Self.good), scope: perDay, interval: 5 min }").contains("interval belongs to scope: every"))
  }

  @Test(arguments: [
    (
      "type: subscriptions",
      "the key \"url\" is missing in \"ticketSystems.members\"; add url: https://www.ftacademy.cn/api/v1"
    ),
    ("type: subscriptions", "the key \"accessToken\" is missing in \"ticketSystems.members\"; add accessToken: ftc"),
    ("type: subscriptions", "the key \"passes\" is missing in \"ticketSystems.members\""),
    ("\(good), token: x", "the key \"token\" is not taken here; put it in with \"scangate credential set NAME\""),
    ("\(good), renewalGrace: 17 d", "write 0 s to 16 d"), ("\(good), recheck: 2 h", "write 0 s to 1 h"),
    ("\(good), recheck: 90", "write a number and a unit (s, min, h or d), such as 0 s"),
    ("\(good), environment: prod", "write production or sandbox"),
    ("\(good), freshFor: 30 s", "the units are min, h and d"),
    (
      "type: subscriptions, url: \"https://a.example\", accessToken: ftc, passes: { codes: signed }",
      "the key \"keys\" is missing in \"ticketSystems.members.passes\""
    ),
    (
      "type: subscriptions, url: \"https://a.example\", accessToken: ftc, passes: { keys: keys }",
      "\"ticketSystems.members.passes.keys\" is no absolute path"
    ),
    (
      "type: subscriptions, url: \"https://a.example/api/v1/apple/subs\", accessToken: ftc, passes: { keys: /k }",
      "has a path of the API in it; write the address that the API is below, without that path: https://a.example/api/v1"
    ),
    (
      "type: subscriptions, url: \"http://a.example\", accessToken: ftc, passes: { keys: /k }",
      "plain HTTP to a.example shows token and ids to the network"
    ),
  ]) func errorsSayWhatWouldBeRight(section: String, words: String) {
    let found = refusal("{ \(section) }")
    expect(found.contains(words), "\(found)")
  }

  @Test func aGatesTiersAreTwoWords() {
    for (tiers, words) in [
      ("[vip]", "\"gates.lounge.ticket.tiers[1]\" cannot be \"vip\""), ("[]", "has 0 tiers"), ("premium", "is no list"),
    ] {
      let found = refusal("{ \(Self.good) }", ticket: ", ticket: { tiers: \(tiers) }")
      expect(found.contains(words), "\(found)")
    }
    expect(refusal("{ \(Self.good) }", ticket: ", ticket: { seat: 3 }").contains("unknown key \"seat\""))
  }
}
