/// Events as a gate names them: ten thousand take some 100 kB, and one is found among them within a microsecond. Copies share what they
/// hold.
package struct EventSet: Sendable, Equatable, ExpressibleByArrayLiteral {
  /// In order.
  private var numbers: [Int64]
  /// Identifiers that a server has made up, in order, one after the other, and where each ends.
  private var bytes: [UInt8] = []
  private var ends: [UInt32] = []

  /// Takes identifiers as the configuration writes them.
  package init(_ texts: some Sequence<String>) {
    var others: [[UInt8]] = []
    var found: [Int64] = []
    for id in texts.lazy.map({ EventID($0) }) {
      switch id.form {
      case .number(let number): found.append(number)
      case .bytes(let bytes): others.append(bytes)
      }
    }
    numbers = Self.ordered(found, by: <)
    for other in Self.ordered(others, by: { $0.lexicographicallyPrecedes($1) }) {
      bytes += other
      ends.append(UInt32(bytes.count))
    }
  }

  package init(arrayLiteral texts: String...) { self.init(texts) }

  private static func ordered<Element: Equatable>(
    _ elements: [Element], by precedes: (Element, Element) -> Bool
  ) -> [Element] {
    var ordered: [Element] = []
    ordered.reserveCapacity(elements.count)
    for element in elements.sorted(by: precedes) where ordered.last != element { ordered.append(element) }
    return ordered
  }

  /// Whether there is none.
  package var isEmpty: Bool { numbers.isEmpty && ends.isEmpty }

  /// Whether an event is among them.
  func contains(_ event: EventID) -> Bool {
    switch event.form {
    case .number(let number):
      let place = Self.place(in: numbers.count) { numbers[$0] < number }
      return place < numbers.count && numbers[place] == number
    case .bytes(let wanted):
      let place = Self.place(in: ends.count) { other(at: $0).lexicographicallyPrecedes(wanted) }
      return place < ends.count && other(at: place).elementsEqual(wanted)
    }
  }

  private func other(at index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
  }

  /// The first of so many places, in order, that does not precede what is sought.
  private static func place(in count: Int, precedes: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
