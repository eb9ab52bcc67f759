/// Reads the head of a picture file that is text, from the front.
struct TextHead {
  private let bytes: UnsafeRawBufferPointer
  /// The next byte.
  private(set) var place: Int

  init(_ bytes: UnsafeRawBufferPointer, at place: Int = 0) {
    self.bytes = bytes
    self.place = place
  }

  /// Takes the next byte; `nil` at the end.
  mutating func byte() -> UInt8? {
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  /// Takes a line without its end, of at most `limit` bytes; `nil` where there is none.
  mutating func line(limit: Int) -> [UInt8]? {
    let rest = bytes[min(place, bytes.count)...].prefix(limit + 1)
    guard let end = rest.firstIndex(of: 10) else { return nil }
    defer { place = end + 1 }
    return Array(rest[..<end])
  }

  /// Takes a number of at most seven digits, after white space and comments (`#` to the end of the line).
  mutating func number() -> Int? {
    var value: Int?
    var digits = 0
    while place < bytes.count {
      let byte = bytes[place]
      if (0x30...0x39).contains(byte) {
        digits += 1
        guard digits <= 7 else { return nil }
        value = (value ?? 0) * 10 + Int(byte - 0x30)
      } else if value != nil {
        return value
      } else if byte == UInt8(ascii: "#") {
        while place < bytes.count, bytes[place] != 10 { place += 1 }
        continue
      } else if ![9, 10, 11, 12, 13, 32].contains(byte) {
        return nil
      }
      place += 1
    }
    return value
  }
}
