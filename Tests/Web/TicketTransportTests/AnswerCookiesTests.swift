import Expectations
import ScanModel
import Testing

@testable import TicketTransport

/// What an answer's `Set-Cookie` lines say.
@Suite struct AnswerCookiesTests {
  private static let now = WallTime(seconds: 1_777_744_200)  // 2026-05-02T17:50:00Z

  private func cookies(_ lines: String...) -> AnswerCookies {
    var cookies = AnswerCookies()
    for line in lines { cookies.add(line, at: Self.now) }
    return cookies
  }

  @Test(arguments: [
    ("s=abc", "abc", Duration?.none), ("s=abc; Path=/venue; HttpOnly; Secure", "abc", nil),
    ("s=a=b==; Max-Age=60", "a=b==", .seconds(60)),
    (" s = abc ;max-age=60", "abc", .seconds(60)), ("s=\"abc\"", "abc", nil), ("s=abc; Max-Age=0", "abc", .zero),
    ("s=abc; Max-Age=-5", "abc", .zero), ("s=abc; Max-Age=99999999999999", "abc", .seconds(100_000_000)),
    ("s=abc; Max-Age=soon", "abc", nil), ("s=abc; Expires=Sat, 02 May 2026 18:10:00 GMT", "abc", .seconds(1_200)),
    ("s=abc; Expires=Sat, 02-May-2026 18:10:00 GMT", "abc", .seconds(1_200)),
    ("s=abc; Max-Age=60; Expires=Sat, 02 May 2026 18:10:00 GMT", "abc", .seconds(60)),
    ("s=abc; Expires=Sat, 02 May 2026 18:10:00 GMT; Max-Age=60", "abc", .seconds(60)),
    ("s=abc; Expires=never", "abc", nil),
  ])
  func aCookieHasItsValueAndItsLife(line: String, value: String, life: Duration?) throws {
    let cookie = try #require(cookies(line)["s"])
    expectEqual(cookie.value, try Secret(value))
    expectEqual(cookie.life, life)
  }

  @Test(arguments: [
    "", "s", "s=", "=abc", "s=a b", "s=\u{1F36A}", "s=a\u{0}b", ";", "s=" + String(repeating: "x", count: 5_000),
  ])
  func whatCannotBeSentBackIsNone(line: String) { expect(cookies(line)["s"] == nil) }

  @Test func theLastOfANameCountsAndTheyAreBounded() throws {
    expectEqual(cookies("s=1", "t=2", "s=3")["s"]?.value, try Secret("3"))
    var many = AnswerCookies()
    for number in 0..<100 { many.add("c\(number)=x", at: Self.now) }
    expect(many["c15"] != nil && many["c16"] == nil)
  }

  @Test func noneIsPrinted() {
    let found = cookies("s=geheim")
    var text = ""
    dump(found, to: &text)
    expect(!text.contains("geheim") && !"\(found)".contains("geheim"))
  }
}
