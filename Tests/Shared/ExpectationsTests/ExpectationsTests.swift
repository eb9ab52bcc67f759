import Expectations
import Testing

/// What all other tests rest on: each of these would pass if expectations never failed, but for the issue that is awaited.
@Suite("Expectations")
struct ExpectationsTests {
  @Test func whatIsNotSoFails() {
    let line = #line + 2
    withKnownIssue {
      expect([1, 2].count == 3, "of \(2)")
    } matching: { issue in
      issue.comments.map(\.rawValue) == [#"not so: expect([1, 2].count == 3, "of \(2)"), of 2"#]
        && issue.sourceLocation?.line == line && issue.sourceLocation?.fileName == "ExpectationsTests.swift"
    }
  }

  @Test func aStatementIsToldToItsEnd() {
    withKnownIssue {
      expect(
        [1, 2].allSatisfy { number in
          number > 1
        })
    } matching: { issue in
      issue.comments.map(\.rawValue) == ["not so: expect( [1, 2].allSatisfy { number in number > 1 })"]
    }
  }

  @Test func anotherValueThanExpectedFailsAndBothAreTold() {
    let line = #line + 2
    withKnownIssue {
      expectEqual(Optional("seen"), "expected")
    } matching: { issue in
      issue.comments.map(\.rawValue) == [#"Optional("seen"), expected: Optional("expected")"#]
        && issue.sourceLocation?.line == line
    }
  }

  @Test func whatIsSoPassesAndMakesNoComment() {
    var made = 0
    func comment() -> Comment {
      made += 1
      return ""
    }
    expect(true, comment())
    expectEqual(1, 1, comment())
    if made != 0 { Issue.record("comments were made \(made) times") }
  }
}
