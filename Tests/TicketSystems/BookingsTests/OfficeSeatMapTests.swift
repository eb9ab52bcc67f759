import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing
import WireText

@testable import Bookings

/// The picture of a house: bounded, and no text of a service is markup in it.
@Suite struct OfficeSeatMapTests {
  private static let hostile = [
    "</title><script>alert(1)</script>", "\"/><image href=\"http://evil.example/x\"/>",
    "]]><!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "\u{1B}[2J\u{0}\u{202E}&amp;&lt;", "' onload='alert(1)", "Zoë & Søn", String(repeating: "<", count: 5_000), "",
  ]

  private func seats(_ rows: [[String: Any]]) throws -> [BoxSeat] {
    let data = try JSONSerialization.data(withJSONObject: rows)
    return try #require(BoxSeats(try JSONValue([UInt8](data)), of: "s", hiding: [])).all
  }

  /// Whether a text is well-formed as far as we write it: tags are closed in order, no bare sign, only our own names.
  private func fault(in svg: String) -> String? {
    let known: Set<String> = ["svg", "title", "path", "text", "g", "circle"]
    var open: [String] = []
    var rest = svg[...]
    while let start = rest.firstIndex(of: "<") {
      if rest[..<start].contains(">") { return "a bare >" }
      guard let end = rest[start...].firstIndex(of: ">") else { return "an open <" }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.popLast() == String(tag.dropFirst()) else { return "\(tag) closes nothing" }
        continue
      }
      let name = String(tag.prefix { $0.isLetter })
      guard known.contains(name) else { return "an element \(name)" }
      guard tag.wholeMatch(of: /[a-z]+( [a-zA-Z-]+="[^"<&]*")*\/?/) != nil else { return "attributes of \(tag)" }
      guard !tag.contains("href"), !tag.contains(" on"), !tag.contains("url(") else { return "\(tag)" }
      if !tag.hasSuffix("/") { open.append(name) }
    }
    if !open.isEmpty { return "\(open) are open" }
    let entities = svg.matches(of: /&[^;]{0,6};?/).map { String($0.output) }
    let ours: Set<String> = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"]
    return entities.first { !ours.contains($0) }
  }

  @Test(arguments: hostile) func hostileTexts(text: String) throws {
    let house = try seats([
      ["id": "a", "row": text, "number": text, "section": text, "color_hex": text, "status": text, "price": text],
      ["id": "b", "row": "B", "number": "2", "section": "Stalls", "color_hex": "#abc", "status": "sold"],
    ])
    let svg = SeatMapPicture.svg(house, title: text)
    expect(fault(in: svg) == nil, "\(fault(in: svg) ?? ""): \(svg)")
    expect(svg.unicodeScalars.allSatisfy { $0 == "\n" || TerminalText.isHarmless($0) }, "\(svg)")
    expectEqual(svg.matches(of: /<g><title>/).count, 2)
    expect(svg.contains("#aabbcc"))
  }

  /// Whoever sees no colours still tells what is to be had.
  @Test func aStatusIsAFormAndNotAColourAlone() throws {
    let house = try seats(
      ["available", "reserved", "sold", "perhaps"].enumerated().map { index, status in
        [
          "id": "\(index)", "row": "A", "number": index + 1, "section": "Stalls", "status": status,
          "color_hex": "#1D4ED8",
        ]
      })
    let svg = SeatMapPicture.svg(house, title: "x")
    let marks = svg.matches(of: /<g><title>[^<]*<\/title>(.*)<\/g>/).map { match in
      String(match.1).replacing(/[-0-9.]+/, with: "0").replacing(/fill="[^"]*"|stroke="[^"]*"/, with: "")
    }
    expectEqual(Set(marks).count, 4, "\(marks)")
  }

  @Test func seatsStandWhereTheServicePlacesThem() throws {
    let house = try seats(
      (0..<6).map { ["id": "\($0)", "row": "A", "number": $0, "position": ["x": Double($0) * 10, "y": 5.5]] })
    let layout = SeatLayout(house)
    let gaps = zip(layout.places.dropFirst(), layout.places).map { $0.x - $1.x }
    expect(gaps.allSatisfy { abs($0 - gaps[0]) < 0.01 && $0 > 2 * layout.radius }, "\(gaps)")
    expect(layout.labels.isEmpty)
    // One without a place: by rows.
    let mixed = try seats([
      ["id": "a", "row": "B", "number": "10", "position": ["x": 1, "y": 1]], ["id": "b", "row": "B", "number": "9"],
      ["id": "c", "row": "AA", "number": "1"],
    ])
    let rows = SeatLayout(mixed)
    expect(rows.places[1].x < rows.places[0].x && rows.places[0].y == rows.places[1].y)
    expect(rows.places[2].y > rows.places[0].y)
  }

  /// Whatever the places are: finite, within bounds, one for each seat.
  @Test(arguments: 0..<UInt64(extent(landing: 8, release: 300)))
  func layoutsAreBounded(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let extremes = ["0", "-0", "1e6", "-1e6", "1e-300", "1e309", "-1e309", "1000001", "NaN", "7", "7.5"]
    let count = Int.random(in: 0...400, using: &random)
    let rows = (0..<count).map { index in
      let (x, y) = (extremes.randomElement(using: &random) ?? "0", extremes.randomElement(using: &random) ?? "0")
      let section = Bool.random(using: &random) ? "S\(Int.random(in: 0...400, using: &random))" : "Stalls"
      let row = "\(Int.random(in: 0...300, using: &random))"
      return
        #"{"id":"\#(index)","row":"\#(row)","number":\#(index),"section":"\#(section)","position":{"x":"\#(x)","y":"\#(y)"}}"#
    }
    let document = try JSONValue([UInt8]("[\(rows.joined(separator: ","))]".utf8))
    let house = try #require(BoxSeats(document, of: "s", hiding: [])).all
    let layout = SeatLayout(house)
    expectEqual(layout.places.count, house.count, "\(seed)")
    for place in layout.places {
      expect(
        place.x >= 0 && place.x <= SeatLayout.longest && place.y >= 0 && place.y <= SeatLayout.longest,
        "\(seed): \(place)")
    }
    expect(layout.radius >= 1 && layout.radius <= 9, "\(seed): \(layout.radius)")
    let svg = SeatMapPicture.svg(house, title: "x")
    expect(fault(in: svg) == nil, "\(seed): \(fault(in: svg) ?? "")")
  }

  @Test func aHouseThatIsTooLargeIsDrawnInPart() throws {
    let rows = (0..<(SeatLayout.most + 10)).map { #"{"id":"\#($0)","row":"\#($0 / 500)","number":\#($0)}"# }
    let document = try JSONValue([UInt8]("[\(rows.joined(separator: ","))]".utf8))
    let house = try #require(BoxSeats(document, of: "s", hiding: [])).all
    let svg = SeatMapPicture.svg(house, title: "x")
    expectEqual(svg.matches(of: /<g><title>/).count, SeatLayout.most)
    expect(svg.utf8.count < 12_000_000, "\(svg.utf8.count)")
  }

  @Test func rowsAreInOrder() {
    let rows = ["10", "2", "A", "AA", "Z", "", "B1"]
    expectEqual(rows.sorted { SeatLayout.isBefore($0, $1) }, ["2", "10", "", "A", "Z", "AA", "B1"])
  }
}
