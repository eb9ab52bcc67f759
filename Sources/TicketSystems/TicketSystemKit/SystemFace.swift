/// How a ticket system's server wants to be shown. Texts are clean, and each can be read on what it stands on; colours are `0xRRGGBB`.
package struct SystemBranding: Sendable, Equatable {
  /// A colour, and that of text on it.
  package struct Pair: Sendable, Equatable {
    package var ground: UInt32
    package var text: UInt32

    package init(ground: UInt32, text: UInt32) {
      self.ground = ground
      self.text = text
    }
  }

  /// Its name; `nil` where it tells none.
  package var name: String?
  /// What stands in its logo's place.
  package var logoText: String?
  /// The page, buttons, and what is to be noticed.
  package var page: Pair
  package var primary: Pair
  package var accent: Pair

  package init(name: String?, logoText: String?, page: Pair, primary: Pair, accent: Pair) {
    self.name = name
    self.logoText = logoText
    self.page = page
    self.primary = primary
    self.accent = accent
  }
}

/// How many may come to what is on now, as a ticket system tells it.
package struct SystemSeats: Sendable, Equatable {
  /// One type of tickets.
  package struct Kind: Sendable, Equatable {
    package var name: String
    /// How many there are to be had, and how many are sold; `nil` where that is not told.
    package var capacity: UInt64?
    package var sold: UInt64?

    package init(name: String, capacity: UInt64?, sold: UInt64?) {
      self.name = name
      self.capacity = capacity
      self.sold = sold
    }
  }

  /// By types.
  package var kinds: [Kind]

  package init(kinds: [Kind]) { self.kinds = kinds }

  /// Of all types; `nil` where it is not told of each.
  package var capacity: UInt64? { Self.sum(kinds.map(\.capacity)) }
  package var sold: UInt64? { Self.sum(kinds.map(\.sold)) }

  private static func sum(_ values: [UInt64?]) -> UInt64? {
    guard !values.isEmpty else { return nil }
    return values.reduce(UInt64?(0)) { sum, value in
      guard let sum, let value else { return nil }
      let (total, isOver) = sum.addingReportingOverflow(value)
      return isOver ? nil : total
    }
  }
}
