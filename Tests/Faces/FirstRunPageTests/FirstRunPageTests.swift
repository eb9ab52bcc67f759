import Expectations
import FirstRun
import ScanModel
import ScanTesting
import Testing

@testable import FirstRunPage

private let hostile = "<script>alert('1')</script>&\"\u{202E}\u{0}"

private func view() -> FirstRunView {
  var view = FirstRunView(number: 7, topic: .event, step: 4, title: hostile)
  view.words = [hostile]
  view.fault = hostile
  view.code = "code"
  view.text = [hostile, ""]
  view.choices = [.init("1", hostile), .init("back", "back")]
  view.field = .init(hostile, suggestion: hostile, isSecret: false)
  return view
}

@Suite struct PageMessageTests {
  @Test func whatIsSaidIsHeard() {
    let messages: [PageMessage] = [
      .listen(host: "::1", port: 8080), .view(view()), .view(.init(number: 1, topic: .over, step: 6, title: "")),
      .done(3, words: nil), .done(4, words: hostile), .end(view()), .ready(port: 1), .code(5, hostile),
      .answer(6, question: 2, hostile), .key(7, question: 3, "secret"), .seen,
    ]
    for message in messages { expectEqual(PageMessage(message.bytes), message) }
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 100, release: 2_000))))
  func whatIsNoMessageIsNone(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = PageMessage.view(view()).bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    // Whatever became of it: it is read or not, and what was read can be said again.
    if let message = PageMessage(bytes) { expectEqual(PageMessage(message.bytes), message) }
    expectEqual(PageMessage([UInt8](repeating: 0x20, count: PageMessage.longest + 1)), nil)
  }
}

@Suite struct PageHTMLTests {
  private let html = PageHTML { _ in "<svg></svg>" }

  @Test func whatComesFromOutsideIsText() {
    let page = html.question(view(), revision: 4, token: "t", refresh: 3)
    expect(!page.contains("<script>") && !page.contains("\u{202E}") && !page.contains("\u{0}"))
    expect(page.contains("&lt;script&gt;"))
    expect(!page.contains("style=") && !page.contains("http://") && !page.contains("https://"))
  }

  @Test func aKeyIsNeverShown() {
    var asked = FirstRunView(number: 1, topic: .key, step: 3, title: "Key")
    asked.field = .init("Key", suggestion: "leaked", isSecret: true)
    let page = html.question(asked, revision: 1, token: "t", refresh: nil)
    expect(!page.contains("leaked"))
    expect(page.contains("type=\"password\""))
  }

  @Test func thisMachineIsKnownByItsOwnNamesAlone() {
    for own in ["127.0.0.1", "127.0.0.1:8080", "localhost:1", "[::1]:8080"] { expect(PageGuard.isOwn(own)) }
    for other in [
      "127.0.0.1.evil.example", "localhost.evil.example:80", "evil.example", "", "127.0.0.1:", "localhost:x",
    ] {
      expect(!PageGuard.isOwn(other))
    }
  }
}

@Suite struct PageStateTests {
  @Test func whoLooksOnIsToldOfAnotherViewAndOfTheEnd() async {
    let state = PageState()
    state.show(view())
    let revision = state.shown?.revision ?? 0
    let (id, wakes) = state.watch()
    var feed = wakes.makeAsyncIterator()
    _ = await feed.next()
    expectEqual(state.news(after: revision), nil)
    // The same once more is no news.
    state.show(view())
    expectEqual(state.news(after: revision), nil)
    state.show(.init(number: 8, topic: .gate, step: 5, title: "Gate"))
    _ = await feed.next()
    expectEqual(state.news(after: revision), .changed)
    let last = FirstRunView(number: 9, topic: .over, step: 6, title: "Over")
    state.end(last)
    _ = await feed.next()
    expectEqual(state.news(after: revision), .over(last))
    // Nothing is to be seen behind the end, and nobody waits for an answer.
    state.show(view())
    expectEqual(state.shown?.view, last)
    let words = await state.ask { _ in true }
    expect(words != nil)
    state.endWatch(id)
    let more: Void? = await feed.next()
    expect(more == nil)
  }

  @Test func anAnswerIsAwaited() async {
    let state = PageState()
    async let words = state.ask { id in
      state.answer(id, "wrong")
      return true
    }
    expectEqual(await words, "wrong")
    let unsent = await state.ask { _ in false }
    expect(unsent != nil)
  }

  @Test func anEventIsOfLinesAndTurnsNothing() {
    var last = FirstRunView(number: 9, topic: .over, step: 6, title: "a\nevent: x\u{202E}")
    last.words = ["b\r\nc"]
    let text = PageScript.event(.over(last))
    expectEqual(text, "event: over\ndata: a event: x\u{FFFD}\ndata: b  c\n\n")
  }
}

@Suite struct PageAdmissionTests {
  private func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

  @Test func aCodeIsGoodOnce() {
    var admission = PageAdmission(code: "ABCD2345", at: time(0))
    expectEqual(admission.take("abcd2345", at: time(1)), .admitted)
    expectEqual(admission.take("ABCD2345", at: time(2)), .wrong(left: 4))
  }

  @Test func fiveWrongOnesEndIt() {
    var admission = PageAdmission(code: "ABCD2345", at: time(0))
    for left in (1...4).reversed() { expectEqual(admission.take("ABCD2346", at: time(1)), .wrong(left: left)) }
    expectEqual(admission.take("", at: time(1)), .over)
    expectEqual(admission.take("ABCD2345", at: time(1)), .over)
  }

  @Test func halfAnHourEndsIt() {
    var admission = PageAdmission(code: "ABCD2345", at: time(0))
    expect(!admission.isOver(at: time(1_799)))
    expect(admission.isOver(at: time(1_800)))
    expectEqual(admission.take("ABCD2345", at: time(1_800)), .over)
  }

  @Test func codesAreNotAlike() {
    let codes = Set((0..<100).map { _ in PageAdmission.newCode() })
    expectEqual(codes.count, 100)
    expect(codes.allSatisfy { $0.utf8.count == PageAdmission.length && !$0.contains { "01IO".contains($0) } })
  }
}
