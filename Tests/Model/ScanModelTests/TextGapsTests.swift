import Expectations
import ScanModel
import Testing

/// Texts with gaps.
@Suite struct TextGapsTests {
  @Test(arguments: [
    ("{0} to {1}", ["a", "b"], "a to b"), ("{1}, {0}, {1}", ["a", "b"], "b, a, b"), ("{0}", ["{1}", "b"], "{1}"),
    ("{1}", ["a"], "{1}"), ("{x} {0", ["a"], "{x} {0"), ("", ["a"], ""), ("{{0}}", ["a"], "{a}"),
  ])
  func gapsAreFilledOnce(text: String, values: [String], filled: String) {
    expectEqual(TextGaps.fill(text, values), filled)
  }
}
