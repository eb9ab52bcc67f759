internal import ScanModel
internal import TicketSystemKit

/// A house as a picture: a mark for each seat, whose form says its status and whose colour its section. Drawn by us, of what the service
/// tells: no text of it is markup, nothing in it runs, and it points at nothing outside itself.
///
///     available ●     reserved ○ with a stroke     sold ✕     unknown ○ of dots
enum SeatMapPicture {
  /// The colour of a section that has none.
  private static let plain = "#9ab"
  /// The most sections that the legend names.
  private static let mostSections = 24
  private static let legendLine = 22.0

  /// The picture (SVG 1.1).
  /// - Parameters:
  ///   - seats: the first `SeatLayout.most` of them are drawn.
  ///   - title: of the show.
  static func svg(_ seats: [BoxSeat], title: String) -> String {
    let drawn = Array(seats.prefix(SeatLayout.most))
    let layout = SeatLayout(drawn)
    let sections = legend(drawn)
    let top = Double(sections.count + BoxSeat.Status.allCases.count + 2) * legendLine
    let (width, height) = (max(layout.width, 360), layout.height + top)
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" viewBox="0 0 \(number(width)) \(number(height))" role="img" font-family="sans-serif" font-size="13">
      <title>\(escaped(title))</title>
      <path fill="#fff" d="M0 0h\(number(width))v\(number(height))H0z"/>
      \(text(title, x: 8, y: 20))

      """
    var y = 20 + legendLine
    for status in BoxSeat.Status.allCases {
      svg += mark(status, "#456", x: 18, y: y - 4, radius: 8)
      svg += text("\(status.rawValue) (\(drawn.count { $0.status == status }))", x: 36, y: y)
      y += legendLine
    }
    for (name, colour) in sections {
      svg += "<path fill=\"\(colour)\" stroke=\"#222\" d=\"M10 \(number(y - 12))h16v14h-16z\"/>\n"
      svg += text(name, x: 36, y: y)
      y += legendLine
    }
    svg += "<g transform=\"translate(0 \(number(top)))\">\n"
    for label in layout.labels { svg += text(label.text, x: label.x, y: label.y) }
    for (seat, place) in zip(drawn, layout.places) {
      svg += "<g><title>\(escaped(words(seat)))</title>"
      svg += mark(seat.status, seat.colour?.text ?? plain, x: place.x, y: place.y, radius: layout.radius)
      svg += "</g>\n"
    }
    return svg + "</g>\n</svg>\n"
  }

  /// `Stalls, row F, seat 12: available, £25.00 (2500 p)`
  private static func words(_ seat: BoxSeat) -> String {
    let place = [seat.section, seat.row.map { "row \($0)" }, seat.number.map { "seat \($0)" }].compactMap(\.self)
    return (place.isEmpty ? seat.id : place.joined(separator: ", "))
      + ": " + [seat.status.rawValue, seat.price?.text].compactMap(\.self).joined(separator: ", ")
  }

  /// Names and colours of the sections, in the order in which they come.
  private static func legend(_ seats: [BoxSeat]) -> [(name: String, colour: String)] {
    var (known, legend): (Set<String>, [(name: String, colour: String)]) = ([], [])
    for seat in seats {
      guard let name = seat.section, legend.count < mostSections, known.insert(name).inserted else { continue }
      legend.append((name, seat.colour?.text ?? plain))
    }
    return legend
  }

  /// A seat's mark.
  private static func mark(
    _ status: BoxSeat.Status, _ colour: String, x: Double, y: Double, radius: Double
  ) -> String {
    let circle = "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"\(number(radius))\""
    let arm = number(radius * 0.6)
    let stroke = "M\(number(x)) \(number(y))m-\(arm) -\(arm)l\(number(radius * 1.2)) \(number(radius * 1.2))"
    let back = "M\(number(x)) \(number(y))m\(arm) -\(arm)l-\(number(radius * 1.2)) \(number(radius * 1.2))"
    let wide = number(max(0.5, radius / 4))
    switch status {
    case .available: return "\(circle) fill=\"\(colour)\" stroke=\"#222\"/>"
    case .reserved:
      return "\(circle) fill=\"#fff\" stroke=\"\(colour)\" stroke-width=\"\(wide)\"/>"
        + "<path stroke=\"#222\" stroke-width=\"\(wide)\" d=\"\(stroke)\"/>"
    case .sold:
      return "\(circle) fill=\"#ddd\" stroke=\"\(colour)\"/>"
        + "<path stroke=\"#222\" stroke-width=\"\(wide)\" d=\"\(stroke)\(back)\"/>"
    case .unknown: return "\(circle) fill=\"#fff\" stroke=\"#222\" stroke-dasharray=\"2 2\"/>"
    }
  }

  private static func text(_ text: String, x: Double, y: Double) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(String(text.unicodeScalars.prefix(80))))</text>\n"
  }

  /// A number with a digit behind the point; what is none is 0.
  private static func number(_ value: Double) -> String {
    guard let tenths = Int(exactly: (value * 10).rounded()) else { return "0" }
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  /// A text that is no markup; what could not be shown, or steers, is a middle dot.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in TerminalText.clean(text, limit: 300).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
