import Admission
import Expectations
import ScanModel
import Testing

/// The ticket system's last refusals, and those of an earlier process.
@Suite struct LastWordsTests {
  private func key(_ name: String) -> TicketKey { TicketKey([UInt8](name.utf8)) }
  private func said(_ name: String, _ refusal: RefuseReason?, at second: Int64) -> JournaledWord {
    JournaledWord(ticket: key(name), refusal: refusal, at: WallTime(seconds: second))
  }

  @Test func theNewestOfEachTicketCounts() {
    var words = LastWords()
    expect(words.beginRecalling())
    for word in [
      said("refunded", .refunded, at: 9), said("paid again", nil, at: 8), said("refunded", nil, at: 7),
      said("paid again", .unpaid, at: 6), said("paid again", .cancelled, at: 5),
    ] { expect(words.recall(word)) }
    words.endRecalling()
    expectEqual(words[key("refunded")]?.reason, .refunded)
    expectEqual(words[key("refunded")]?.at, WallTime(seconds: 9))
    expect(words[key("paid again")] == nil)
    // Nothing is recalled afterwards, nor twice.
    expect(!words.beginRecalling())
    expect(!words.recall(said("late", .refunded, at: 10)) && words[key("late")] == nil)
  }

  @Test func whatWasLearntMeanwhileIsNewer() {
    var words = LastWords()
    words.remember(key("known"), folded: nil, .cancelled, at: WallTime(seconds: 20))
    expect(words.beginRecalling())
    words.forget(key("admitted"), folded: nil)
    words.remember(key("refused"), folded: nil, .expired, at: WallTime(seconds: 21))
    for name in ["known", "admitted", "refused"] { expect(words.recall(said(name, .refunded, at: 9))) }
    expectEqual(words[key("known")]?.reason, .cancelled)
    expect(words[key("admitted")] == nil)
    expectEqual(words[key("refused")]?.reason, .expired)
  }

  /// What another gate or some time may have cured is asked again, and so is a use, for which our own book stands.
  @Test func aPassingWordIsNotRecalled() {
    for reason in RefuseReason.allCases {
      var words = LastWords()
      expect(words.beginRecalling())
      expect(words.recall(said("ticket", reason, at: 9)))
      let isLasting = !reason.isOfPlaceOrTime && reason != .alreadyUsed
      expectEqual(words[key("ticket")]?.reason, isLasting ? reason : nil)
    }
  }

  @Test func soManyAreRecalled() {
    var words = LastWords()
    expect(words.beginRecalling())
    let taken = (0..<LastWords.mostRecalled + 5).prefix { words.recall(said("\($0)", .refunded, at: Int64($0))) }.count
    expectEqual(taken, LastWords.mostRecalled)
  }
}
