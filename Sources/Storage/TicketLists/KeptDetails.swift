internal import ScanModel

/// What a list keeps of who comes, sealed: the holder's name, and the seats.
struct KeptDetails: Equatable {
  /// More seats than these are not kept.
  static let mostSeats = 100
  /// A name or a seat is not longer, in bytes.
  private static let longest = 256
  /// How much more there is than the texts: how long they are, the sealed form does not say to the byte.
  private static let step = 64

  private(set) var holder: String?
  private(set) var seats: [String]

  /// `nil` where there is nothing to keep.
  init?(holder: String?, seats: [String]) {
    func text(_ given: String) -> String? {
      let bytes = trimmed([UInt8](given.utf8)[...]).prefix(Self.longest)
      return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
    self.holder = holder.flatMap(text)
    self.seats = Array(seats.compactMap(text).prefix(Self.mostSeats))
    if self.holder == nil, self.seats.isEmpty { return nil }
  }

  /// Reads what `bytes` has made; `nil` where it is something else.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    func next() -> String? {
      guard rest.count >= 2 else { return nil }
      let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      let text = rest.dropFirst(2).prefix(length)
      guard text.count == length else { return nil }
      rest = rest.dropFirst(2 + length)
      return String(decoding: text, as: UTF8.self)
    }
    guard let holder = next() else { return nil }
    var seats: [String] = []
    while let seat = next() {
      if seat.isEmpty { break }
      guard seats.count < Self.mostSeats else { return nil }
      seats.append(seat)
    }
    self.holder = holder.isEmpty ? nil : holder
    self.seats = seats
  }

  /// Each text behind its length in two bytes, the holder's name first; an empty one is the end.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for text in [holder ?? ""] + seats + [""] {
      let utf8 = text.utf8
      bytes += [UInt8(truncatingIfNeeded: utf8.count >> 8), UInt8(truncatingIfNeeded: utf8.count)]
      bytes.append(contentsOf: utf8)
    }
    return bytes + [UInt8](repeating: 0, count: (Self.step - bytes.count % Self.step) % Self.step)
  }

  /// Takes over what it does not have itself.
  mutating func fill(from other: KeptDetails) {
    holder = holder ?? other.holder
    if seats.isEmpty { seats = other.seats }
  }

  /// Takes the seats that it does not have yet.
  mutating func join(_ other: KeptDetails) {
    holder = holder ?? other.holder
    seats = Array((seats + other.seats.filter { !seats.contains($0) }).prefix(Self.mostSeats))
  }
}
