import ScanModel
import TicketTransport
import WireText

@testable import Subscriptions

private let id = "1000000619244062"
private let token = "a-token-of-some-length"

/// What a subscription service answers, as a gate judges it.
///
/// The input: two bytes for the status and the gate, then the body.
func fuzzSubscription(_ input: inout FuzzInput) {
  let status = input.choice([200, 200, 200, 404, 401, 403, 422, 500, 503, 302])
  let kind = input.byte()
  let body = input.remainder()
  let now = WallTime(seconds: 1_763_800_000 + Int64(kind) * 1_000_000)
  let type: String? = kind & 1 == 0 ? "application/json" : ["text/html", nil][Int(kind >> 1 & 1)]
  let answer = HTTPAnswer(status: status, mediaType: type, body: body, serverDate: kind & 4 == 0 ? now : nil)
  guard let asked = SubscriptionID(id) else { return property(false, "this is an id") }
  let secrets = [Redaction(token, shownAs: "(secret)"), Redaction(id, shownAs: "…4062")]
  let said = SubscriptionAnswer(answer, of: asked, host: "host:1", hiding: secrets, words: ServerWords())
  let tiers: Set<SubscriptionTier>? = kind & 8 == 0 ? nil : [.premium]
  let judge = SubscriptionJudge(
    environment: kind & 16 == 0 ? .production : .sandbox, grace: kind & 32 == 0 ? .zero : .seconds(3_600), tiers: tiers,
    host: "host:1")
  let document = try? JSONValue(body)
  for refresh in [SubscriptionJudge.Refresh.possible, .done, .unanswered, .underWay] {
    let verdict = judge.judge(said, of: nil, at: .init(trusted: kind & 64 == 0 ? now : nil), refresh: refresh)
    var shown: String?
    switch verdict {
    case .valid(let subscription, let until):
      property(status == 200 && answer.isJSON, "only a 200 with JSON admits")
      property(document?["originalTransactionId"] == .string(id), "only the subscription that was asked for admits")
      property(
        document?["environment"] == .string(kind & 16 == 0 ? "Production" : "Sandbox"),
        "only the right environment admits")
      property(tiers?.contains(subscription.tier) ?? true, "only a tier of the gate admits")
      property(now < until, "nobody is admitted after the end")
      property(until <= subscription.ends + judge.grace, "the grace is the longest")
      property(subscription.isAutoRenewing || until == subscription.ends, "only who renews has a grace")
    case .refused(_, let detail): shown = detail
    case .undecided(_, let detail): shown = detail
    case .refresh: property(refresh == .possible, "it is refreshed once")
    }
    if let shown {
      property(!shown.contains(token) && !shown.contains(id), "a secret is not shown")
      property(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "it steers no terminal")
      property(shown.unicodeScalars.count <= 500, "what is shown is short")
    }
  }
  if let kept = judge.kept(said, at: .init(trusted: nil)), let kept {
    property(status == 200 && kept.ends > kept.at, "only what is good is kept")
  }
  _ = Reach(answer, host: "host:1", hiding: secrets, words: ServerWords())
}
