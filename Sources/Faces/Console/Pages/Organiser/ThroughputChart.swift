import ScanModel
import StationProtocol

/// What a station's throughput looks like: of one gate, or of all. Pure.
struct ThroughputChart: Sendable {
  /// How many bins are drawn: four hours.
  static let shown = 48

  let throughput: StationThroughput
  let texts: PageTexts
  let time: PageTime

  /// The chart of a gate.
  func chart(of gate: GateID, id: String) -> PageChart {
    let first = StationThroughput.bins - Self.shown
    let own = throughput.series.filter { $0.gate == gate }
    let series = own.sorted { Self.order($0) < Self.order($1) }.prefix(PageChart.mostSeries).map { series in
      PageChart.Series(
        name: name(of: series), kind: series.verdict, values: Array(series.counts.dropFirst(first).map { UInt64($0) }))
    }
    let places = (0..<Self.shown).map { bin in
      // Each hour has its time.
      let start = throughput.start(of: first + bin)
      let text = time.short(start)
      return text.hasSuffix(":00") ? text : ""
    }
    let shown = TerminalText.clean(gate.name, limit: 60)
    let total = own.filter { $0.verdict == "admit" }.flatMap { $0.counts.dropFirst(first) }.reduce(UInt64(0)) {
      $0 + UInt64($1)
    }
    return PageChart(
      id: id, title: texts("organiser.throughputOf", shown), words: texts("organiser.throughputWords", String(total)),
      places: places, series: series, isReadFromEnd: true)
  }

  /// The same as rows of a table: those bins in which anything was.
  func rows(of chart: PageChart) -> [PageModel] {
    let first = StationThroughput.bins - Self.shown
    return (0..<Self.shown).compactMap { bin in
      let values = chart.series.map { $0.values.indices.contains(bin) ? $0.values[bin] : 0 }
      guard values.contains(where: { $0 > 0 }) else { return nil }
      return [
        "at": .text(time.short(throughput.start(of: first + bin))),
        "cells": .list(values.map { ["value": .text(String($0))] }),
      ]
    }
  }

  private func name(of series: StationThroughput.Series) -> String {
    let verdict = texts.named("verdict", series.verdict)
    guard let reason = series.reason else { return verdict }
    return reason == StationThroughput.other ? texts["organiser.other"] : texts.named("reason", reason)
  }

  private static func order(_ series: StationThroughput.Series) -> Int {
    ["admit": 0, "refuse": 1, "undecided": 2][series.verdict] ?? 3
  }
}
