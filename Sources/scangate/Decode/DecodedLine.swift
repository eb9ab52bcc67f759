import FoundationEssentials
import WireText
import Gateway
import ScanModel

/// Lines about what was read in a picture: for people, and for programs.
struct DecodedLine {
  /// The file as it was named.
  let file: String
  /// Which frame of a video; `nil` for a picture.
  var frame: UInt32?

  /// One JSON object: what was read.
  func json(_ reading: ViewReading) -> String {
    var line = begin()
    line.add("symbols", objects: reading.symbols.map(Self.object))
    line.add(milliseconds: "decode_ms", .nanoseconds(Int64(clamping: reading.decodeTime)))
    return line.text
  }

  /// One JSON object: why nothing was.
  func json(error: String) -> String {
    var line = begin()
    line.add("error", error)
    return line.text
  }

  /// One line for each code; its text steers no terminal.
  func plain(_ reading: ViewReading) -> [String] {
    if reading.symbols.isEmpty { return ["\(name): no code"] }
    return reading.symbols.map {
      "\(name): \($0.symbology.rawValue) \"\(TerminalText.clean($0.text, limit: 8_000))\""
    }
  }

  /// A line for people: why nothing was read.
  func plain(error: String) -> String { "\(name): \(TerminalText.clean(error, limit: 1_000))" }

  private var name: String { TerminalText.clean(file, limit: 4_096) + (frame.map { " frame \($0)" } ?? "") }

  private func begin() -> JSONText {
    var line = JSONText()
    line.add("file", file)
    if let frame { line.add("frame", Int64(frame)) }
    return line
  }

  private static func object(_ symbol: SeenSymbol) -> String {
    var object = JSONText()
    object.add("symbology", symbol.symbology.rawValue)
    object.add("text", symbol.text)
    object.add("bytes", Data(symbol.bytes).base64EncodedString())
    object.add("points", objects: symbol.points.map { "[\(tenths($0.x)),\(tenths($0.y))]" })
    return object.text
  }

  /// A number with one decimal; the worker's numbers are finite, and a picture's are small.
  private static func tenths(_ number: Float) -> String {
    let tenths = Int((min(max(number, -1e6), 1e6) * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}
