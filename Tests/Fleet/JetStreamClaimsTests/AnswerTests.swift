import Expectations
import FleetBook
import ScanModel
import ScanTesting
import Testing
import WireText

@testable import JetStreamClaims

/// What servers say, read: what surely was not written is told apart from what may have been.
@Suite struct AnswerTests {
  private func answered(_ text: String, status: String = "") -> PendingCalls.Outcome {
    .answered([NATSMessage(status: status, data: [UInt8](text.utf8))])
  }

  private func error(_ number: Int, _ words: String = "") -> PendingCalls.Outcome {
    answered(
      "{\"error\":{\"code\":503,\"err_code\":\(number),\"description\":\"\(words)\"},\"stream\":\"KV_summer\",\"seq\":0}"
    )
  }

  @Test func writes() {
    expectEqual(ClaimAnswer.written(answered("{\"stream\":\"KV_summer\", \"seq\":7}")), .success(ClaimRevision(7)))
    expectEqual(ClaimAnswer.written(error(10_071, "wrong last sequence: 4")), .failure(.wrongRevision))
    expectEqual(ClaimAnswer.written(error(10_164)), .failure(.wrongRevision))
    expectEqual(ClaimAnswer.written(error(10_077, "maximum bytes exceeded")), .failure(.full))
    expectEqual(ClaimAnswer.written(answered("", status: "503")), .failure(.noQuorum))
    expectEqual(ClaimAnswer.written(.unsent), .failure(.noQuorum))
    if case .failure(.refused) = ClaimAnswer.written(error(10_109)) {} else { expect(false, "a closed bucket") }
  }

  /// Whatever else is said, or not said, may stand for what was written.
  @Test func writesInDoubt() {
    let doubtful = [
      .lost([]), .answered([]), answered(""), answered("{}"), answered("{\"seq\":0}"), answered("{\"seq\":-1}"),
      answered("{\"seq\":7,\"duplicate\":true}"), answered("{\"seq\":\"x\"}"), error(10_077, "no space left on device"),
      error(10_023, "insufficient resources"), error(10_008), error(0), .answered([NATSMessage(data: nil)]),
    ]
    for outcome in doubtful { expectEqual(ClaimAnswer.written(outcome), .failure(.lostAnswer)) }
  }

  @Test func reads() throws {
    let key = ClaimKey(.sale, digest: [UInt8](repeating: 0xAB, count: 16)) ?? freshKey()
    let settings = JetStreamSettings(
      servers: [], authority: "", credential: try #require(NKey()), name: "", bucket: "summer", mark: "",
      replicas: 1)
    func read(_ message: String) -> Result<StoredClaim?, ClaimFault> {
      ClaimAnswer.read(answered("{\"message\":{\(message)}}"), key, settings)
    }
    let place = "\"subject\":\"$KV.summer.\(key)\",\"seq\":3,\"time\":\"2026-11-27T13:14:31.273186572Z\""
    let first =
      "TkFUUy8xLjANCk5hdHMtRXhwZWN0ZWQtTGFzdC1TdWJqZWN0LVNlcXVlbmNlOiAxDQpOYXRzLUV4cGVjdGVkLVN0cmVhbTogS1ZfZmxlZXQNCg0K"
    expectEqual(
      read("\(place),\"hdrs\":\"\(first)\",\"data\":\"aGVsbG8=\""),
      .success(
        StoredClaim(
          key: key, value: [UInt8]("hello".utf8), revision: ClaimRevision(3), replaced: ClaimRevision(1),
          time: WallTime(nanoseconds: 1_795_785_271_273_186_572))))
    expectEqual(read("\(place),\"hdrs\":\"TkFUUy8xLjANCktWLU9wZXJhdGlvbjogREVMDQoNCg==\""), .failure(.deleted))
    // Written on no condition: it replaces what no claim can have.
    expectEqual(try? read(place).get()?.replaced, ClaimRevision(.max))
    expectEqual(
      read("\"subject\":\"$KV.summer.t.00\",\"seq\":3,\"time\":\"2026-11-27T13:14:31Z\""), .failure(.lostAnswer))
    expectEqual(ClaimAnswer.read(error(10_037, "no message found"), key, settings), .success(nil))
    expectEqual(ClaimAnswer.read(error(10_008), key, settings), .failure(.noQuorum))
    expectEqual(ClaimAnswer.read(.lost([]), key, settings), .failure(.lostAnswer))
  }

