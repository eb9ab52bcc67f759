import Expectations
import Foundation
import NIOCore
import ScanConfiguration
import ScanModel
import ScanTesting
import StationProtocol
import StationTesting
import Testing
import WireText

@testable import Console

/// What comes from outside, as it may stand on a page.
enum Hostile {
  static let texts = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "</title><script>",
    // What people take for one character with the quote before it.
    "\"\u{301} autofocus onfocus=alert(1) x=\"\u{301}", "<\u{338}script>", "'\u{200D}'", "`x`", "&lt;script&gt;",
    "\u{202E}gnitekcit\u{202C}", "\u{2066}\u{2067}\u{2069}", "{{t.door.ready}}", "{{{body}}}", "{0}{1}",
    SampleStation.hostile, String(repeating: "W", count: 10_000), String(repeating: "\u{1F39F}\u{FE0F}", count: 10_000),
    "\u{0}\u{7F}\u{FEFF}",
  ]
}

@Suite struct PageTemplatesTests {
  @Test func eachTemplateIsOne() { expectEqual(PageTemplates.shared.faults, []) }

  @Test(arguments: Hostile.texts) func escapedTextIsText(_ text: String) {
    let escaped = PageEscaping.escape(text)
    for mark in "<>\"'`".utf8 { expect(!escaped.utf8.contains(mark), "\(escaped)") }
    // Byte by byte: an accent behind an entity's end is one character with it.
    var back = Data(escaped.utf8)
    for (entity, mark) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#96;", "`"),
    ] {
      while let range = back.range(of: Data(entity.utf8)) { back.replaceSubrange(range, with: Data(mark.utf8)) }
    }
    let plain = back.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated().flatMap {
      $0.offset == 0 ? Array($0.element) : [UInt8(ascii: "&")] + $0.element.dropFirst("amp;".utf8.count)
    }
    expectEqual(plain, Array(text.utf8))
  }

  /// Whatever stands where, no page has an element or attribute that its template has not.
  @Test(arguments: Hostile.texts) func nothingFromOutsideIsMarkup(_ text: String) throws {
    var station = SampleStation.snapshot()
    station.station = text
    station.gates[0].condition = .init(state: "fault", detail: text)
    // No longer name of a gate is taken from a path.
    let gate = GateID(String(text.prefix(60)))
    station.gates[0].id = gate
    func page(_ text: String, _ station: StationSnapshot, _ gate: GateID) throws -> String {
      let quoted = String(decoding: try JSONSerialization.data(withJSONObject: [text]), as: UTF8.self)
        .dropFirst().dropLast()
      let members = ["reason", "holder", "event", "kind", "first_used_gate", "note", "detail", "output_fault"]
        .map { "\"\($0)\":\(quoted)" }.joined(separator: ",")
      let line =
        "{\"verdict\":\"refuse\",\"seats\":[\(quoted)],\"first_used_at\":\"2026-11-21T18:42:00.000Z\",\(members)}"
      let scan = try #require(try ShownScan(JSONValue([UInt8](line.utf8))))
      let idle = DoorIdle(station.gates[0], of: station)
      let face = DoorBoards.Face.gate(idle, .init(scan: scan, number: 1, until: MonotonicTime(nanoseconds: 6)))
      let texts = PageTexts.of(.fr)
      var html = ""
      for template in ["door", "attendant"] {
        var model = DoorRoutes.model(of: gate, face, texts, at: ManualTime())
        model.set("showsDetail", true)
        model.set("user", .foreign(text))
        let found = FoundTicket(
          code: text, system: TicketSystemID(text), holder: text, event: text, admitted: 1, gate: gate, words: text)
        model.set(
          "outcome",
          .part(OutcomeWords(texts: texts, time: PageTime(now: SampleStation.now)).model(.found([found]))))
        let layout = PageLayout(template, title: TerminalText.clean(text, limit: 60), kind: template, model)
        let one = try #require(layout.html(texts))
        expect(one.utf8.count < 100_000, "\(one.utf8.count)")
        html += one
      }
      return html
    }
    let harmless = try page("x", SampleStation.snapshot(), GateID("x"))
    let hostile = try page(text, station, gate)
    expectEqual(Self.skeleton(hostile), Self.skeleton(harmless))
    expect(
      !hostile.unicodeScalars.contains {
        $0 != "\n" && !TerminalText.isHarmless($0) && $0.properties.generalCategory == .format
      },
      "formatting characters")
  }

  /// The elements of a page with the names of their attributes, without any value or text.
  static func skeleton(_ html: String) -> [String] {
    var skeleton: [String] = []
    var (isTag, quote, name) = (false, UInt8?.none, "")
    for byte in html.utf8 {
      if let open = quote {
        if byte == open { quote = nil }
      } else if isTag {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
        case UInt8(ascii: ">"):
          isTag = false
          skeleton.append(name.replacing(" hidden", with: ""))
        default: name.append(Character(Unicode.Scalar(byte)))
        }
      } else if byte == UInt8(ascii: "<") {
        (isTag, name) = (true, "")
      }
    }
    // As many facts and tickets' lines as there are.
    return skeleton.filter { !$0.hasPrefix("li") && !$0.hasPrefix("/li") }
  }

  @Test func pagesAskNobodyElseForAnything() throws {
    for (name, bytes) in [
      ("style", CarriedFile.style), ("script", CarriedFile.live),
      ("icon", CarriedFile.icon),
    ] {
      let text = String(decoding: bytes, as: UTF8.self).replacing("http://www.w3.org/2000/svg", with: "")
      for word in ["http:", "https:", "//cdn", "@import", "url(", "innerHTML", "outerHTML", "document.write", "eval("] {
        expect(!text.contains(word), "\(name): \(word)")
      }
    }
    let folder = repositoryFile("Sources/Faces/Console/Pages/Templates")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      expect(
        !text.contains(" style=") && text.contains("<style") == (file == "layout.mustache") && !text.contains("http:")
          && !text.contains("https:"),
        "\(file)")
      expect(text.firstMatch(of: /\son[a-z]+\s*=|javascript:|\sstyle\s*=/) == nil, "\(file)")
      expectEqual(text.components(separatedBy: "<script").count - 1, file == "layout.mustache" ? 1 : 0, "\(file)")
      // What was escaped elsewhere: a page within the layout, charts, and marks over a picture.
      let takesMarkup = ["layout.mustache", "organiser.mustache", "picture.mustache"].contains(file)
      expectEqual(text.contains("{{{") || text.contains("{{&"), takesMarkup, "\(file)")
    }
  }

  @Test func whatBrowsersKeepIsSmall() {
    let bytes = PageStatic.files.reduce(0) { $0 + $1.bytes.readableBytes }
    expect(bytes < 40_000, "\(bytes)")
  }

  // MARK: Colours

  @Test func contrastIsThatOfWCAG() {
    expect(abs(PageContrast.ratio(0, 0xFFFFFF) - 21) < 0.001)
    expect(
      abs(PageContrast.ratio(0x777777, 0xFFFFFF) - 4.48) < 0.01 && !PageContrast.isReadable(0x777777, on: 0xFFFFFF))
    expect(PageContrast.isReadable(0x767676, on: 0xFFFFFF))
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let (one, other) = (
        UInt32.random(in: 0...0xFFFFFF, using: &random), UInt32.random(in: 0...0xFFFFFF, using: &random)
      )
      let ratio = PageContrast.ratio(one, other)
      expect((1...21.0001).contains(ratio) && ratio == PageContrast.ratio(other, one))
      // What stands above the colours says nothing.
      expectEqual(PageContrast.ratio(one | 0xFF00_0000, other), ratio)
    }
  }

  /// Our own colours, as the style has them.
  @Test(arguments: [
    ("ink", "ground"), ("ink", "sheet"), ("soft", "ground"), ("soft", "sheet"), ("accent", "ground"),
    ("on-accent", "accent"), ("on-amber", "amber"), ("white", "admit"), ("white", "refuse"),
  ]) func ourColoursCanBeRead(_ text: String, _ ground: String) throws {
    let style = String(decoding: CarriedFile.style, as: UTF8.self)
    func colour(_ name: String) throws -> UInt32 {
      if name == "white" { return 0xFFFFFF }
      let part = try #require(style.components(separatedBy: "--\(name): #").dropFirst().first)
      return try #require(UInt32(part.prefix(6), radix: 16))
    }
    expect(try PageContrast.isReadable(colour(text), on: colour(ground)), "\(text) on \(ground)")
  }
}
