package import FleetBook
internal import ScanModel
internal import WireText

/// What all stations of a fleet were ordered at once, for whoever looks at it.
extension FleetStatus {
  /// Whether the fleet is in maintenance by what lies in its book.
  package var isInMaintenance: Bool { maintenance != nil }

  private var maintenance: FleetOrder? {
    if case .known(let order)? = order, order.isMaintenance { order } else { nil }
  }

  /// What is to be said of it; `nil` where nothing is ordered, or was ended.
  var orderWords: String? {
    switch order {
    case .known(let order) where order.isMaintenance:
      TerminalText.clean("MAINTENANCE: nobody is let in at any gate. \(order.words)", limit: 500)
    case .unusable(let words):
      "An order for all stations lies in the book, and counts for nothing: \(TerminalText.clean(words)). Each goes by the last one that it knew"
    case .known, nil: nil
    }
  }

  /// For programs: `null` where the fleet is in no maintenance.
  var maintenanceObject: String? {
    maintenance.map { order in
      var object = JSONText()
      object.add("who", order.who)
      object.add("why", order.why)
      object.add("since", order.at.iso8601)
      return object.text
    }
  }
}
