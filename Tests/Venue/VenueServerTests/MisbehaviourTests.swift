import Expectations
import Testing

@testable import VenueServer

@Suite struct MisbehaviourTests {
  @Test func textsSayWhatTheyMean() throws {
    let expected: [(String, Misbehaviour)] = [
      ("latency=300ms", Misbehaviour(.latency(300...300, .before))),
      ("latency=300ms..2s,when=after", Misbehaviour(.latency(300...2_000, .after))),
      ("status=503,next=3", Misbehaviour(.status(503, retryAfter: nil, .before), next: 3)),
      ("status=429, retry-after=1min", Misbehaviour(.status(429, retryAfter: 60, .before))),
      ("close=after,share=20%", Misbehaviour(.end(.close, .after), share: 20)),
      ("reset=midway , on=all", Misbehaviour(.end(.reset, .midway), scope: .all)),
      ("json=deep,always", Misbehaviour(.json(.deep))),
      ("status=422,on=desk", Misbehaviour(.status(422, retryAfter: nil, .before), scope: .desk)),
      ("json=pages,on=desk", Misbehaviour(.json(.pages), scope: .desk)),
      ("json=total,on=checks", Misbehaviour(.json(.total), scope: .checks)),
      ("latency=5s,on=refreshes", Misbehaviour(.latency(5_000...5_000, .before), scope: .refreshes)),
      ("json=failure,on=sign-ins", Misbehaviour(.json(.failure), scope: .signIns)),
      ("json=odd,on=lists", Misbehaviour(.json(.odd), scope: .lists)),
      ("clock=-1d", Misbehaviour(.clock(-86_400))),
      ("clock=+90s", Misbehaviour(.clock(90))),
      ("html,when=before,seed=18446744073709551615", Misbehaviour(.page(.before), seed: .max)),
      ("redirect", Misbehaviour(.redirect("/login", .before))),
      (
        "share=5%,redirect=https://portal.example/?a=b",
        Misbehaviour(.redirect("https://portal.example/?a=b", .before), share: 5)
      ),
    ]
    for (text, misbehaviour) in expected { try expectEqual(Misbehaviour(text), misbehaviour, "\(text)") }
  }

  @Test(arguments: [
    ("", "an empty part"), ("next=3", "a fault is missing"), ("status=503,html", "status and html are two faults"),
    ("status=200", "status wants one of 401"), ("status=+503", "status wants"), ("latency=300", "300ms..2s"),
    ("latency=2s..1s", "latency wants"), ("latency=11min", "10min"),
    ("latency=99999999999999999999ms", "latency wants"),
    ("latency=9223372036854775807d", "latency wants"), ("status=503,next=0", "from 1 to 1000000"),
    ("status=503,share=0%", "1% to 100%"), ("status=503,share=20", "1% to 100%"),
    ("json=wide", "cut, huge, deep, types, pages"),
    ("close", "before, midway, after"), ("close=after,when=after", "does not go with close"),
    ("status=500,retry-after=3s", "status=429 and status=503"), ("html,retry-after=3s", "status=429 and status=503"),
    ("status=429,retry-after=3ms", "whole seconds"), ("clock=1ms", "whole seconds"), ("clock=366d", "365d"),
    ("clock", "clock wants"), ("html=yes", "takes no value"), ("html,html", "stands twice"),
    ("html,always,next=2", "always goes with neither"), ("html,sahre=20%", #""sahre" is no part"#),
    ("html,on=none", "scans, checks, refreshes, kiosk, desk, all"), ("html,seed=-1", "seed wants"),
    ("redirect=", "printable ASCII"),
    ("redirect=/a\r\nX: y", "printable ASCII"), ("html\u{1B}[2J", "·[2J"),
  ])
  func whatIsWrongIsToldInWords(text: String, words: String) throws {
    let error = try #require(throws: MisbehaviourError.self) { try Misbehaviour(text) }
    expect(error.description.contains(words), "\(error.description)")
  }

  @Test(arguments: 0..<40) func everyMisbehaviourReadsBackFromItsText(seed: UInt64) throws {
    var random = SecretSource(number: seed)
    for _ in 0..<50 {
      let misbehaviour = Misbehaviour.random(&random)
      try expectEqual(Misbehaviour(misbehaviour.description), misbehaviour, "\(misbehaviour), seed \(seed)")
    }
  }

  /// Whatever is typed is either a misbehaviour with a text of its own, or an error that a terminal can show.
  @Test(arguments: 0..<40) func anyTextIsReadOrRefused(seed: UInt64) {
    var random = SecretSource(number: seed)
    let alphabet = Array("=,.%-+ 0123456789dhmsax\u{0}\n\u{1B}é\u{202E}👍🏽")
    for _ in 0..<50 {
      var text = Array(Misbehaviour.random(&random).description)
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let place = Int.random(in: 0...text.count, using: &random)
        if Bool.random(using: &random), place < text.count {
          text.remove(at: place)
        } else if let letter = alphabet.randomElement(using: &random) {
          text.insert(letter, at: place)
        }
      }
      do throws(MisbehaviourError) {
        let read = try Misbehaviour(String(text))
        expectEqual((try? Misbehaviour(read.description)), read, "\(text), seed \(seed)")
      } catch {
        expect(error.description.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "·" })
        expect(error.description.count < 400)
      }
    }
  }
}

extension Misbehaviour {
  /// Any misbehaviour that a text can ask for.
  static func random(_ random: inout SecretSource) -> Misbehaviour {
    let moment: Moment = Bool.random(using: &random) ? .before : .after
    let fault: Fault
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      let least = Int.random(in: 0...longestPause, using: &random)
      fault = .latency(least...Int.random(in: least...longestPause, using: &random), moment)
    case 1:
      let status = statuses.randomElement(using: &random) ?? 503
      let retries = (status == 429 || status == 503) && Bool.random(using: &random)
      fault = .status(status, retryAfter: retries ? Int.random(in: 0...longestRetry, using: &random) : nil, moment)
    case 2: fault = .page(moment)
    case 3: fault = .redirect(["/login", "/", "https://x.example/?a=b;c"].randomElement(using: &random) ?? "/", moment)
    case 4: fault = .json(JSONFault.allCases.randomElement(using: &random) ?? .cut)
    case 5:
      fault = .end(
        ConnectionEnd.allCases.randomElement(using: &random) ?? .close,
        ConnectionPoint.allCases.randomElement(using: &random) ?? .after)
    default: fault = .clock(Int.random(in: -furthestClock...furthestClock, using: &random))
    }
    return Misbehaviour(
      fault, scope: Bool.random(using: &random) ? .scans : .all, share: Int.random(in: 1...100, using: &random),
      next: Bool.random(using: &random) ? Int.random(in: 1...mostHits, using: &random) : nil,
      seed: Bool.random(using: &random) ? 1 : random.next())
  }
}