  @Test func times() {
    expectEqual(ClaimAnswer.time("1970-01-01T00:00:01Z"), WallTime(seconds: 1))
    expectEqual(ClaimAnswer.time("1970-01-01T00:00:01.5Z"), WallTime(nanoseconds: 1_500_000_000))
    for wrong in [
      "", "Z", "1970-01-01T00:00:01", "1970-13-01T00:00:01Z", "1970-01-01T00:00:01.Z",
      "1970-01-01T00:00:01.1234567890Z",
      "1970-01-01 00:00:01Z", "1970-01-01T00:00:01+01:00", "xxxx-01-01T00:00:01Z",
    ] {
      expectEqual(ClaimAnswer.time(wrong), nil)
    }
  }

  /// Nothing that a server sends ends the process.
  @Test func noise() throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    let key = freshKey()
    let settings = JetStreamSettings(
      servers: [], authority: "", credential: try #require(NKey()), name: "", bucket: "b", mark: "m", replicas: 3)
    let parts = [
      "{", "}", "\"error\":", "\"err_code\":", "10071", ",", "\"seq\":", "-1", "18446744073709551616", "\"message\":",
      "\"config\":", "\"cluster\":", "null", "[", "]", "\"hdrs\":", "\"data\":", "\"====\"", "\"time\":", "\"Z\"",
      "\"server\":",
    ]
    for _ in 0..<extent(landing: 3_000, release: 30_000) {
      let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
        .joined()
      let outcome = answered(text)
      if case .success = ClaimAnswer.written(outcome) { expect(text.contains("seq"), "\(text)") }
      _ = ClaimAnswer.read(outcome, key, settings)
      _ = StreamAnswer(outcome)
      _ = ServerAnswer(NATSMessage(data: [UInt8](text.utf8)))
      _ = ClaimAnswer.message(outcome, settings)
      _ = ClaimAnswer.headers([UInt8](text.utf8))
      _ = NKey(seed: text)
    }
  }
}

/// Keys as NATS writes them.
@Suite struct NKeyTests {
  @Test func keyOfNATSItself() {
    // Of the examples of its documentation.
    let key = NKey(seed: "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY")
    expectEqual(key?.user, "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4")
    expectEqual(key?.toBeSealed, "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY")
    expect(!"\(key as Any)".contains("SUAC"))
  }

  @Test func newKeys() {
    let (one, other) = (NKey(), NKey())
    expect(one?.user != other?.user)
    expectEqual(one.flatMap { NKey(seed: $0.toBeSealed) }?.user, one?.user)
  }

  @Test func noKeys() {
    for wrong in [
      "", "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VX",
      "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
      "SAACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY", "SU", String(repeating: "A", count: 1_000),
    ] {
      expect(NKey(seed: wrong) == nil, "\(wrong)")
    }
  }
}

/// Which servers may be relied on.
@Suite struct VersionTests {
  @Test(arguments: ["2.10.27", "2.10.28", "2.11.0", "2.12.3", "2.11.0-RC.1"]) func relied(_ text: String) {
    expect(ServerVersion(text)?.isRelied == true)
  }

  @Test(arguments: [
    "2.10.26", "2.10.27-RC.1", "2.9.10", "1.99.99", "3.0.0", "2.10", "2.10.x", "", "2.10.-1", "v2.10.27",
  ])
  func notRelied(_ text: String) { expect(ServerVersion(text)?.isRelied != true) }
}
