internal import ScanModel
internal import StationProtocol
internal import WireText

/// What a station tells for pages, for programs.
extension StatusJSON {
  static func object(_ branding: StationSnapshot.Branding) -> String {
    var line = JSONText()
    line.add("name", branding.name)
    line.add("logo_text", branding.logoText)
    for (name, colour) in [
      ("background", branding.background), ("text", branding.text), ("primary", branding.primary),
      ("on_primary", branding.onPrimary), ("accent", branding.accent), ("on_accent", branding.onAccent),
    ] {
      line.add(name, StationSnapshot.Branding.hexadecimal(colour))
    }
    return line.text
  }

  static func object(_ seats: StationSnapshot.Seats) -> String {
    var line = JSONText()
    line.add("capacity", number: seats.capacity.map { Int64(clamping: $0) })
    line.add("sold", number: seats.sold.map { Int64(clamping: $0) })
    line.add(
      "types",
      objects: seats.kinds.map { kind in
        var line = JSONText()
        line.add("type", kind.name)
        line.add("capacity", number: kind.capacity.map { Int64(clamping: $0) })
        line.add("sold", number: kind.sold.map { Int64(clamping: $0) })
        return line.text
      })
    return line.text
  }

  static func object(_ conflict: StationSnapshot.Conflict) -> String {
    var line = JSONText()
    line.add("conflict", conflict.id.description)
    line.add("ticket_system", conflict.system.name)
    line.add("gate", conflict.gate.name)
    line.add("code", conflict.code)
    line.add("admitted_at", conflict.admitted.iso8601)
    line.add("state", conflict.state)
    line.add("reason", conflict.reason)
    line.add("detail", conflict.words)
    return line.text
  }

  static func object(_ board: StationSnapshot.Board) -> String {
    var line = JSONText()
    line.add("name", board.name)
    line.add("room", board.room)
    line.add("location", board.location)
    line.add("welcome_message", board.welcomeMessage)
    line.add("help_message", board.helpMessage)
    line.add("status", board.status?.rawValue)
    line.add("manual_status", board.manualStatus?.rawValue)
    line.add("status_text", board.statusText)
    return line.text
  }

  static func object(_ throughput: StationThroughput) -> String {
    var line = JSONText()
    line.add("from", throughput.from.iso8601)
    line.add("bin_s", StationThroughput.bin.milliseconds / 1_000)
    line.add(
      "series",
      objects: throughput.series.map { series in
        var line = JSONText()
        line.add("gate", series.gate.name)
        line.add("verdict", series.verdict)
        line.add("reason", series.reason)
        line.add("counts", objects: series.counts.map { String($0) })
        return line.text
      })
    return line.text
  }
}
