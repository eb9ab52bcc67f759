import Expectations
import ScanTesting
import Testing
import WireText

@Suite struct JSONTextTests {
  /// What people look at cannot disturb their terminal; a server gets a text as it is.
  @Test func onlyWhatIsShownEscapesWhatDisturbs() {
    let text = "a\"\\\u{1B}\u{7F}ü€😀\u{202E}"
    var shown = JSONText()
    shown.add("k", text)
    expectEqual(shown.text, #"{"k":"a\"\\\u001b\u007fü€😀\u202e"}"#)
    expectEqual(
      JSONText.object(("k", text)).text, #"{"k":"a\"\\\u001b\u007fü€😀"# + "\u{202E}" + #""}"#)
  }

  @Test func valuesAreWrittenAsTheyAre() {
    var object = JSONText()
    object.add("n", Int64.min)
    object.add("t", true)
    object.add("none", nil as String?)
    object.add("list", texts: ["a", "\n"])
    object.add("objects", objects: [JSONText.object(("b", "c")).text])
    object.add("object", object: nil)
    object.add(milliseconds: "ms", .microseconds(1_002))
    expectEqual(
      object.text,
      #"{"n":-9223372036854775808,"t":true,"none":null,"list":["a","\u000a"],"objects":[{"b":"c"}],"object":null,"ms":1.002}"#
    )
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let scalars = (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2_FFFF, using: &random)) }
      let text = String(String.UnicodeScalarView(scalars))
      var shown = JSONText()
      shown.add("k", text)
      for object in [shown, JSONText.object(("k", text))] {
        try expectEqual(JSONValue(object.bytes)["k"]?.string, text)
      }
    }
  }
}
