import Expectations
import Foundation
import Testing

@testable import VenueServer

@Suite struct JSONTextTests {
  @Test func compactAndPrettyLayoutsAreThoseOfPHP() {
    let value = JSONText.object([
      ("a", .integer(1)), ("b", .array([.bool(true), .null])), ("c", .array([])), ("d", .object([])),
      ("e", .decimal(2.5)), ("f", .decimal(3)), ("g", .decimal(.infinity)), ("h", .phpMap([])),
      ("i", .phpMap([("x", .string("y"))])),
    ])
    expectEqual(value.text(), #"{"a":1,"b":[true,null],"c":[],"d":{},"e":2.5,"f":3,"g":null,"h":[],"i":{"x":"y"}}"#)
    let pretty = JSONText.object([("a", .array([.integer(1), .integer(2)])), ("b", .array([]))]).text(.pretty)
    expectEqual(pretty, "{\n    \"a\": [\n        1,\n        2\n    ],\n    \"b\": []\n}")
  }

  @Test func stringsAreEscapedAsPHPDoes() {
    expectEqual(
      JSONText.string("a/\"\\\u{8}\u{C}\n\r\t\u{0}\u{7F}é😀").text(),
      #""a\/\"\\\b\f\n\r\t\u0000\u007f\u00e9\ud83d\ude00""#)
  }

  @Test(arguments: [UInt64(1), 42, 2025]) func anyStringComesBackFromAnotherParser(seed: UInt64) throws {
    var random = SecretSource(number: seed)
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random) >> UInt32.random(in: 0...20, using: &random))
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      let json = JSONText.object([("k", .string(text))]).text(.pretty)
      expect(json.utf8.allSatisfy { $0 < 0x80 })
      let back = try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
      expectEqual(back["k"].map { [UInt8]($0.utf8) }, [UInt8](text.utf8))
    }
  }
}
