internal import ScanModel

/// Something that a report says of the station: what, where, how much it matters, and what cures it.
package struct Finding: Sendable, Hashable {
  /// How much it matters. The raw values are the words in reports.
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// It is as it should be.
    case good
    /// Worth knowing; nothing need be done.
    case note
    /// Gates admit, and somebody should act.
    case warning
    /// A gate cannot admit.
    case fault

    package static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
      switch self {
      case .good: 0
      case .note: 1
      case .warning: 2
      case .fault: 3
      }
    }
  }

  /// What it is about, in the order of reports. The raw values are the names in JSON.
  package enum Area: String, Sendable, CaseIterable {
    case service, configuration, permissions, udev, readers, outputs, ticketSystems, certificates, lists, fleet, control
    case journal, outbox, conflicts, disk, clock, board, opening
  }

  /// How much it matters.
  package let severity: Severity
  /// What it is about.
  package let area: Area
  /// Where: a place of the configuration, a file, a unit.
  package let place: String
  /// What was found.
  package let words: String
  /// The command that cures it, or what to do where none does; `nil` where nothing need be done.
  package let cure: String?

  /// Makes a finding; its texts come from devices, files and servers, and are cleaned.
  package init(_ severity: Severity, _ area: Area, _ place: String, _ words: String, cure: String? = nil) {
    self.severity = severity
    self.area = area
    self.place = TerminalText.clean(place, limit: 256)
    self.words = TerminalText.clean(words, limit: 1_000)
    self.cure = cure.map { TerminalText.clean($0, limit: 1_000) }
  }
}

extension Finding.Area {
  /// Its place in reports.
  var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}
