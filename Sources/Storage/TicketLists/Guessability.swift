internal import Glibc

/// How hard the codes of a list are to guess, by what they look like. An estimate from above: codes that look random may be
/// made by a rule that does not show.
package struct Guessability: Sendable, Equatable {
  /// Below so many bits a thief who has list and key finds the codes by trying: 2⁶⁴ digests are out of reach, 2⁴⁰ take hours.
  package static let enough = 64

  /// Bits in a code.
  package var bits: Int
  /// What the codes look like, such as `12 digits, numbered in a row`.
  package var looks: String

  /// Whether a keyed digest keeps the codes from somebody who has the key too.
  package var isEnough: Bool { bits >= Self.enough }
}

/// Looks at codes one by one, and keeps of them what they have in common.
struct GuessabilityMeter {
  /// Of a code's bytes so many count.
  private static let width = 64
  /// From so many codes on, what was not seen at a place cannot stand there.
  private static let many = 2_000

  /// What was seen at a place of the codes.
  private struct Place {
    var low: UInt64 = 0
    var high: UInt64 = 0
    var count = 0

    mutating func see(_ byte: UInt8) {
      count += 1
      if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) } else { high |= 1 }
    }

    mutating func add(_ other: Place) {
      low |= other.low
      high |= other.high
    }

    var distinct: Int { low.nonzeroBitCount + high.nonzeroBitCount }

    func has(_ range: ClosedRange<UInt8>) -> Bool { range.contains { sees($0) } }

    func sees(_ byte: UInt8) -> Bool {
      byte < 64 ? low >> UInt64(byte) & 1 == 1 : high >> UInt64(byte - 64) & 1 == 1
    }
  }

  private var places: [Place] = []
  private var codes = 0
  /// Whether it has seen none.
  var isEmpty: Bool { codes == 0 }
  private var shortest = Int.max
  private var longest = 0
  /// The smallest and largest number at the codes' ends, where all end in digits after the same beginning.
  private var smallest = UInt64.max
  private var largest: UInt64 = 0
  private var stem: [UInt8]?
  private var isNumbered = true

  mutating func see(_ code: [UInt8]) {
    codes += 1
    shortest = min(shortest, code.count)
    longest = max(longest, code.count)
    for (index, byte) in code.prefix(Self.width).enumerated() {
      if index == places.count { places.append(Place()) }
      places[index].see(byte)
    }
    number(code)
  }

  private mutating func number(_ code: [UInt8]) {
    guard isNumbered else { return }
    let digits = code.reversed().prefix { (0x30...0x39).contains($0) }.count
    let stem = code.dropLast(digits)
    // The digits that number codes are fewer than 18: no sum below overflows.
    guard (1...18).contains(digits), self.stem.map({ stem.elementsEqual($0) }) ?? true else {
      isNumbered = false
      return
    }
    self.stem = Array(stem)
    let value = code.suffix(digits).reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
    smallest = min(smallest, value)
    largest = max(largest, value)
  }

  var result: Guessability {
    guard codes > 0 else { return Guessability(bits: 0, looks: "no codes") }
    // What is the same in all codes is nothing to guess.
    let isFixed = places.map { codes > 1 && $0.distinct == 1 }
    let fixed = isFixed.prefix { $0 }.count
    var (all, free) = (Place(), Place())
    for (place, isFixed) in zip(places, isFixed) {
      all.add(place)
      if !isFixed { free.add(place) }
    }
    var bits = 0.0
    for (place, isFixed) in zip(places, isFixed) where !isFixed {
      // Of few codes no place has shown all that can stand there.
      let alphabet = Self.alphabet(of: place.count < Self.many ? free : place).size
      let choices = place.count < Self.many ? alphabet : min(place.distinct, alphabet)
      bits += log2(Double(choices)) * Double(place.count) / Double(codes)
    }
    let length = shortest == longest ? "\(longest)" : "\(shortest) to \(longest)"
    var looks = "\(length) \(Self.alphabet(of: all).name)"
    if codes > 1, fixed > 0 { looks += ", the first \(fixed) always the same" }
    if codes > 1, isNumbered {
      let range = log2(Double(largest - smallest) + 1)
      if range < bits { bits = range }
      // Dense numbers are counted, not drawn.
      if largest - smallest < UInt64(codes) * 4 { looks += ", numbered in a row" }
    }
    return Guessability(bits: Int(bits.rounded(.down)), looks: looks)
  }

  private static func alphabet(of place: Place) -> (size: Int, name: String) {
    let digits = place.has(0x30...0x39)
    let upper = place.has(0x41...0x5A)
    let lower = place.has(0x61...0x7A)
    let isHexadecimal = !place.has(0x47...0x5A) && !place.has(0x67...0x7A) && !(upper && lower)
    var plain = Place()
    for range in [0x30...0x39, 0x41...0x5A, 0x61...0x7A] as [ClosedRange<UInt8>] {
      for byte in range where place.sees(byte) { plain.see(byte) }
    }
    guard plain.low == place.low, plain.high == place.high else { return (95, "characters of all kinds") }
    if !upper, !lower { return (10, "digits") }
    if isHexadecimal { return (16, "hexadecimal digits") }
    let letters = upper && lower ? 52 : 26
    return (letters + (digits ? 10 : 0), digits ? "letters and digits" : "letters")
  }
}
