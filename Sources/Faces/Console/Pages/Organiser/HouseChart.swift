import ScanModel
import StationProtocol

/// How many are in the house, against how many were sold and may come. Pure.
struct HouseChart: Sendable {
  let inside: UInt64
  let seats: StationSnapshot.Seats?
  let texts: PageTexts

  func chart(id: String) -> PageChart {
    var columns: [(String, UInt64)] = [(texts["organiser.inside"], inside)]
    if let sold = seats?.sold { columns.append((texts["organiser.sold"], sold)) }
    if let capacity = seats?.capacity { columns.append((texts["organiser.capacity"], capacity)) }
    return PageChart(
      id: id, title: texts["organiser.house"], words: columns.map { "\($0.0): \($0.1)" }.joined(separator: ", "),
      places: columns.map { "\($0.0) \($0.1)" },
      series: columns.indices.map { index in
        PageChart.Series(
          name: columns[index].0, kind: index == 0 ? "admit" : "plain",
          values: columns.indices.map { $0 == index ? columns[index].1 : 0 })
      }, isNarrow: true)
  }
}

/// How long a ticket system took to answer. Pure.
struct AnswerChart: Sendable {
  let times: StationCounters.Histogram
  let texts: PageTexts

  private static let names: [String] =
    StationCounters.Histogram.bounds.map { bound in
      let milliseconds = bound.milliseconds
      return milliseconds < 1_000 ? "\(milliseconds) ms" : "\(milliseconds / 1_000) s"
    } + ["∞"]

  func chart(id: String) -> PageChart {
    PageChart(
      id: id, title: texts["organiser.answers"], words: texts("organiser.answersWords", String(times.count)),
      places: Self.names, series: [.init(name: texts["organiser.answers"], kind: "plain", values: times.buckets)])
  }

  /// The same as rows of a table.
  var rows: [PageModel] {
    zip(Self.names, times.buckets).filter { $0.1 > 0 }.map { name, count in
      ["name": .text("≤ \(name)"), "count": .text(String(count))]
    }
  }
}

/// A stripe in a ticket system's colours: told apart at a glance, and told apart by its name as well.
enum BrandStripe {
  static func svg(_ branding: StationSnapshot.Branding) -> String {
    let colours = [branding.background, branding.primary, branding.accent].map(StationSnapshot.Branding.hexadecimal)
    let parts = colours.enumerated().map { index, colour in
      "<rect x=\"\(index * 20)\" y=\"0\" width=\"20\" height=\"12\" fill=\"\(colour)\"/>"
    }
    return "<svg class=\"stripe\" viewBox=\"0 0 60 12\" aria-hidden=\"true\">\(parts.joined())</svg>"
  }
}
