import Expectations
import FirstRun
import ScanModel
import ScanTesting
import Testing

@testable import FirstRunPage

private let hostile = "<script>alert('1')</script>&\"\u{202E}\u{0}"

private func view() -> FirstRunView {
  var view = FirstRunView(number: 7, topic: .event, step: 4, title: .told(hostile))
  view.words = [.told(hostile), .own(.trying, hostile)]
  view.fault = .told(hostile)
  view.code = "code"
  view.text = [hostile, ""]
  view.choices = [.init("1", .told(hostile)), .init("back", .own(.back))]
  view.field = .init(.told(hostile), suggestion: hostile, isSecret: false)
  return view
}

@Suite struct PageMessageTests {
  @Test func whatIsSaidIsHeard() {
    let messages: [PageMessage] = [
      .listen(host: "::1", port: 8080), .view(view()),
      .view(.init(number: 1, topic: .over, step: 6, title: .own(.overWritten))),
      .done(3, words: nil), .done(4, words: .told(hostile)), .end(view()), .ready(port: 1), .code(5, hostile),
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
  private let html = PageHTML(texts: .of(.en)) { _ in "<svg></svg>" }

  @Test func whatComesFromOutsideIsText() {
    let page = html.question(view(), revision: 4, token: "t", refresh: 3)
    expect(!page.contains("<script>") && !page.contains("\u{202E}") && !page.contains("\u{0}"))
    expect(page.contains("&lt;script&gt;"))
    expect(!page.contains("style=") && !page.contains("http://") && !page.contains("https://"))
  }

  @Test func aPageIsInOneLanguage() {
    var asked = FirstRunView(number: 1, topic: .gate, step: 5, title: .own(.gateTitle))
    asked.field = .init(.own(.gateField))
    for (language, words) in [(PageLanguage.de, "Wie heißt"), (.fr, "Comment s’appelle"), (.es, "¿Cómo se llama")] {
      let html = PageHTML(texts: .of(language)) { _ in "" }
      for page in [html.question(asked, revision: 1, token: "t", refresh: 1), html.signIn(.own(.pageWrong, "4"))] {
        expect(page.contains("<html lang=\"\(language.rawValue)\">"))
        for english in ["Send<", "Go on", "Set this", "Step", "This page", "The terminal"] {
          expect(!page.contains(english), "\(language): \(english)")
        }
      }
      expect(html.question(asked, revision: 1, token: "t", refresh: nil).contains(words))
    }
  }

  @Test func aKeyIsNeverShown() {
    var asked = FirstRunView(number: 1, topic: .key, step: 3, title: .own(.keyTitleApiKey))
    asked.field = .init(.own(.keyFieldApiKey), suggestion: "leaked", isSecret: true)
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
    guard let (id, wakes) = state.watch() else {
      expect(false, "nobody may look on")
      return
    }
    var feed = wakes.makeAsyncIterator()
    _ = await feed.next()
    expectEqual(state.news(after: revision), nil)
    // The same once more is no news.
    state.show(view())
    expectEqual(state.news(after: revision), nil)
    state.show(.init(number: 8, topic: .gate, step: 5, title: .own(.gateTitle)))
    _ = await feed.next()
    expectEqual(state.news(after: revision), .changed(revision + 1))
    // Strangers are told of nothing but the end, and of that nothing.
    expectEqual(state.news(after: nil), nil)
    let last = FirstRunView(number: 9, topic: .over, step: 6, title: .own(.overUnwritten))
    state.end(last)
    _ = await feed.next()
    expectEqual(state.news(after: revision), .over(last))
    expectEqual(state.news(after: nil), .over(nil))
    // Nothing is to be seen behind the end, and nobody waits for an answer.
    state.show(view())
    expectEqual(state.shown?.view, last)
    let words = await state.ask { _ in true }
    expect(words != nil)
    state.endWatch(id)
    let more: Void? = await feed.next()
    expect(more == nil)
  }

  @Test func whoLooksOnIsBounded() {
    let state = PageState()
    let all = (0..<PageState.mostWatchers).compactMap { _ in state.watch() }
    expectEqual(all.count, PageState.mostWatchers)
    expect(state.watch() == nil)
    if let first = all.first { state.endWatch(first.id) }
    expect(state.watch() != nil)
  }

  @Test func anAnswerIsAwaited() async {
    let state = PageState()
    async let words = state.ask { id in
      state.answer(id, .told("wrong"))
      return true
    }
    expectEqual(await words, .told("wrong"))
    let unsent = await state.ask { _ in false }
    expect(unsent != nil)
  }

  @Test func anEventIsOfLinesAndTurnsNothing() {
    var last = FirstRunView(number: 9, topic: .over, step: 6, title: .told("a\nevent: x\u{202E}"))
    last.words = [.told("b\r\nc")]
    let text = PageScript.event(.over(last), .of(.en))
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
