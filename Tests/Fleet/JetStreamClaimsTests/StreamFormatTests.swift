import Expectations
import FleetBook
import Testing
import WireText

@testable import JetStreamClaims

/// What a book is made of, letter for letter, and what each version says of another one's.
@Suite struct StreamFormatTests {
  private let settings: JetStreamSettings
  private var rules: StreamRules { StreamRules(settings: settings) }

  init() throws {
    settings = JetStreamSettings(
      servers: (1...3).map { .init(host: "gate\($0)", port: 4_222) }, authority: "", credential: try #require(NKey()),
      name: "north", bucket: "summer", mark: "0123456789abcdef0123456789abcdef", replicas: 3)
  }

  private func stream(_ text: String) throws -> JSONValue { try JSONValue(Array(text.utf8)) }

  /// Stations of every version that knows the format rely on a book that was made so.
  @Test func settingsOfABook() throws {
    let made = """
      {"name":"KV_summer","description":"claims of a fleet of scangate stations","subjects":["$KV.summer.>"],\
      "retention":"limits","storage":"file","discard":"new","max_msgs_per_subject":-1,"max_msgs":-1,"max_age":0,\
      "max_consumers":-1,"max_bytes":500000000,"max_msg_size":65536,"compression":"s2","num_replicas":3,"allow_direct":false,\
      "allow_rollup_hdrs":false,"deny_delete":true,"deny_purge":true,\
      "metadata":{"scangate-fleet":"0123456789abcdef0123456789abcdef","scangate-format":"1"}}
      """
    expectEqual(rules.made(bytes: 500_000_000), made)
    expectEqual(rules.fault(try stream(made)), nil)
    // As versions have made it that had the servers compress nothing, and stays when it is accepted.
    let former = try stream(made.replacing(#""compression":"s2""#, with: #""compression":"none""#))
    expectEqual(rules.fault(former), nil)
    expect(rules.made(bytes: 500_000_000, accepted: 7, keeping: former).contains(#""compression":"none""#))
    // As versions have made it that told no format.
    expectEqual(rules.fault(try stream(made.replacing(#","scangate-format":"1""#, with: ""))), nil)
    expectEqual(
      settings.subject(try #require(ClaimKey("t.000102030405060708090a0b0c0d0e0f"))),
      "$KV.summer.t.000102030405060708090a0b0c0d0e0f")
    expectEqual(settings.key("$KV.summer.whatever-a-later-version-has"), nil)
  }

  @Test func aLaterFormatIsRefused() throws {
    let made = rules.made(bytes: 500_000_000)
    for (told, words) in [
      (#""2""#, "is of format 2"), (#""255""#, "is of format 255"), (#""0""#, "does not tell its format"),
      (#""256""#, "does not tell its format"), (#""one""#, "does not tell its format"),
      ("2", "does not tell its format"),
    ] {
      let fault = rules.fault(
        try stream(made.replacing(#""scangate-format":"1""#, with: #""scangate-format":\#(told)"#)))
      guard case .otherVersion(let said) = fault else {
        expect(false, "\(told): \(String(describing: fault))")
        continue
      }
      expect(said.contains("The book summer") && said.contains(words), "\(said)")
    }
  }

  /// What a later version has written down beside stays where an earlier one accepts a book.
  @Test func whatIsNotKnownIsKept() throws {
    let former = try stream(
      #"{"metadata":{"scangate-fleet":"x","scangate-format":"1","scangate-later":"kept","scangate-accepted":"3","_nats.level":"0"}}"#
    )
    let made = try stream(rules.made(bytes: 1_000, accepted: 7, keeping: former))
    let metadata = made["metadata"]
    expectEqual(metadata?["scangate-fleet"]?.string, settings.mark)
    expectEqual(metadata?["scangate-format"]?.string, "1")
    expectEqual(metadata?["scangate-later"]?.string, "kept")
    expectEqual(metadata?["scangate-accepted"]?.string, "7")
    expectEqual(metadata?["_nats.level"], nil)
    // One that told no format still tells none: nothing is said of it that its maker has not said.
    let silent = try stream(rules.made(bytes: 1_000, keeping: try stream(#"{"metadata":{"scangate-fleet":"x"}}"#)))
    expectEqual(silent["metadata"]?["scangate-format"], nil)
  }
}
